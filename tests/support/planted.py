"""Combinators with one fault: the shipped source with one edit."""

from __future__ import annotations

import inspect
import types
from typing import Any, Final, NamedTuple

import pytest

from bendtorch.combine import arithmetic, both, fork, repeat, residual, seq, tie, wiring
from bendtorch.laws.proofs import Theorem
from bendtorch.laws.proofs.setting import shipped
from bendtorch.layer import chain


class Fault(NamedTuple):
    """An edit of a combinator, the law whose proof must fail, and what the refutation must say."""

    name: str
    module: types.ModuleType
    old: str
    new: str
    law: str
    says: str


FAULTS: Final = (
    Fault(
        "chain", chain, "p[0], s[0], two.dx, g[0]", "p[0], s[0], dz, g[0]", "L4", "argument 3 of f.dx: dy is not g.dx("
    ),
    Fault("chain", chain, "p[0], s[0], two.dx, g[0]", "p[0], s[0], two.dx, g[1]", "L5", "in the gradient of f:"),
    Fault("chain", chain, "second.fwd(p[1], one.y)", "second.fwd(p[0], one.y)", "L3", "p_f is not p_g"),
    Fault("chain", chain, "(one.s, two.s)", "(one.s, one.s)", "L1", "in what is saved:"),
    Fault("chain", chain, "pair(first, second,", "pair(second, first,", "L47", "in dump:"),
    Fault("Seq", seq, "chain(layer, result)", "chain(layer, layer)", "L1", "f1(p_f1, "),
    Fault(
        "Both", both, "s[1], dy[1], gradient[1]", "s[1], dy[0], gradient[1]", "L8", "Both(g(), h()): dy must be a pair"
    ),
    Fault(
        "Both",
        both,
        "(first.dx, second.dx), (first.g, second.g)",
        "(first.dx, second.dx), (second.g, first.g)",
        "L11",
        "in the gradient of f:",
    ),
    Fault("Both", both, "g.fwd(p[1], x[1])", "g.fwd(p[1], x[0])", "L6", "ShapeError: Id(3, 65): x must be Mat[3, 65]"),
    Fault("Fork", fork, 'add_gradients(first.dx, second.dx, "Fork")', "first.dx", "L11", "+ g.dx("),
    Fault("Fork", fork, "g.fwd(p[1], x)", "g.fwd(p[0], x)", "L11", "in argument 1 of g: p_f is not p_g"),
    Fault("Residual", residual, "Fork(same, f)", "Fork(f, same)", "L19", "f was given () as its parameters"),
    Fault(
        "Repeat",
        repeat,
        "dy, gradients[place] = one.dx, one.g",
        "gradients[place] = one.g",
        "L23",
        "Repeat(1, f) and the chain of 1",
    ),
    Fault("Repeat", repeat, "for place in reversed(range(k))", "for place in range(k)", "L23", "Repeat(2, f)"),
    Fault("Repeat", repeat, "layers[place].bwd(p[place]", "layers[place].bwd(p[0]", "L23", "p_f#0 is not p_f#1"),
    Fault(
        "Repeat",
        repeat,
        "offset = one.run(copy, flat, offset)",
        "one.run(copy, flat, offset)",
        "L47",
        "in the next offsets:",
    ),
    Fault("Repeat", repeat, "count=lambda: k * size", "count=lambda: size", "L48", "count of Repeat(3, f)"),
    Fault("Repeat", repeat, "share(opt, i * self.leaves", "share(opt, i", "L38", "a step of Repeat(2, f;g) in groups"),
    Fault("Tie", tie, "first.bwd(p[0], s[0], two.dx, three.g)", "Bwd(two.dx, three.g)", "L21", "in the gradient of t:"),
    Fault("Tie", tie, "pair(first, mid, names)", "pair(first, pair(mid, last), names)", "L48", "count of Tie(f, g, h)"),
    Fault("Copy", wiring, "return x, x", "return x, 0.75 * x", "L15", "3/4·x"),
    Fault(
        "Swap",
        wiring,
        'dy[0], (n, b), name, "the first of dy"',
        'dy[1], (n, b), name, "the first of dy"',
        "L9",
        "ShapeError",
    ),
    Fault("Drop", wiring, "np.float32(0)", "np.float32(1)", "L15", "is no sum of terms"),
    Fault("Add2", arithmetic, "Bwd((dy, dy), g)", "Bwd((dy, dy * 2), g)", "L17", "2·dy"),
    Fault(
        "Add2",
        arithmetic,
        'add(guard_mat(x[0], shape, name, "the first of x")',
        'add(guard_mat(x[1], shape, name, "")',
        "L17",
        "2·x.1",
    ),
    Fault(
        "Mul2",
        arithmetic,
        "multiply(dy, a, db)",
        "multiply(dy, b, db)",
        "L18",
        "in db:\n  one side    b·d\n  the other   a·d",
    ),
)


def refuted_by(*theorems: Theorem) -> pytest.MarkDecorator:
    """The faults that these theorems' laws must find."""
    laws = {theorem.law for theorem in theorems}
    faults = [fault for fault in FAULTS if fault.law in laws]
    return pytest.mark.parametrize("fault", faults, ids=lambda fault: f"{fault.name}: {fault.new}")


def check_refuted(fault: Fault, theorems: tuple[Theorem, ...]) -> None:
    """The proof of the fault's law fails, and says where."""
    of = planted(fault)
    verdicts = [theorem.verdict(of) for theorem in theorems if theorem.law == fault.law]
    refuted = [str(verdict) for verdict in verdicts if not verdict.proved]
    assert any(fault.says in text for text in refuted), "\n".join(refuted) or "every proof still holds"


def planted(fault: Fault) -> Any:
    """The combinators, one of them with its fault."""
    source = inspect.getsource(fault.module)
    assert source.count(fault.old) == 1, f"{fault.old!r} stands {source.count(fault.old)} times"
    wrong = types.ModuleType(fault.module.__name__)
    exec(compile(source.replace(fault.old, fault.new), f"<{fault.name} with a fault>", "exec"), wrong.__dict__)
    of = shipped()
    setattr(of, fault.name, getattr(wrong, fault.name))
    return of
