"""The sample project of the demo: drawn from a seed, broken in one place, and mendable by who reads it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tah_jupyter.core.errors import TahError
from tah_jupyter.models.sample.code import FLAWS
from tah_jupyter.models.sample.mistakes import find_mistakes
from tah_jupyter.models.sample.project import SampleCopy, draw_sample, is_sample, new_seed, write_sample
from tests.support.sample_run import run_here

SEEDS = range(300)
ONE_OF_EACH = {draw_sample(seed).kind: seed for seed in SEEDS}


def test_a_seed_gives_the_same_project_and_another_seed_another() -> None:
    assert draw_sample(7) == draw_sample(7)
    assert len({str(draw_sample(seed).files) for seed in SEEDS}) == len(SEEDS)


def test_every_kind_of_mistake_is_drawn_and_names_and_numbers_differ() -> None:
    assert set(ONE_OF_EACH) == {flaw.kind for flaw in FLAWS}
    assert len(FLAWS) >= 5
    assert len({tuple(draw_sample(seed).files) for seed in SEEDS}) >= 5


def test_of_every_seed_the_tests_fail_and_pass_after_the_mend(tmp_path: Path) -> None:
    for seed in SEEDS:
        sample = draw_sample(seed)
        before = run_here(sample.files, tmp_path)
        assert before.testsRun == 10, seed
        assert 1 <= len(before.red) <= 2, (seed, sample.kind, before.red)
        [mistake] = find_mistakes(sample.files)
        assert mistake.path == sample.broken_in, seed
        text = sample.files[mistake.path]
        assert text.count(mistake.old) == 1, seed
        mended = sample.files | {mistake.path: text.replace(mistake.old, mistake.new)}
        assert run_here(mended, tmp_path).red == [], (seed, sample.kind)
        assert find_mistakes(mended) == [], seed


@pytest.mark.parametrize("seed", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
def test_its_tests_run_with_nothing_but_python(seed: int, tmp_path: Path) -> None:
    sample = write_sample(tmp_path / "project", seed)
    done = subprocess.run(
        [sys.executable, "-S", "-B", "-m", "unittest"],
        cwd=tmp_path / "project",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Ran 10 tests" in done.stderr
    assert "FAILED (failures=" in done.stderr, "a wrong value, not a crash"
    assert len(sample.files) == 6


def test_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(TahError, match=r"not an empty folder.*Choose another"):
        write_sample(tmp_path, 1)
    with pytest.raises(TahError, match="not an empty folder"):
        write_sample(tmp_path / "mine.txt", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TahError, match="cannot be written"):
        write_sample(tmp_path / "file" / "below", 1)


def test_a_sample_is_known_by_its_readme(tmp_path: Path) -> None:
    assert not is_sample(tmp_path)
    assert not is_sample(tmp_path / "nowhere")
    (tmp_path / "README.md").write_text("# My own project\n")
    assert not is_sample(tmp_path)
    write_sample(tmp_path / "sample", 1)
    assert is_sample(tmp_path / "sample")


def test_a_copy_lies_in_a_folder_of_its_own_and_is_removed_with_all_that_is_in_it() -> None:
    copy = SampleCopy(3)
    assert is_sample(copy.folder)
    assert {path: (copy.folder / path).read_text() for path in copy.sample.files} == draw_sample(3).files
    (copy.folder / "more").mkdir()
    copy.remove()
    assert not copy.folder.parent.exists()


def test_a_new_seed_can_be_written_down_and_given_again() -> None:
    assert 0 <= new_seed() < 1_000_000
