"""The packages that matter here, by the versions that are installed for this kernel."""

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from tah_jupyter._version import __version__
from tah_jupyter.jupyter.doctor.finding import Check, Finding, Here

__all__ = ["CHECKS", "version_of"]

_PACKAGES = ("litellm", "httpx", "anyio", "pydantic", "ipywidgets", "jupyterlab", "notebook")


def version_of(package: str) -> str:
    """Its installed version, empty when it is not there. Nothing is imported."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _versions(here: Here) -> Iterator[Finding]:
    found = [f"{package} {version_of(package)}" for package in _PACKAGES if version_of(package)]
    yield here.find("versions", "good", "doctor_versions_are", version=__version__, packages=", ".join(found))


CHECKS: tuple[Check, ...] = (_versions,)
