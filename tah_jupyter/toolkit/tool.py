"""The interface of a tool. A new tool is one file that subclasses :class:`Tool` or decorates a function with
:func:`tool`.

Every default is the safe answer: not concurrency-safe, not read-only, asks before it runs.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Generic, Literal, TypeVar, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationInfo, create_model, field_validator
from pydantic.fields import FieldInfo

from tah_jupyter.core.approvals import Grant, Preview, Subject
from tah_jupyter.core.calls import Change, Headline
from tah_jupyter.core.views import Facts, Text, View
from tah_jupyter.runtime.tool_context import AppState, ToolContext

__all__ = ["ContextModifier", "Tool", "ToolInput", "ToolResult", "Verdict", "tool"]

I = TypeVar("I")  # noqa: E741 - Input, as in Tool[I, O]
O = TypeVar("O")  # noqa: E741
ContextModifier = Callable[[AppState], AppState]


class ToolInput(BaseModel):
    """Base of tool inputs: unknown fields are refused, values are frozen, so what was approved is what runs."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_truth_as_number(cls, value: Any, info: ValidationInfo) -> Any:
        """Text that reads as a number is taken for one, but ``true`` is not 1: it was meant for another field."""
        if isinstance(value, bool) and cls.model_fields[info.field_name or ""].annotation is int:
            raise ValueError("it must be a number, not true or false")
        return value


