"""Composition: L1 to L5, L7, L8, L22, L23."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bendtorch.laws.proofs.opaque import Held
from bendtorch.laws.proofs.setting import Names, Setting, held
from bendtorch.laws.proofs.terms import ZERO, Value, one
from bendtorch.laws.proofs.theorem import Sides, Theorem
from bendtorch.layer.variant import Copy

COPIES: Final = 6  # the longest chains that are run; the step from any number to the next is proved besides


def _associative(s: Setting) -> Iterator[Sides]:
    f, g, h = s.layer("f", "X", "Y"), s.layer("g", "Y", "Z"), s.layer("h", "Z", "W")
    left = s.passes(s.row(s.row(f, g), h), (("f", "g"), "h"))
    yield "(f;g);h and f;(g;h)", left, s.passes(s.row(f, s.row(g, h)), ("f", ("g", "h")))
    yield "(f;g);h and Seq(f, g, h)", left, s.passes(s.of.Seq(f, g, h), ("f", ("g", "h")))


def _chains(s: Setting) -> Iterator[Sides]:
    layers = [s.layer(f"f{i}", "X", "X") for i in range(COPIES)]
    for count in range(2, COPIES + 1):
        some, names = layers[:count], [f"f{i}" for i in range(count)]
        nested: Names = names[-1]
        for name in reversed(names[:-1]):
            nested = (name, nested)
        step = s.row(some[0], some[1] if count == 2 else s.of.Seq(*some[1:]))
        whole = s.passes(s.of.Seq(*some), nested)
        yield f"Seq of {count} and its first, then the rest", whole, s.passes(step, nested)


def _neutral(s: Setting) -> Iterator[Sides]:
    f = s.layer("f", "X", "Y")
    alone = s.passes(f, "f")
    yield "Id;f and f", s.passes(s.row(s.wire("Id", "X"), f), ((), "f")), alone
    yield "f;Id and f", s.passes(s.row(f, s.wire("Id", "Y")), ("f", ())), alone


def _in_a_row(s: Setting) -> tuple[Any, dict[str, Value], dict[str, Value], dict[str, Value]]:
    """The passes of f;g beside those of f and g called one after the other: their y, dx and gradients."""
    f, g = s.layer("f", "X", "Y"), s.layer("g", "Y", "Z")
    p, q, x = held("f", "p"), held("g", "p"), s.unknown(s.spec("X"), "x")
    first = f.fwd(p, x)
    second = g.fwd(q, first.y)
    back = g.bwd(q, second.s, s.unknown(s.spec("Z"), "dy"), held("g", "g"))
    front = f.bwd(p, first.s, back.dx, held("f", "g"))
    gradients = {"the gradient of f": front.g.value, "the gradient of g": back.g.value}
    whole = s.passes(s.row(f, g), ("f", "g"))
    return whole, {"y": s.world.read(second.y)}, {"dx": s.world.read(front.dx)}, gradients


def _forward(s: Setting) -> Iterator[Sides]:
    whole, y, _, _ = _in_a_row(s)
    yield "F of f;g and G(F(x))", {"y": whole["y"]}, y


def _backward(s: Setting) -> Iterator[Sides]:
    whole, _, dx, _ = _in_a_row(s)
    yield "B of f;g and B_f(x, B_g(F(x), dy))", {"dx": whole["dx"]}, dx


def _pairs(s: Setting) -> Iterator[Sides]:
    whole, _, _, gradients = _in_a_row(s)
    yield "dp of f;g and the pair", {name: whole[name] for name in gradients}, gradients


def _interchange(s: Setting) -> Iterator[Sides]:
    f, g, h, k = s.layer("f", "X", "Y"), s.layer("g", "Y", "Z"), s.layer("h", "U", "V"), s.layer("k", "V", "W")
    one_way = s.of.Both(s.row(f, g), s.row(h, k))
    other = s.row(s.of.Both(f, h), s.of.Both(g, k))
    yield (
        "(f;g)⊗(h;k) and (f⊗h);(g⊗k)",
        s.passes(one_way, (("f", "g"), ("h", "k"))),
        s.passes(other, (("f", "h"), ("g", "k"))),
    )


def _both_is_associative(s: Setting) -> Iterator[Sides]:
    f, g, h = s.layer("f", "X", "U"), s.layer("g", "Y", "V"), s.layer("h", "Z", "W")
    left = s.row(s.of.Both(s.of.Both(f, g), h), s.wire("Assoc", "U", "V", "W"))
    right = s.row(s.wire("Assoc", "X", "Y", "Z"), s.of.Both(f, s.of.Both(g, h)))
    names: tuple[Names, Names] = ((("f", "g"), "h"), ()), ((), ("f", ("g", "h")))
    yield "(f⊗g)⊗h and f⊗(g⊗h), re-bracketed", s.passes(left, names[0]), s.passes(right, names[1])


def _permuted(s: Setting) -> Iterator[Sides]:
    f, g = s.layer("f", "X", "U"), s.layer("g", "Y", "V")
    swapped = s.row(s.wire("Swap", "X", "Y"), s.of.Both(g, f), s.wire("Swap", "V", "U"))
    yield "f⊗g and g⊗f between swaps", s.passes(s.of.Both(f, g), ("f", "g")), s.passes(swapped, (((), ("g", "f")), ()))
    h = s.layer("h", "X", "V")
    forked = s.row(s.of.Fork(h, f), s.wire("Swap", "V", "U"))
    yield "Fork(f, h) and Fork(h, f);σ", s.passes(s.of.Fork(f, h), ("f", "h")), s.passes(forked, (("h", "f"), ()))


def _repeated(s: Setting) -> Iterator[Sides]:
    f = s.layer("f", "X", "X")
    chained, nested = f, _copy(0)
    for k in range(1, COPIES + 1):
        if k > 1:
            chained, nested = s.row(chained, f), (nested, _copy(k - 1))
        repeated = s.passes(s.of.Repeat(k, f), tuple(_copy(i) for i in range(k)))
        yield f"Repeat({k}, f) and the chain of {k}", repeated, s.passes(chained, nested)
    rest = s.layer("r", "X", "X")
    copies = [rest, f]
    varying = s.layer("f", "X", "X", vary=lambda mode: copies[mode.index if isinstance(mode, Copy) else 0])
    step = s.passes(s.of.Repeat(2, varying), ("r", "f"))
    yield "copies of which the first are any layer r, and r;f", step, s.passes(s.row(rest, f), ("r", "f"))


def _copy(i: int) -> Names:
    return f"f#{i}"


def _zeros(s: Setting) -> Iterator[Sides]:
    f, g = s.layer("f", "X", "X"), s.layer("g", "X", "X")
    for name, layer in (("f;g", s.row(f, g)), ("f⊗g", s.of.Both(f, g)), ("Repeat(2, f)", s.of.Repeat(2, f))):
        zeros = layer.zeros()
        parts = tuple(part.value if isinstance(part, Held) else one("no parameters of a layer") for part in zeros)
        yield f"zeros of {name}", {"p": parts}, {"p": (ZERO, ZERO)}


THEOREMS: Final = (
    Theorem("L1", "(f;g);h ≡ f;(g;h)", _associative),
    Theorem("L1", "Seq(a, b, ...) ≡ a;Seq(b, ...)", _chains, f"all layers, chains of 2 to {COPIES}"),
    Theorem("L2", "Id;f ≡ f ≡ f;Id", _neutral),
    Theorem("L3", "F of f;g is composition", _forward),
    Theorem("L4", "B of f;g is B_f(x, B_g(F x, d))", _backward),
    Theorem("L5", "dp of f;g is the pair", _pairs),
    Theorem("L5", "zeros of a composite are those of its parts", _zeros),
    Theorem("L7", "(f;g)⊗(h;k) ≡ (f⊗h);(g⊗k)", _interchange),
    Theorem("L8", "(f⊗g)⊗h ≡ f⊗(g⊗h)", _both_is_associative),
    Theorem("L22", "permuted parts give permuted gradients", _permuted),
    Theorem(
        "L23",
        "Repeat(k, f) is the chain of k",
        _repeated,
        f"all layers, k = 1 to {COPIES} and the step from any k to the next",
    ),
)
