from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.kernel.front_end import FrontEnd, kernel_in
from tests.kernel.project import Project

Open = Callable[..., FrontEnd]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(folder)


@pytest.fixture
def open_kernel(project: Project) -> Iterator[Open]:
    """Starts a kernel in the project with the extension loaded; ``hello`` and ``subshell`` as in FrontEnd."""
    with ExitStack() as stack:

        def start(**options: bool) -> FrontEnd:
            front_end = stack.enter_context(kernel_in(project.folder, env=project.env, **options))
            loaded = front_end.run("%load_ext tah_jupyter")
            assert loaded.status == "ok", loaded.text
            return front_end

        yield start
