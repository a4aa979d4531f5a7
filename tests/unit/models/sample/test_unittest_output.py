"""Reading what ``python -m unittest`` prints, real output first."""

import subprocess
import sys
from pathlib import Path

import pytest

from tah_jupyter.models.sample.unittest_output import Failure, read_report

TESTS = """
import unittest
class T(unittest.TestCase):
    def test_equal(self): self.assertEqual(1 + 1, 3)
    def test_close(self): self.assertAlmostEqual(1.5, 1.7, places=2)
    def test_lists(self): self.assertEqual([1], [1, 2])
    def test_words(self): self.assertEqual("a", "b", "they differ")
    def test_true(self): self.assertTrue(False)
    def test_raises(self): {}["x"]
    def test_good(self): pass
    @unittest.skip("later")
    def test_later(self): pass
"""


def output_of(code: str, folder: Path) -> str:
    (folder / "test_it.py").write_text(code)
    command = [sys.executable, "-B", "-m", "unittest"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_red_tests_are_named_with_what_they_got_and_wanted(tmp_path: Path) -> None:
    report = read_report(output_of(TESTS, tmp_path))
    assert (report.ran, report.complete, report.green) == (8, True, False)
    assert set(report.failures) == {
        Failure("test_equal", "2", "3"),
        Failure("test_close", "1.5", "1.7"),
        Failure("test_lists", "[1]", "[1, 2]"),
        Failure("test_words", "'a'", "'b'"),
        Failure("test_true"),
        Failure("test_raises"),
    }


def test_green_tests_are_green(tmp_path: Path) -> None:
    report = read_report(
        output_of("import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n", tmp_path)
    )
    assert (report.ran, report.failures, report.green) == (1, (), True)


def test_no_tests_are_not_green(tmp_path: Path) -> None:
    assert not read_report(output_of("", tmp_path)).green


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Killed",
        "FAIL: test_a (t)\nAssertionError: 1 != 2",
        "OK",
        "Ran 3 tests in 1s",
        "Ran 3 tests in 1s\n\nFAILED (x)",
    ],
)
def test_without_a_verdict_it_is_not_complete(output: str) -> None:
    report = read_report(output)
    assert not report.complete
    assert not report.green
