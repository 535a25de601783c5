"""Wiring, sums and products: L6, L9 to L21."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bendtorch.laws.proofs.setting import Setting, held
from bendtorch.laws.proofs.terms import ZERO, Sum, Value, one
from bendtorch.laws.proofs.theorem import Sides, Theorem

VALUES: Final = "all matrices"
LINEAR: Final = "the backward pass of f is linear in dy (L24)"


def _moved(y: Value, dx: Value) -> dict[str, Value]:
    """What a layer does that only moves values."""
    return {"y": y, "dx": dx, "what is saved": ()}


def _pair(name: str) -> tuple[Sum, Sum]:
    return one(f"{name}.0"), one(f"{name}.1")


def _identities(s: Setting) -> Iterator[Sides]:
    both = s.of.Both(s.wire("Id", "X"), s.wire("Id", "Y"))
    yield "Id⊗Id and the identity of pairs", s.passes(both, ((), ())), _moved(_pair("x"), _pair("dy"))


def _swapped_twice(s: Setting) -> Iterator[Sides]:
    twice = s.row(s.wire("Swap", "X", "Y"), s.wire("Swap", "Y", "X"))
    yield "σ;σ and the identity of pairs", s.passes(twice, ((), ())), _moved(_pair("x"), _pair("dy"))
    (a, b), (d, e) = _pair("x"), _pair("dy")
    yield "σ and swapped values", s.passes(s.wire("Swap", "X", "Y"), ()), _moved((b, a), (e, d))


def _swap_is_natural(s: Setting) -> Iterator[Sides]:
    f, g = s.layer("f", "X", "U"), s.layer("g", "Y", "V")
    after = s.row(s.of.Both(f, g), s.wire("Swap", "U", "V"))
    before = s.row(s.wire("Swap", "X", "Y"), s.of.Both(g, f))
    yield "(f⊗g);σ and σ;(g⊗f)", s.passes(after, (("f", "g"), ())), s.passes(before, ((), ("g", "f")))


def _forked(s: Setting) -> Iterator[Sides]:
    f, g = s.layer("f", "X", "U"), s.layer("g", "X", "V")
    apart = s.row(s.wire("Copy", "X"), s.of.Both(f, g))
    yield "Fork(f, g) and Δ;(f⊗g)", s.passes(s.of.Fork(f, g), ("f", "g")), s.passes(apart, ((), ("f", "g")))


def _forked_pairs(s: Setting) -> Iterator[Sides]:
    layers = {"h": s.layer("h", "X Y", "U"), "k": s.layer("k", "X Y", "V")}
    fork, x = s.passes(s.of.Fork(*layers.values()), ("h", "k")), s.unknown(s.spec("X Y"), "x")
    read = []
    for (name, layer), dy in zip(layers.items(), s.unknown((s.spec("U"), s.spec("V")), "dy"), strict=True):
        saved = layer.fwd(held(name, "p"), x).s
        read.append(s.values(layer.bwd(held(name, "p"), saved, dy, held(name, "g")).dx))
    added = tuple(_sum(a) + _sum(b) for a, b in zip(*read, strict=True))
    yield "dx of Fork on a pair, and the gradients added part by part", {"dx": fork["dx"]}, {"dx": added}


def _copying_is_associative(s: Setting) -> Iterator[Sides]:
    copy, same = s.wire("Copy", "X"), s.wire("Id", "X")
    left = s.row(copy, s.of.Both(copy, same), s.wire("Assoc", "X", "X", "X"))
    right = s.row(copy, s.of.Both(same, copy))
    yield "Δ;(Δ⊗Id) and Δ;(Id⊗Δ)", s.passes(left, (((), ((), ())), ())), s.passes(right, ((), ((), ())))


def _copies_may_be_swapped(s: Setting) -> Iterator[Sides]:
    copy = s.wire("Copy", "X")
    yield "Δ;σ and Δ", s.passes(s.row(copy, s.wire("Swap", "X", "X")), ((), ())), s.passes(copy, ())


def _a_copy_may_be_dropped(s: Setting) -> Iterator[Sides]:
    dropped = s.row(s.wire("Copy", "X"), s.of.Both(s.wire("Id", "X"), s.wire("Drop", "X")))
    yield "Δ;(Id⊗!) and Id", s.passes(dropped, ((), ((), ()))), s.passes(s.wire("Id", "X"), ())


def _copy_adds(s: Setting) -> Iterator[Sides]:
    (d, e), x = _pair("dy"), one("x")
    yield "Δ, and values twice and gradients added", s.passes(s.wire("Copy", "X"), ()), _moved((x, x), d + e)
    yield "!, and nothing and no gradient", s.passes(s.wire("Drop", "X"), ()), _moved((), ZERO)


def _copying_commutes(s: Setting) -> Iterator[Sides]:
    f = s.layer("f", "X", "Y", linear=True)
    after = s.passes(s.row(f, s.wire("Copy", "Y")), ("f", ()))
    before = s.passes(s.row(s.wire("Copy", "X"), s.of.Both(f, f)), ((), ("f", "f")))
    twice = after["what is saved"]
    assert isinstance(twice, tuple)
    yield "f;Δ and Δ;(f⊗f), which saves twice", {**after, "what is saved": twice * 2}, before


def _sums(s: Setting) -> Iterator[Sides]:
    add, same, (a, b), d = s.wire("Add2", "X"), s.wire("Id", "X"), _pair("x"), one("dy")
    yield "Add2, and a sum and dy twice", s.passes(add, ()), _moved(a + b, (d, d))
    yield "σ;Add2 and Add2", s.passes(s.row(s.wire("Swap", "X", "X"), add), ((), ())), s.passes(add, ())
    left = s.row(s.of.Both(add, same), add)
    right = s.row(s.wire("Assoc", "X", "X", "X"), s.of.Both(same, add), add)
    yield (
        "(a+b)+c and a+(b+c), re-bracketed",
        _flat(s.passes(left, (((), ()), ()))),
        _flat(s.passes(right, (((), ((), ())), ()))),
    )
    unknown, nothing = s.unknown(s.spec("X"), "x"), s.world.array(s.spec("X"), ZERO)
    yield "a + 0 and a", {"y": s.world.read(add.fwd((), (unknown, nothing)).y)}, {"y": one("x")}


def _flat(side: dict[str, Value]) -> dict[str, Value]:
    """A side whose input gradient is without brackets."""

    def leaves(value: Value) -> tuple[Value, ...]:
        return (value,) if isinstance(value, Sum) else tuple(leaf for part in value for leaf in leaves(part))

    return {**side, "dx": leaves(side["dx"])}


def _residual(s: Setting) -> Iterator[Sides]:
    f = s.layer("f", "X", "X")
    written = s.row(s.of.Fork(s.wire("Id", "X"), f), s.wire("Add2", "X"))
    residual, alone = s.passes(s.of.Residual(f), (((), "f"), ())), s.passes(f, "f")
    yield "Residual(f) and Fork(Id, f);Add2", residual, s.passes(written, (((), "f"), ()))
    wanted = {**alone, "y": one("x") + _sum(alone["y"]), "dx": one("dy") + _sum(alone["dx"])}
    yield "Residual(f), and x + F(x) and dy + B(x, dy)", residual, wanted


def _sum(value: Value) -> Sum:
    assert isinstance(value, Sum)
    return value


def _residual_of_nothing(s: Setting) -> Iterator[Sides]:
    residual = s.passes(s.of.Residual(s.zero("0", "X")), (((), "0"), ()))
    yield (
        "Residual(0) and Id",
        residual,
        {**_moved(one("x"), one("dy")), "what is saved": (ZERO,), "the gradient of 0": one("g_0")},
    )


def _tied(s: Setting) -> Iterator[Sides]:
    f, m, last = s.layer("f", "X", "Y"), s.layer("m", "Y", "Z"), s.layer("l", "Z", "W")
    tied, loose = s.passes(s.of.Tie(f, m, last), ("t", "m")), s.passes(s.row(f, m, last), (("t", "m"), "t"))
    yield "Tie(f, m, l), and f;m;l with one set of parameters", tied, loose


THEOREMS: Final = (
    Theorem("L6", "Id⊗Id ≡ Id", _identities, VALUES),
    Theorem("L9", "σ;σ ≡ Id", _swapped_twice, VALUES),
    Theorem("L10", "(f⊗g);σ ≡ σ;(g⊗f)", _swap_is_natural),
    Theorem("L11", "Fork(f, g) ≡ Δ;(f⊗g)", _forked),
    Theorem("L11", "the gradient of a fork's input is the sum, of a pair part by part", _forked_pairs),
    Theorem("L12", "Δ;(Δ⊗Id) ≡ Δ;(Id⊗Δ)", _copying_is_associative, VALUES),
    Theorem("L13", "Δ;σ ≡ Δ", _copies_may_be_swapped, VALUES),
    Theorem("L14", "Δ;(Id⊗!) ≡ Id", _a_copy_may_be_dropped, VALUES),
    Theorem("L15", "the backward pass of Δ adds, that of ! gives zero", _copy_adds, VALUES),
    Theorem("L16", "f;Δ ≡ Δ;(f⊗f)", _copying_commutes, "all layers with one set of parameters", LINEAR),
    Theorem("L17", "Add2 is associative and commutative, with unit 0; its backward pass copies", _sums, VALUES),
    Theorem("L19", "Residual(f) ≡ Fork(Id, f);Add2, dx = dy + B_f(x, dy)", _residual),
    Theorem("L20", "Residual(0) ≡ Id", _residual_of_nothing),
    Theorem("L21", "the gradient of tied parameters is the sum over uses", _tied),
)
