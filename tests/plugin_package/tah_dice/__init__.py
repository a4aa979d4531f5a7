"""A package of somebody else: it brings one tool by the entry point ``tah_jupyter.plugins``."""

from tah_jupyter import TOOLS, Context, Headline, Tool, ToolContext, ToolInput, ToolResult
from tah_jupyter.core.approvals import Preview
from tah_jupyter.core.views import Facts, Text


class RollInput(ToolInput):
    """How many sides."""

    sides: int = 6


class Roll(Tool[RollInput, int]):
    """Roll a die that always shows its highest number."""

    name = "roll_dice"
    input_model = RollInput

    def headline(self, input: RollInput) -> Headline:
        return Headline("Roll", f"a die with {input.sides} sides")

    async def preview(self, input: RollInput, ctx: ToolContext) -> Preview:
        return Preview(Facts((("sides", str(input.sides)),)))

    async def execute(self, input: RollInput, ctx: ToolContext) -> ToolResult[int]:
        return ToolResult(input.sides, f"rolled {input.sides}", view=Text(f"It shows {input.sides}."))


class DicePlugin:
    """Registers the tool."""

    name = "dice"
    requires = ("tools",)

    def setup(self, ctx: Context) -> None:
        ctx.get(TOOLS).register(Roll(), owner="tah_dice")
