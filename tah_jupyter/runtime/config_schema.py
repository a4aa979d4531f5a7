"""Every key of ``tah.config.json``, once. Checking, merging and the published JSON Schema all read this table."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

__all__ = ["CONFIG", "SCHEMA_ID", "Key", "is_group", "json_schema", "leaves", "variable"]

SCHEMA_ID = "tah.config.schema.json"

Kind = Literal["text", "whole", "flag", "list", "section", "table", "anything"]
InProject = Literal["inert", "counts", "adds", "lowers", "tightens"]


class Key(NamedTuple):
    """One key: the JSON value it takes, and what a folder's own file may do with it.

    ``section`` is a closed object of ``keys``, ``table`` an open one whose every value is an ``item``, as is every
    entry of a ``list``. A section needs its ``required`` keys, unless one in ``required_unless`` has the value given
    there; with ``or_flag`` it may also be just true or false. ``by_hand`` are choices that only a
    command of the person makes, never a file or a variable.

    ``in_project`` says how the value counts when it comes from a file of the workspace, which whoever wrote the folder
    may have chosen (law 8): not at all, fully, as more entries, only when lower, or only when it is one of ``tight``
    and the value in force is not.
    """

    doc: str
    kind: Kind = "section"
    default: Any = None
    keys: Mapping[str, "Key"] = {}
    item: "Key | None" = None
    choices: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    pattern: str = ""
    pattern_says: str = ""
    least: int | None = None
    most: int | None = None
    required: tuple[str, ...] = ()
    required_unless: Mapping[str, str] = {}
    or_flag: bool = False
    in_project: InProject = "inert"
    tight: tuple[str, ...] = ()
    secret: bool = False
    later: bool = False


def _later(doc: str, kind: Kind = "section") -> Key:
    return Key(f"{doc} Not used by this version.", "anything" if kind == "section" else kind, later=True)


_RULE = Key(
    "The name of a tool.",
    "text",
    pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$",
    pattern_says="the plain name of a tool, such as edit_file (this version reads no patterns)",
)
_VARIABLE = Key(
    "The name of an environment variable.",
    "text",
    pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
    pattern_says="the name of an environment variable, never the secret itself",
)
_FOLDER = Key(
    "A folder, from / or ~.",
    "text",
    pattern=r"^(?:/|~(?:/|$))",
    pattern_says="the whole path of a folder, from / or ~, because it counts for every workspace",
)
_ENDPOINT = Key(
    "A model: where it answers and what it is called there.",
    keys={
        "baseUrl": Key(
            "Where it answers, as in http://127.0.0.1:11434/v1; not needed for a provider that litellm knows.",
            "text",
            pattern=r"^https?://[^\s/@?#]+(?:/[^\s@?#]*)?$",
            pattern_says="an http or https address without a name, password, query or fragment in it",
        ),
        "model": Key(
            "The model's name there; the entry's own name when absent. For litellm, PROVIDER/MODEL.",
            "text",
            pattern=r"\S",
        ),
        "route": Key(
            "How it is spoken to: direct for OpenAI's chat completions, litellm for everything else.",
            "text",
            default="direct",
            choices=("direct", "litellm"),
        ),
        "apiKeyEnv": _VARIABLE._replace(doc="The environment variable that holds its key; none is sent when absent."),
        "contextWindow": Key("How many tokens fit into one request.", "whole", least=256),
        "headers": Key(
            "More HTTP headers for its requests.", "table", item=Key("The header's value.", "text"), secret=True
        ),
    },
    required=("baseUrl",),
    required_unless={"route": "litellm"},
)

CONFIG = Key(
    "Settings of tah_jupyter.",
    keys={
        "$schema": Key("Where an editor finds this schema.", "text", in_project="counts"),
        "model": Key(
            "The model of a new session: a key of models, or a name that a route knows.", "text", pattern=r"\S"
        ),
        "models": Key("Endpoints by name.", "table", item=_ENDPOINT),
        "fallbackModels": Key(
            "Models to go on with when one fails, in this order; each change is said.",
            "list",
            default=(),
            item=Key("A name as for model.", "text", pattern=r"\S"),
        ),
        "permissions": Key(
            "What may run. Rules of all files add up; deny comes before ask, ask before allow.",
            keys={
                "mode": Key(
                    "What happens to calls that no rule decides. Allowing everything cannot be set in a file.",
                    "text",
                    default="default",
                    choices=("default", "accept_edits", "plan", "dont_ask"),
                    by_hand=("bypass",),
                    in_project="tightens",
                    tight=("plan", "dont_ask"),
                ),
                "allow": Key("Tools that run without a question.", "list", default=(), item=_RULE),
                "ask": Key("Tools that always ask.", "list", default=(), item=_RULE, in_project="adds"),
                "deny": Key("Tools that are refused and hidden.", "list", default=(), item=_RULE, in_project="adds"),
            },
        ),
        "budget": Key(
            "Where a run asks whether to go on, or ends when nobody can answer.",
            keys={"maxTurns": Key("Turns of a run.", "whole", default=50, least=1, in_project="lowers")},
        ),
        "folders": Key(
            "Folders beside the workspace's own.",
            keys={
                "change": Key(
                    "Their files may be read and, where you allow it, changed.", "list", default=(), item=_FOLDER
                ),
                "read": Key("Their files may be read.", "list", default=(), item=_FOLDER),
            },
        ),
        "session": Key(
            "Where sessions are kept.",
            keys={"dir": Key("A folder instead of .tah/sessions in the workspace; ~ is home.", "text", pattern=r"\S")},
        ),
        "ui": Key(
            "How it looks.",
            keys={
                "language": Key(
                    "The language of the words.",
                    "text",
                    default="auto",
                    choices=("auto", "en", "zh"),
                    in_project="counts",
                ),
                "height": Key(
                    "The height of a run's frame in CSS pixels.",
                    "whole",
                    default=320,
                    least=120,
                    most=2000,
                    in_project="counts",
                ),
            },
        ),
        "capabilities": Key(
            "Kinds of work that are offered to the model.",
            keys={
                "coding": Key(
                    "Reading and changing files, and running commands.",
                    default=True,
                    or_flag=True,
                    keys={"exec": Key("Running commands.", "flag", default=True)},
                ),
                "vision": Key("Whether the model can see pictures; decided by the model when absent.", "flag"),
                "web": _later("Reading web pages.", "flag"),
            },
        ),
        "env": Key(
            "The environment of commands.",
            keys={
                "pass": Key(
                    "Variables that commands see beyond the usual harmless ones.", "list", default=(), item=_VARIABLE
                )
            },
        ),
        "hooks": _later("Commands that run at events."),
        "web": _later("Fetching and searching the web."),
        "browser": _later("The browser."),
        "mcpServers": _later("Servers of the Model Context Protocol."),
        "agents": _later("Kinds of sub-agents."),
        "skills": _later("Folders with skills."),
        "features": _later("Switches of experimental parts."),
        "extensions": _later("Settings of extensions."),
    },
)


def leaves(key: Key = CONFIG, above: str = "") -> Iterator[tuple[str, Key]]:
    """Every key that holds a value of its own, with its dotted path; each entry of a table is a value too, by its
    name.
    """
    for name, below in key.keys.items():
        if is_group(below):
            yield from leaves(below, f"{above}{name}.")
        else:
            yield f"{above}{name}", below


def is_group(key: Key) -> bool:
    """Whether ``key`` only holds other keys together."""
    return key.kind == "section" and not key.or_flag


def variable(path: str) -> str:
    """The environment variable of a dotted path.

    >>> variable("budget.maxTurns")
    'TAH_BUDGET_MAX_TURNS'
    """
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in path)
    return f"TAH_{words.replace('.', '_').upper()}"


_JSON_TYPES = {"text": "string", "whole": "integer", "flag": "boolean", "list": "array", "table": "object"}


def json_schema() -> dict[str, Any]:
    """The table as JSON Schema (draft 2020-12), for editors; ``tests/house`` keeps the published file equal to it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "tah.config.json",
        **_schema_of(CONFIG),
    }


def _schema_of(key: Key) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": key.doc}
    if key.kind == "section":
        schema |= {
            "type": ["object", "boolean"] if key.or_flag else "object",
            "properties": {name: _schema_of(below) for name, below in key.keys.items()},
            "additionalProperties": False,
        }
    elif key.kind != "anything":
        schema["type"] = _JSON_TYPES[key.kind]
    if key.item is not None:
        schema["items" if key.kind == "list" else "additionalProperties"] = _schema_of(key.item)
    required = () if key.required_unless else key.required
    bounds = {"enum": key.choices, "pattern": key.pattern, "required": required}
    schema |= {name: list(value) if isinstance(value, tuple) else value for name, value in bounds.items() if value}
    if key.required_unless:
        except_where = {name: {"const": value} for name, value in key.required_unless.items()}
        exempt = {"properties": except_where, "required": list(except_where)}
        schema["anyOf"] = [{"required": list(key.required)}, exempt]
    limits = {"minimum": key.least, "maximum": key.most}
    schema |= {name: value for name, value in limits.items() if value is not None}
    if key.default is not None:
        schema["default"] = list(key.default) if isinstance(key.default, tuple) else key.default
    return schema