class ToolResult(Generic[O]):
    """What a call gives back.

    ``data`` for code, ``text`` for the model, ``view`` for people (default: the text). ``new_messages`` join the
    conversation as the user's. ``context_modifier`` changes the session's state for later calls; it is honoured only
    for a tool that is not concurrency-safe.
    """

    __slots__ = ("changes", "context_modifier", "data", "mcp_meta", "new_messages", "text", "view")

    def __init__(
        self,
        data: O,
        text: str,
        *,
        view: View | None = None,
        changes: tuple[Change, ...] = (),
        new_messages: tuple[str, ...] = (),
        context_modifier: ContextModifier | None = None,
        mcp_meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.data = data
        self.text = text
        self.view = view
        self.changes = changes
        self.new_messages = new_messages
        self.context_modifier = context_modifier
        self.mcp_meta = mcp_meta


Verdict = Literal["allow", "ask", "deny"]


class Tool(ABC, Generic[I, O]):
    """One tool. Subclass it, set ``name`` and ``input_model``, write :meth:`description` and :meth:`execute`."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    capability: str = ""
    """The kind of work it belongs to, as config's ``capabilities`` name it; empty: always there."""
    is_mcp: bool = False
    input_model: ClassVar[type[BaseModel] | None] = None
    input_schema: Mapping[str, Any] | None = None
    interrupt_behavior: Literal["cancel", "block"] = "cancel"
    stops_siblings: bool = False
    should_defer: bool = False
    max_result_chars: int = 30_000

    def description(self) -> str:
        """One line: what it does. People see it, and the model, unless :meth:`prompt` says more."""
        return (inspect.getdoc(type(self)) or "").partition("\n")[0]

    def prompt(self) -> str:
        """What the model is told: when to use it and how."""
        return self.description()

    def guidance(self) -> str:
        """A line for the system prompt, where having the tool changes how all work is done; mostly empty."""
        return ""

    @abstractmethod
    async def execute(self, input: I, ctx: ToolContext) -> ToolResult[O]:
        """Do it. Raise ToolError to tell the model what went wrong and what to do next."""

    def is_enabled(self) -> bool:
        """Whether it is offered at all, asked at registration and between turns."""
        return True

    def is_concurrency_safe(self, input: I) -> bool:
        """Whether this call may run beside others that say the same."""
        return False

    def is_read_only(self, input: I) -> bool:
        """Whether this call changes nothing; such calls pass without a question."""
        return False

    def is_destructive(self, input: I) -> bool:
        """Whether this call does what cannot be taken back; it asks whatever a pattern rule or the mode says."""
        return False

    def is_search_or_read(self, input: I) -> bool:
        """Whether people need not look at it: shown folded."""
        return False

    def requires_user_interaction(self) -> bool:
        """Whether every call needs the person, in every mode."""
        return False

    def check_permissions(self, input: I, ctx: ToolContext) -> Verdict:
        """The tool's own word, asked after rules and grants; read-only calls pass."""
        return "allow" if self.is_read_only(input) else "ask"

    def subject(self, input: I, ctx: ToolContext) -> Subject | None:
        """What the call is about, for rules, grants and protected paths: a path or a command."""
        return None

    def grant(self, input: I, ctx: ToolContext) -> Grant | None:
        """The narrowest useful thing that "allow for this run" could cover; None when it may only be allowed once."""
        return None

    def headline(self, input: I) -> Headline:
        """The call in one line for people."""
        first = next(iter(_fields(input).values()), "")
        return Headline(self.name, str(first)[:120])

    async def preview(self, input: I, ctx: ToolContext) -> Preview:
        """What the person sees before it runs, and the fingerprint of what that was shown against. Raise ToolError
        when it cannot work.
        """
        return Preview(Facts(tuple((name, _shown(value)) for name, value in _fields(input).items())))

    def render(self, result: ToolResult[O]) -> View:
        """The result for people."""
        return result.view or Text(result.text)


def _fields(input: object) -> dict[str, Any]:
    if isinstance(input, BaseModel):
        return input.model_dump()
    return dict(input) if isinstance(input, Mapping) else {"input": input}


def _shown(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


class _FunctionTool(Tool[BaseModel, Any]):
    def __init__(self, function: Callable[..., Any], *, read_only: bool, concurrency_safe: bool) -> None:
        self.name = function.__name__  # type: ignore[misc]  # one class serves many functions
        self.input_model = _input_model(function)  # type: ignore[misc]
        self._function = function
        self._takes_context = "ctx" in inspect.signature(function).parameters
        self._read_only = read_only
        self._concurrency_safe = concurrency_safe

    def description(self) -> str:
        return (inspect.getdoc(self._function) or self.name).strip()

    def is_read_only(self, input: BaseModel) -> bool:
        return self._read_only

    def is_concurrency_safe(self, input: BaseModel) -> bool:
        return self._concurrency_safe

    async def execute(self, input: BaseModel, ctx: ToolContext) -> ToolResult[Any]:
        values = {name: getattr(input, name) for name in type(input).model_fields}
        if self._takes_context:
            values["ctx"] = ctx
        value = self._function(**values)
        value = await value if inspect.isawaitable(value) else value
        return (
            value
            if isinstance(value, ToolResult)
            else ToolResult(value, value if isinstance(value, str) else repr(value))
        )


def _input_model(function: Callable[..., Any]) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "ctx":
            continue
        default = (
            FieldInfo(annotation=hints.get(name, Any)) if parameter.default is parameter.empty else parameter.default
        )
        fields[name] = (hints.get(name, Any), default)
    return cast(type[BaseModel], create_model(f"{function.__name__}_input", __base__=ToolInput, **fields))


def tool(
    *, read_only: bool = False, concurrency_safe: bool | None = None
) -> Callable[[Callable[..., Any | Awaitable[Any]]], Tool[BaseModel, Any]]:
    """Make a tool of a typed function; its docstring is the description, a parameter named ``ctx`` gets the
    ToolContext.

    >>> @tool(read_only=True)
    ... def add(a: int, b: int) -> int:
    ...     "Add two numbers."
    ...     return a + b
    >>> add.name, add.description(), sorted(add.input_model.model_fields)
    ('add', 'Add two numbers.', ['a', 'b'])
    """
    safe = read_only if concurrency_safe is None else concurrency_safe
    return lambda function: _FunctionTool(function, read_only=read_only, concurrency_safe=safe)
