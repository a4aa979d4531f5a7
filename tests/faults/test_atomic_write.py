"""A write that meets a full disk, a rival or a kill leaves old bytes or new ones."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.workspace import Workspace

LONG = os.environ.get("FAULTS") == "long"
HOUSE = Path(__file__).parents[2]

FULL_DISK = """
import resource, sys
from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.workspace import Workspace
workspace = Workspace(sys.argv[1])
base = workspace.read_if_exists(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    workspace.write(sys.argv[2], b"n" * 1_000_000, base=base)
except ToolError as error:
    print(error.code, error)
"""


def run(code: str, *args: str) -> str:
    command = [sys.executable, "-c", code, *args]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=HOUSE).stdout


@pytest.mark.parametrize("name", ["old", "linked", "new", "sub/new"])
def test_a_disk_that_is_full_loses_nothing(tmp_path: Path, name: str) -> None:
    for existing in ("old", "linked"):
        (tmp_path / existing).write_bytes(b"o" * 50_000)
    os.link(tmp_path / "linked", tmp_path / "other")
    assert run(FULL_DISK, str(tmp_path), name).startswith(
        f"EFBIG {name} cannot be written: file too large. No file was changed."
    )
    files = {str(p.relative_to(tmp_path)): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert files == dict.fromkeys(("old", "linked", "other"), b"o" * 50_000)


@pytest.mark.parametrize("names", [1, 2])
def test_of_many_writers_each_sees_what_the_others_wrote(tmp_path: Path, names: int) -> None:
    """A counter: each adds one to what it read, or is told that the file changed."""
    workspace = Workspace(tmp_path)
    workspace.write("n", b"0", base=None)
    if names == 2:
        os.link(tmp_path / "n", tmp_path / "m")
    rounds, done, lost = 200 if LONG else 15, [], []

    def count() -> None:
        for _ in range(rounds):
            base = workspace.read("n")
            try:
                workspace.write("n", b"%d" % (int(base.data) + 1), base=base)
                done.append(1)
            except ToolError as error:
                lost.append(error.code)

    _together([count] * 3)
    assert lost == ["ChangedOnDisk"] * (3 * rounds - len(done))
    assert int(workspace.read("n").data) == len(done) > 0
    assert len(list(tmp_path.iterdir())) == names


def test_of_many_who_create_a_file_one_wins(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    for number in range(100 if LONG else 20):
        results: list[bytes | str] = []
        _together([partial(_create, workspace, f"made/f{number}", data, results) for data in (b"1", b"2", b"3")])
        assert results.count("ChangedOnDisk") == 2
        assert workspace.read(f"made/f{number}").data in results


def _create(workspace: Workspace, path: str, data: bytes, results: list[bytes | str]) -> None:
    try:
        workspace.write(path, data, base=None)
        results.append(data)
    except ToolError as error:
        results.append(error.code)


@pytest.mark.parametrize("writes", [False, True])
def test_a_folder_that_is_swapped_for_a_link_leads_nowhere(tmp_path: Path, writes: bool) -> None:
    """While one thread swaps ``d`` between a folder and a link that leads out, no byte outside is read or written."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "d", outside):
        folder.mkdir(parents=True)
        (folder / "f").write_bytes(folder.name.encode())
    (root / "link").symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(root / "d", root / "held")
            while os.path.lexists(root / "link"):
                try:
                    os.rename(root / "link", root / "d")
                except OSError:  # a writer made a folder of this name meanwhile
                    shutil.rmtree(root / "d", ignore_errors=True)
            os.rename(root / "held", root / "link")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        results = _attack(Workspace(root), 4000 if LONG else 400, writes=writes)
    finally:
        stop.set()
        swapper.join()
    assert b"outside" not in results
    assert {p.name: p.read_bytes() for p in outside.iterdir()} == {"f": b"outside"}


def _attack(workspace: Workspace, rounds: int, *, writes: bool) -> set[bytes]:
    results: set[bytes] = set()
    for number in range(rounds):
        try:
            base = workspace.read("d/f")
            results.add(base.data)
            if writes:
                workspace.write("d/f", b"d%d" % number, base=base)
                workspace.write(f"d/new{number}/f", b"d", base=None)
        except ToolError as error:
            results.add(error.code.encode())
    return results


def test_a_file_that_is_swapped_for_a_link_leads_nowhere(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.write_bytes(b"outside")
    (root / "f").write_bytes(b"inside")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "link").symlink_to(outside)
            os.replace(root / "link", root / "f")
            (root / "plain").write_bytes(b"inside")
            os.replace(root / "plain", root / "f")

    swapper = threading.Thread(target=swap)
    swapper.start()
    workspace, results = Workspace(root), set()
    try:
        for _ in range(6000 if LONG else 600):
            try:
                base = workspace.read("f")
                results.add(base.data)
                workspace.write("f", b"inside", base=base)
            except ToolError as error:
                results.add(error.code.encode())
    finally:
        stop.set()
        swapper.join()
    assert b"outside" not in results
    assert b"inside" in results
    assert outside.read_bytes() == b"outside"


def _together(runs: list[Callable[[], None]]) -> None:
    failures: list[BaseException] = []

    def guarded(call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=[call]) for call in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not failures
