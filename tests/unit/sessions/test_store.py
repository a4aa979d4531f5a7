import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import Notice, RunStarted, SessionOpened, encode
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.sessions.store import Kept, Store, new_id

MakeStore = Callable[..., Store]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def make(root: Path, tmp_path: Path) -> MakeStore:
    def make(folder: Path | None = None, **environ: str) -> Store:
        redactor = Redactor({"MY_KEY": "tok7f3a91c2de55"})
        return Store(root, folder, redactor=redactor, environ={"HOME": str(tmp_path / "home"), **environ})

    return make


def used(kept: Kept, notebook: str = "a.ipynb", *, at_s: int, prompt: str = "", root: str = "") -> str:
    log = kept.open_log()
    place = root or str(kept.path.parents[2])
    log.append(encode(SessionOpened(root=place, notebook=notebook, ts=float(at_s))))
    if prompt:
        log.append(encode(RunStarted(prompt=prompt)))
    log.close()
    os.utime(kept.log_path, (at_s, at_s))
    return kept.session_id


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_session_lives_under_the_root_is_private_and_stays_out_of_git(make: MakeStore, root: Path) -> None:
    store = make()
    kept = store.create()
    assert kept.path.parent == root / ".tah" / "sessions"
    assert [mode(path) for path in (root / ".tah", root / ".tah" / "sessions", kept.path)] == [0o700] * 3
    assert (root / ".tah" / ".gitignore").read_text() == "*\n"
    assert (store.notice, kept.resumed) == ("", False)


def test_a_log_that_came_with_a_cloned_folder_is_not_gone_on_with(make: MakeStore) -> None:
    store = make()
    planted = used(store.create(), "a.ipynb", at_s=5, root="/home/somebody/else")
    assert store.find("a.ipynb") is None
    assert store.get(planted).session_id == planted


def test_nothing_is_touched_before_it_is_used(make: MakeStore, root: Path) -> None:
    make()
    assert list(root.iterdir()) == []


def test_a_gitignore_of_the_person_stays(make: MakeStore, root: Path) -> None:
    (root / ".tah").mkdir()
    (root / ".tah" / ".gitignore").write_text("sessions\n")
    make().create()
    assert (root / ".tah" / ".gitignore").read_text() == "sessions\n"


def test_ids_are_unique_and_sort_by_age() -> None:
    ids = [new_id() for _ in range(200)]
    assert len(set(ids)) == 200
    assert [i[:22] for i in ids] == sorted(i[:22] for i in ids)


def test_a_notebook_gets_the_session_it_used_last(make: MakeStore) -> None:
    store = make()
    first, second, other = store.create(), store.create(), store.create()
    used(first, at_s=1_000_300)
    used(second, at_s=1_000_200)
    used(other, "b.ipynb", at_s=1_000_900)
    found = store.find("a.ipynb")
    assert found is not None
    assert (found.session_id, found.resumed) == (first.session_id, True)
    assert store.find("c.ipynb") is None


def test_open_resumes_by_id_then_by_notebook_and_else_begins(make: MakeStore) -> None:
    store = make()
    first = used(store.create(), at_s=1_000_100)
    second = used(store.create(), at_s=1_000_200)
    assert store.open(resume=first, notebook="a.ipynb").session_id == first
    assert store.open(notebook="a.ipynb").session_id == second
    assert store.open(notebook="new.ipynb").session_id not in (first, second)
    assert store.open().session_id not in (first, second)


@pytest.mark.parametrize("session_id", ["nope", "", "..", "../sessions", "/etc", "a/b", "x" * 300, "a\0b"])
def test_an_unknown_session_is_a_clear_error(make: MakeStore, session_id: str) -> None:
    with pytest.raises(LogError, match="There is no session"):
        make().get(session_id)


def test_the_list_says_what_each_session_was_about(make: MakeStore, root: Path) -> None:
    store = make()
    old = used(store.create(), at_s=1_000_100, prompt="fix the tests")
    new = used(store.create(), "b.ipynb", at_s=1_000_200)
    store.create()  # never used
    broken = store.create()
    broken.log_path.write_bytes(b"rubbish\n")
    headless = store.create().open_log()
    headless.append(encode(Notice(text="no opening")))
    headless.close()
    newest, oldest = store.summaries()
    assert (newest.session_id, newest.notebook, newest.last_used) == (new, "b.ipynb", 1_000_200.0)
    assert (oldest.session_id, oldest.prompt, oldest.root, oldest.started) == (
        old,
        "fix the tests",
        str(root),
        1_000_100.0,
    )
    assert oldest.size_bytes == (oldest.path / "log.jsonl").stat().st_size


