"""A layer in the middle of a chain that fits neither of its neighbours: one wrong width, and one error for it."""

from __future__ import annotations

from dataclasses import dataclass

from mypy.nodes import Expression, OpExpr
from mypy.plugin import CheckerPluginInterface
from mypy.types import Type

from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.fixed import of_one_name
from bendtorch.mypy_plugin.formula import INPUT, OUTPUT, formula_of
from bendtorch.mypy_plugin.picture import layer_of, name_of
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import named_in, normalise, same


@dataclass(frozen=True)
class Seam:
    """Where two layers meet by `>>`: what the left one gives, and what the right one takes; the whole expression."""

    gives: Type
    takes: Type
    whole: OpExpr | None
    right: Expression | None

    @property
    def left(self) -> Expression | None:
        """The call of the layer on the left."""
        return _last(self.whole.left) if self.whole is not None else None

    @property
    def names(self) -> tuple[str, str]:
        """What the user calls the two layers: in `a >> b >> c` those that meet last are b and c."""
        one, other = name_of(self.left), name_of(self.right)
        if one == other:  # the name would not tell which
            return (f"the left {one}", f"the right {one}") if one else ("the left layer", "the right")
        return one or "the left layer", other or "the right layer"

    def message(self, api: CheckerPluginInterface, reader: SizeReader) -> str:
        """What is reported where it does not fit."""
        one, other = self.names
        worked_out, wanted = formulas(self.left, self.right, self.gives, self.takes, api, reader)
        why = wanted + of_one_name(self.gives, self.takes)
        return f">>: {one} gives {show(self.gives)}{worked_out}, {other} takes {show(self.takes)}{why}"


def formulas(
    left: Expression | None,
    right: Expression | None,
    gives: Type,
    takes: Type,
    api: CheckerPluginInterface,
    reader: SizeReader,
) -> tuple[str, str]:
    """Where the sizes come from in which two layers do not meet: those of what is given, and of what is taken."""
    given = formula_of(left, OUTPUT, gives, takes, api, reader)
    return given, formula_of(right, INPUT, gives, takes, api, reader)


def seam_before(seam: Seam, api: CheckerPluginInterface) -> Seam | None:
    """The seam on the other side of the layer on the left, if that does not fit either."""
    whole = seam.whole.left if seam.whole is not None else None
    if not isinstance(whole, OpExpr) or whole.op != ">>":
        return None
    left, right = layer_of(whole.left, api), layer_of(whole.right, api)
    if left is None or right is None:
        return None
    gives, takes = (normalise(t, named_in(api)) for t in (left.args[2], right.args[1]))
    return None if same(gives, takes) else Seam(gives, takes, whole, whole.right)


def message_of_two(before: Seam, after: Seam) -> str:
    """One error for two seams of `>>`."""
    middle = name_of(before.right) or "the middle layer"
    first, last = name_of(before.left), name_of(after.right)
    return ">>: " + between(
        middle,
        (before.takes, after.gives),
        (f"{first or 'the layer'} before it", before.gives),
        (f"{last or 'the layer'} behind it", after.takes),
    )


def between(middle: str, own: tuple[Type, Type], before: tuple[str, Type], after: tuple[str, Type]) -> str:
    """What a layer takes and gives, and what its neighbours give and take."""
    takes, gives = map(show, own)
    what = f"takes and gives {takes}" if takes == gives else f"takes {takes} and gives {gives}"
    return f"{middle} {what}, but {before[0]} gives {show(before[1])} and {after[0]} takes {show(after[1])}"


def _last(e: Expression) -> Expression:
    """The last layer of a chain."""
    while isinstance(e, OpExpr) and e.op == ">>":
        e = e.right
    return e
