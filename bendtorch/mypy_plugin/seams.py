"""Readable mismatches: a call is typed so that each size may differ, and compared after mypy has inferred what it can.

`Seq(la: Layer[P1, X, Y1, S1], lb: Layer[P2, Y1, Z, S2])` uses Y1 twice. Left alone, mypy infers some join of the two
and reports an argument that does not fit it. So the signature hook gives the second Y1 a name of its own, and packs
both into the return type; mypy infers them independently; the function hook takes the pack apart, compares, and
reports `Seq: the first layer gives Mat[64, 128], the second takes Mat[64, 256]`.

The pack is a tuple `(Literal["bendtorch-pack:<plan>"], result, types...)`. What must be compared is written into the
literal, so nothing has to be remembered between the two hooks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from mypy.nodes import Context, Expression
from mypy.plugin import CheckerPluginInterface
from mypy.subtypes import is_subtype
from mypy.types import LiteralType, TupleType, Type, UninhabitedType, get_proper_type

from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.fixed import of_one_name
from bendtorch.mypy_plugin.middle import between, formulas
from bendtorch.mypy_plugin.picture import note_chain
from bendtorch.mypy_plugin.queries import has_bare_int
from bendtorch.mypy_plugin.remedies import conversion
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import Named, named_in, normalise, same
from bendtorch.mypy_plugin.vocabulary import BEND_DIM, BEND_SHAPE, NOT_STATIC

MARK: Final = "bendtorch-pack:"
NO_SOURCE: Final = -1
KEEPS: Final = {
    ("Residual", "gives"): "; a residual layer must keep its shape",
    ("Repeat", "gives"): "; a repeated layer must keep its shape",
    ("Fork", "takes"): "; both must take the same input",
    ("Tie", "has parameters"): "; tied layers share one set of parameters",
}
"""Why two things must be equal, where the names of the layers do not say it."""


@dataclass(frozen=True)
class Seam:
    """One part of an argument whose sizes are compared.

    `argument` is the index of the parameter, `what` and `verb` are how a message begins ("the first layer", "gives"),
    `at` is where its type stands in the pack: as it was given, then as it should be, then the compared pairs. For each
    pair, `sources` has the seam where the size was first seen; `plain` says that the part is the argument itself, so
    that a subtype fits too.
    """

    argument: int
    what: str
    verb: str
    at: int
    sources: tuple[int, ...]
    plain: bool


def pack(name: str, seams: Sequence[Seam], result: Type, types: list[Type], named: Named) -> TupleType:
    """The return type that carries what is to be compared."""
    plan = json.dumps([name, [asdict(seam) for seam in seams]]).encode()
    mark = LiteralType(MARK + plan.hex(), named("builtins.str", []))  # hex: no brackets, should mypy ever print it
    return TupleType([mark, result, *types], named("builtins.tuple", [named("builtins.object", [])]))


def unpack(
    t: Type,
    args: Sequence[Sequence[Expression]],
    context: Context,
    api: CheckerPluginInterface,
    reader: SizeReader,
) -> Type:
    """Compare what inference found, report the first mismatch of each seam, and give back the call's own result."""
    packed, named = get_proper_type(t), named_in(api)
    plan = _plan(packed)
    if plan is None or not isinstance(packed, TupleType):
        return normalise(t, named)
    name, seams = plan
    types = [normalise(item, named) for item in packed.items[2:]]
    if not any(isinstance(get_proper_type(item), UninhabitedType) for item in types):  # else mypy has reported
        _Comparison(name, seams, types, args, context, api, reader).report()
    return normalise(packed.items[1], named)


def _plan(t: Type) -> tuple[str, list[Seam]] | None:
    mark = get_proper_type(t.items[0]) if isinstance(t, TupleType) and t.items else None
    if not isinstance(mark, LiteralType) or not isinstance(mark.value, str) or not mark.value.startswith(MARK):
        return None
    name, seams = json.loads(bytes.fromhex(mark.value.removeprefix(MARK)))
    return name, [Seam(**{**seam, "sources": tuple(seam["sources"])}) for seam in seams]