def test_only_the_first_lines_of_a_log_are_read(make: MakeStore) -> None:
    store = make()
    kept = store.create()
    used(kept, at_s=1_000_100)
    os.truncate(kept.log_path, 1 << 33)
    found = store.find("a.ipynb")
    assert found is not None
    assert found.session_id == kept.session_id


def test_a_long_result_is_kept_whole_and_masked(make: MakeStore) -> None:
    kept = make().create()
    path = kept.spill("c1", "x" * 100_000 + " tok7f3a91c2de55 \udcff é")
    assert path.parent == kept.results_dir
    assert path.read_text() == "x" * 100_000 + " ⟨MY_KEY⟩ \\udcff é"
    assert (mode(path), mode(kept.results_dir)) == (0o600, 0o700)


def test_results_never_replace_each_other_or_leave_their_folder(make: MakeStore) -> None:
    kept = make().create()
    paths = [kept.spill(call, call) for call in ("c1", "c1", "../../evil", "", "..", "a/b")]
    assert [path.read_text() for path in paths] == ["c1", "c1", "../../evil", "", "..", "a/b"]
    assert len(set(paths)) == 6
    assert {path.parent for path in paths} == {kept.results_dir}


def test_a_result_that_cannot_be_kept_is_a_clear_error(make: MakeStore) -> None:
    kept = make().create()
    kept.results_dir.write_text("a file in its place")
    with pytest.raises(LogError, match="whole result of c1 cannot be kept"):
        kept.spill("c1", "text")


def test_a_session_folder_that_is_gone_is_a_clear_error(make: MakeStore) -> None:
    store = make()
    store.folder().rmdir()
    with pytest.raises(LogError, match="No session can be made in"):
        store.create()


def test_a_root_that_cannot_be_used_falls_back_to_the_state_folder(make: MakeStore, root: Path, tmp_path: Path) -> None:
    (root / ".tah").write_text("a file in its place")
    store = make()
    kept = store.create()
    assert kept.path.is_relative_to(tmp_path / "home" / ".local" / "state" / "tah")
    assert "project" in kept.path.parent.parent.name
    assert str(kept.path.parent) in store.notice
    assert make(XDG_STATE_HOME=str(tmp_path / "state")).create().path.is_relative_to(tmp_path / "state" / "tah")
    assert make(XDG_STATE_HOME="relative").create().path.parent == kept.path.parent


def test_a_folder_that_is_not_writable_falls_back(make: MakeStore, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, how: not Path(path).is_relative_to(root) and access(path, how))
    store = make()
    assert not store.create().path.is_relative_to(root)
    assert "not writable" in store.notice


@pytest.mark.parametrize("part", [".tah", ".tah/sessions"])
def test_a_link_in_a_cloned_project_is_not_followed(make: MakeStore, root: Path, tmp_path: Path, part: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (root / part).parent.mkdir(exist_ok=True)
    (root / part).symlink_to(elsewhere)
    store = make()
    assert not store.create().path.resolve().is_relative_to(elsewhere)
    assert "link" in store.notice
    assert list(elsewhere.iterdir()) == []


def test_two_workspaces_of_one_name_do_not_share_the_state_folder(tmp_path: Path) -> None:
    folders = set()
    for parent in ("a", "b"):
        root = tmp_path / parent / "project"
        root.mkdir(parents=True)
        (root / ".tah").write_text("")
        folders.add(Store(root, redactor=Redactor(), environ={"HOME": str(tmp_path)}).folder())
    assert len(folders) == 2


def test_when_no_place_can_be_used_the_error_names_both(make: MakeStore, root: Path, tmp_path: Path) -> None:
    (root / ".tah").write_text("")
    (tmp_path / "home").write_text("")
    with pytest.raises(LogError, match=r"neither in .*project/.tah/sessions .* nor in .*home/.local/state/tah"):
        make().create()


def test_a_configured_folder_is_used_instead(make: MakeStore, root: Path, tmp_path: Path) -> None:
    store = make(tmp_path / "deep" / "kept")
    assert store.create().path.parent == tmp_path / "deep" / "kept"
    assert not (root / ".tah").exists()
    assert store.notice == ""
