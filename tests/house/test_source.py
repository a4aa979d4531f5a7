"""Rules of the house that a linter does not know: exports, sizes, and which call stands in which file."""

import ast
import sys
from collections.abc import Iterator

import pytest

from tests.house.source import Module, called, imported, modules

MAX_LINES = 400
MAX_FUNCTION_LINES = 60

PLACES = {
    "starts a process": (
        {
            "subprocess.Popen", "subprocess.run", "subprocess.call", "subprocess.check_output", "subprocess.check_call",
            "os.system", "os.popen", "os.posix_spawn", "os.posix_spawnp", "os.fork", "os.forkpty", "pty.fork",
            "pty.spawn", "anyio.open_process", "anyio.run_process",
            "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell",
        },
        {
            "host/processes/process.py": "the one place: own group, drained, ended as a tree",
            "host/processes/guard.py": "the shell that ends a command's group when the kernel dies",
            "jupyter/demo/checks.py": "the project's tests again, outside of the agent, as a person runs them",
        },
    ),
    "makes an HTTP client or a socket": (
        {
            "httpx.Client", "httpx.AsyncClient", "httpx.get", "httpx.post", "httpx.request", "httpx.stream",
            "urllib.request.urlopen", "socket.socket", "socket.create_connection",
            "asyncio.open_connection", "anyio.connect_tcp",
        },
        {"host/net.py": "the one place"},
    ),
    "opens a file": (
        {
            "open", "io.open", "os.open", "os.fdopen", "?.read_text", "?.read_bytes", "?.write_text", "?.write_bytes",
            "?.open",
        },
        {
            "host/files/atomic.py": "the workspace: writes beside the file, then replaces it",
            "host/processes/capture.py": "the output of a command, kept while it runs",
            "host/files/confine.py": "the workspace: opens below the root and checks what it opened",
            "host/search/walk.py": "the workspace: folders, and files to search, by descriptor below the root",
            "models/prices.py": "the price table inside litellm's package",
            "models/scripts/file.py": "the script that the person named",
            "runtime/config_sources.py": "the two config files, before there is a workspace",
            "sessions/lease.py": "the session's own folder",
            "sessions/log.py": "the session's own folder",
            "sessions/reading.py": "the session's own folder",
            "sessions/store.py": "the session's own folder",
        },
    ),
    "writes to a descriptor": (
        {"os.write", "os.pwrite", "os.writev"},
        {
            "host/files/atomic.py": "the new bytes of a file, before they replace the old",
            "sessions/lease.py": "who holds the log",
            "sessions/log.py": "the one place that appends to the log",
        },
    ),
    "turns values into HTML": (
        {"html.escape", "markupsafe.escape", "xml.sax.saxutils.escape"},
        {"ui/nodes.py": "the one place: every text and attribute of a record goes through it"},
    ),
}  # fmt: skip
"""What is done at one place, the calls that do it, and the files that may, each with its reason. These lists only
shrink.
"""

PATH_METHODS = ("read_text", "read_bytes", "write_text", "write_bytes")


def spelt(name: str) -> str:
    """A call as ``PLACES`` spells it: a method of a path whatever the path is called."""
    last = name.rpartition(".")[2]
    return f"?.{last}" if last in PATH_METHODS else name


def offences(calls: set[str]) -> Iterator[tuple[str, str]]:
    for module in modules():
        for name, line in called(module.tree):
            if spelt(name) in calls:
                yield module.name, f"{module.name}:{line} {name}"


@pytest.mark.parametrize("deed", PLACES)
def test_each_dangerous_deed_has_its_places(deed: str) -> None:
    calls, places = PLACES[deed]
    wrong = [where for name, where in offences(calls) if name not in places]
    assert not wrong, f"Only {', '.join(places)} {deed}: {wrong}"


@pytest.mark.parametrize("deed", PLACES)
def test_no_place_is_listed_that_no_longer_needs_it(deed: str) -> None:
    calls, places = PLACES[deed]
    assert not set(places) - {name for name, _ in offences(calls)}, "take it off the list"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_files_and_functions_have_one_job(module: Module) -> None:
    lines = module.text.count("\n")
    assert lines <= MAX_LINES, f"{module.name} has {lines} lines; a file of more than {MAX_LINES} has two jobs."
    functions = [node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES]
    assert not long, f"{module.name}: {long} have more than {MAX_FUNCTION_LINES} lines"


@pytest.mark.parametrize("module", [m for m in modules() if "__all__" in m.text], ids=lambda module: module.name)
def test_exports_exist_and_stand_once(module: Module) -> None:
    exports = _exports(module)
    assert len(exports) == len(set(exports)), "a name is exported twice"
    missing = [name for name in exports if name not in _names_of(module)]
    assert not missing, f"{module.name} exports what it does not have: {missing}"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_a_module_with_public_names_says_which(module: Module) -> None:
    public = [
        node.name
        for node in module.tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]
    assert not public or "__all__" in module.text or module.name.endswith("__init__.py"), public


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_every_module_says_what_it_is_for(module: Module) -> None:
    if module.text.strip() and module.name != "_version.py":
        assert ast.get_docstring(module.tree), f"{module.name} has no docstring"


@pytest.mark.parametrize("module", [m for m in modules() if m.room == "core"], ids=lambda module: module.name)
def test_core_is_pure(module: Module) -> None:
    allowed = set(sys.stdlib_module_names) | {"msgspec"}
    foreign = [
        name
        for name in imported(module.tree)
        if name.partition(".")[0] not in allowed and not name.startswith("tah_jupyter.core")
    ]
    assert not foreign, f"{module.name} imports {foreign}; core is values on msgspec and the standard library alone."


def test_nothing_treats_a_foreign_tool_specially() -> None:
    readers = {
        module.name
        for module in modules()
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.Attribute) and node.attr == "is_mcp" and isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.Constant) and node.value == "is_mcp")
    }
    assert {name for name in readers if not name.startswith("toolkit/")} == set()


def test_names_say_what_a_file_holds() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "base", "common", "misc"}
    parts = {part for module in modules() for part in module.name.removesuffix(".py").split("/")}
    assert not parts & vague


def _exports(module: Module) -> list[str]:
    found: list[str] = []
    for node in module.tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            value = node.value  # type: ignore[union-attr]
            found += ast.literal_eval(value) if isinstance(value, ast.List | ast.Tuple) else []
    return found


def _names_of(module: Module) -> set[str]:
    names = {
        name.id for name in ast.walk(module.tree) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    if any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in module.tree.body):
        names |= {n.value for n in ast.walk(module.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return names