@dataclass
class _Comparison:
    """The seams of one call, with the types that inference found."""

    name: str
    seams: list[Seam]
    types: list[Type]
    args: Sequence[Sequence[Expression]]
    context: Context
    api: CheckerPluginInterface
    reader: SizeReader

    def report(self) -> None:
        """One error for each seam that does not fit; in a chain, one for both seams of a layer."""
        said: set[int] = set()
        for number, seam in enumerate(self.seams):
            after = self._broken_behind(seam) if self.name == "Seq" else None
            if after is not None and number not in said and self._is_broken(seam):
                said.add(self.seams.index(after))
                self._report_both(seam, after)
            elif number not in said:
                self._report(seam)

    def _is_broken(self, seam: Seam) -> bool:
        pairs = range(seam.at + 2, seam.at + 2 + 2 * len(seam.sources), 2)
        return any(not same(self.types[at], self.types[at + 1]) for at in pairs)

    def _broken_behind(self, seam: Seam) -> Seam | None:
        """The seam on the other side of the layer whose input meets here, if that does not fit either."""
        if seam.verb != "takes":
            return None
        behind = (s for s in self.seams if s.verb == "takes" and s.argument == seam.argument + 1)
        return next((s for s in behind if self._is_broken(s)), None)

    def _report_both(self, seam: Seam, after: Seam) -> None:
        first, gives = (self.seams[source] for source in (seam.sources[0], after.sources[0]))
        own = (self.types[seam.at], self.types[gives.at])
        before = first.what.replace(" layer", ""), self.types[first.at]
        message = between(seam.what, own, before, (after.what.replace(" layer", ""), self.types[after.at]))
        self.api.fail(f"{self.name}: {message}", self._place(seam), code=BEND_SHAPE)
        note_chain([e for given in self.args for e in given], self._place(seam), self.api)

    def _report(self, seam: Seam) -> None:
        for number, source in enumerate(seam.sources):
            want, got = self.types[seam.at + 2 + 2 * number], self.types[seam.at + 3 + 2 * number]
            if not self._fits(seam, source, got, want):
                # of the argument itself, not of a part of its type
                way = conversion(show(got), show(want)) if seam.plain and same(got, self.types[seam.at]) else ""
                why = way + of_one_name(got, want) + KEEPS.get((self.name, seam.verb), "")
                message = f"{self.name}: {self._message(seam, source, *self._formulas(seam, source, want, got))}{why}"
                self.api.fail(message, self._place(seam), code=BEND_SHAPE)
                if self.name == "Seq":
                    note_chain([e for given in self.args for e in given], self._place(seam), self.api)
                return
            if source >= 0 and self._is_layers(seam, self.seams[source]) and has_bare_int(got):
                message = f"{self._full(seam)}, {NOT_STATIC}"
                self.api.fail(f"{self.name}: {message}", self._place(seam), code=BEND_DIM)
                return

    def _fits(self, seam: Seam, source: int, got: Type, want: Type) -> bool:
        if same(got, want):
            return True
        source_is_plain = source >= 0 and self.seams[source].plain
        return (seam.plain and is_subtype(got, want)) or (source_is_plain and is_subtype(want, got))

    def _formulas(self, seam: Seam, source: int, want: Type, got: Type) -> tuple[str, str]:
        """Where the sizes come from, of layers in a row."""
        if self.name != "Seq" or source == NO_SOURCE or seam.verb != "takes":
            return "", ""
        left, right = self._place(self.seams[source]), self._place(seam)
        if not isinstance(left, Expression) or not isinstance(right, Expression) or left is right:
            return "", ""
        return formulas(left, right, want, got, self.api, self.reader)

    def _message(self, seam: Seam, source: int, given: str, taken: str) -> str:
        here = self._full(seam)
        first = seam if source == NO_SOURCE else self.seams[source]
        if first is seam:
            return f"{here}, expected {show(self.types[seam.at + 1])}"
        if first.argument == seam.argument:
            here = f"{seam.verb} {show(self.types[seam.at])}"
        elif first.what.endswith(" layer"):
            here = here.replace(" layer", "", 1)
        return f"{self._full(first)}{given}, {here}{taken}"

    def _full(self, seam: Seam) -> str:
        return f"{seam.what} {seam.verb} {show(self.types[seam.at])}"

    def _place(self, seam: Seam) -> Context:
        given = self.args[seam.argument] if seam.argument < len(self.args) else ()
        return given[0] if given else self.context

    def _is_layers(self, one: Seam, other: Seam) -> bool:
        """Whether two layers meet here, whose sizes must both be known."""
        return one.what.endswith(" layer") and other.what.endswith(" layer") and one.argument != other.argument
