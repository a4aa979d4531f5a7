"""The tests of a sample project run in this process: hundreds of projects in the time of one interpreter's start."""

import sys
import unittest
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

__all__ = ["Ran", "run_here"]


class Ran(unittest.TestResult):
    """What came of it: the names of the tests that failed, and how many ran."""

    @property
    def red(self) -> list[str]:
        return sorted(str(test).partition(" ")[0] for test, _ in [*self.failures, *self.errors])


def run_here(files: Mapping[str, str], folder: Path) -> Ran:
    """Run the tests among ``files``; only the data is written, into ``folder``."""
    [table] = [path for path in files if path.endswith(".csv")]
    (folder / table).parent.mkdir(parents=True, exist_ok=True)
    (folder / table).write_text(files[table])
    [tests] = [path for path in files if path.startswith("test_")]
    package = tests.removeprefix("test_").removesuffix(".py")
    names = (package, f"{package}.load", f"{package}.totals")
    modules = {name: ModuleType(name) for name in names}
    try:
        sys.modules.update(modules)
        for name in names[1:]:
            _execute(modules[name], files[f"{name.replace('.', '/')}.py"], folder)
            setattr(modules[package], name.rpartition(".")[2], modules[name])
        module = ModuleType("sample_tests")
        module.__file__ = str(folder / tests)
        _execute(module, files[tests], folder)
        result = Ran()
        unittest.TestLoader().loadTestsFromModule(module).run(result)
        return result
    finally:
        for name in names:
            sys.modules.pop(name, None)


def _execute(module: ModuleType, text: str, folder: Path) -> None:
    exec(compile(text, str(folder / module.__name__), "exec"), module.__dict__)
