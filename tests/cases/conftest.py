"""The notebook cases run in the same real kernels as tests/kernel."""

from tests.kernel.conftest import open_kernel, project

__all__ = ["open_kernel", "project"]
