"""For each law a layer (or loss, or optimizer) that breaks it, or a combinator that does: what the law must find."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pytest

import bendtorch
from bendtorch.kernels import pool
from bendtorch.laws import LAWS, Report, examine
from bendtorch.laws.nest import arrays_in, mapped, rebuilt
from bendtorch.layer import Bwd, Fwd
from bendtorch.losses.loss import Loss, LossOut

of: Final[Any] = bendtorch  # with sizes that are only known at run time

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Broken:
    """What breaks a law: a maker, or names in the package that stand for something else while it is checked."""

    maker: Any
    patches: Mapping[str, Change] = field(default_factory=lambda: MappingProxyType({}))


def same(value: Any) -> Any:
    return value


def twice(value: Any) -> Any:
    """Every number doubled."""
    return mapped(lambda a: a * 2 if a.dtype.kind == "f" else a, value)


def first_twice(value: Any) -> Any:
    """The numbers of the first array doubled."""
    first, *rest = arrays_in(value)
    return rebuilt(value, [first * np.float32(2), *rest])


def last_twice(value: Any) -> Any:
    """The numbers of the last array doubled."""
    *rest, last = arrays_in(value)
    return rebuilt(value, [*rest, last * np.float32(2)])


def changed(layer: Any, y: Change = same, dx: Change = same, g: Change = same, dy: Change = same) -> Any:
    """A layer that changes what its passes give."""

    def fwd(p: Any, x: Any) -> Any:
        forward = layer.fwd(p, x)
        return Fwd(y(forward.y), forward.s)

    def bwd(p: Any, s: Any, grad: Any, total: Any) -> Any:
        back = layer.bwd(p, s, dy(grad), total)
        return Bwd(dx(back.dx), g(back.g))

    return replace(layer, fwd=fwd, bwd=bwd)


def made(**changes: Change) -> Change:
    """A function that makes layers, each changed."""
    return lambda make: lambda *args, **options: changed(make(*args, **options), **changes)


def linear(n: int, i: int, o: int) -> Any:
    return of.Linear(n, i, o)


def square(n: int, c: int) -> Any:
    return of.Linear(n, c, c)


def rolled(value: Any) -> Any:
    """Rows in other places."""
    return mapped(lambda a: np.roll(a, 1, axis=0), value)


def attention(causal: bool = True, said: bool | None = None, **changes: Change) -> Any:
    """An attention layer, changed, that may say something else of its causality."""

    def maker(b: int, t: int, kv: int, g: int, hd: int) -> Any:
        layer = changed(of.Attention(b, t, kv, g, hd, causal=causal), **changes)
        options = {"causal": causal if said is None else said}
        return replace(layer, info=replace(layer.info, options=options))

    return maker


def columns_rolled(value: Any) -> Any:
    """Columns in other places."""
    return mapped(lambda a: np.ascontiguousarray(np.roll(a, 1, axis=1)) if a.ndim == 2 else a, value)


def stepping(layer: Any, change: Callable[[Any, Any, Any, Any, Any], Any]) -> Any:
    """A layer whose step is `change(step, opt, p, g, st)`."""
    return replace(layer, step=lambda opt, p, g, st: change(layer.step, opt, p, g, st))


def twice_stepped(step: Any, opt: Any, p: Any, g: Any, st: Any) -> Any:
    kept = mapped(np.copy, g)
    step(opt, p, g, st)
    return step(opt, p, kept, st)


def moved(step: Any, opt: Any, p: Any, g: Any, st: Any) -> Any:
    stepped = step(opt, p, g, st)
    for array in arrays_in(p):
        np.add(array, 1, out=array)
    return stepped


def keeping(step: Any, opt: Any, p: Any, g: Any, st: Any) -> Any:
    kept = mapped(np.copy, g)
    stepped = step(opt, p, g, st)
    stepped.g = kept
    return stepped


def remembering(n: int, i: int, o: int) -> Any:
    """A layer that counts its calls beside its parameters."""
    layer, calls = of.Linear(n, i, o), [0]

    def fwd(p: Any, x: Any) -> Any:
        calls[0] += 1
        forward = layer.fwd(p, x)
        return Fwd(forward.y + np.float32(calls[0]), forward.s * np.float32(calls[0]))

    return replace(layer, fwd=fwd)


class LateAdam(bendtorch.Adam):
    """Adam with the corrections of another step."""

    def at(self, step: int) -> Any:
        """Those of five steps later."""
        return super().at(step + 5)


class OtherPacked(bendtorch.PackedAdamW):
    """Packed moments of another beta."""

    def at(self, step: int) -> Any:
        """With a first beta of a half."""
        return replace(super().at(step), one_minus_beta1=0.5)


class LooseClip(bendtorch.ClipNorm):
    """A clipping that forgets the bound."""

    def __call__(self, g: Any) -> float:
        """Half as much again as it should be."""
        norm = super().__call__(g)
        g *= np.float32(1.5)
        return norm


def loss(make: Any, value: Callable[[Any, float], float], dy: Change) -> Any:
    """A loss whose value (of y and the loss) and gradient are changed."""

    def maker(n: int, c: int) -> Any:
        right = make(n, c)

        def grad(y: Any, target: Any) -> Any:
            out = right.grad(y, target)
            return LossOut(value(y, out.loss), dy(out.dy))

        return Loss(right.name, grad, lambda y, target: value(y, right.value(y, target)), right.takes, right.wants)

    return maker


CHAIN: Final = "bendtorch.layer.chain.chain"


def laws(name: str) -> str:
    return f"bendtorch.laws.{name}"


FAULTS: Final[dict[str, Broken]] = {
    "L1": Broken(linear, {laws("chains.Seq"): made(y=twice)}),
    "L2": Broken(linear, {CHAIN: made(dx=twice)}),
    "L3": Broken(linear, {CHAIN: made(y=twice)}),
    "L4": Broken(linear, {CHAIN: made(dx=twice)}),
    "L5": Broken(linear, {CHAIN: made(dy=twice)}),
    "L6": Broken(linear, {laws("sidewise.Both"): made(dx=first_twice)}),
    "L7": Broken(linear, {laws("sidewise.Both"): made(y=first_twice)}),
    "L8": Broken(linear, {laws("sidewise.Both"): made(y=first_twice)}),
    "L9": Broken(linear, {laws("sidewise.swapping"): made(y=first_twice)}),
    "L10": Broken(linear, {laws("sidewise.Both"): made(dx=first_twice)}),
    "L11": Broken(linear, {laws("sidewise.Fork"): made(dx=twice)}),
    "L12": Broken(linear, {laws("wiring.copying"): made(dy=last_twice)}),
    "L13": Broken(linear, {laws("wiring.copying"): made(dy=last_twice)}),
    "L14": Broken(linear, {laws("wiring.copying"): made(dy=first_twice)}),
    "L15": Broken(linear, {laws("wiring.copying"): made(dx=twice)}),
    "L16": Broken(linear, {laws("sidewise.copying"): made(y=last_twice)}),
    "L17": Broken(lambda n, c: changed(of.Add2(n, c), dx=last_twice)),
    "L18": Broken(lambda n, c: changed(of.Mul2(n, c), dx=lambda dx: dx[::-1])),
    "L19": Broken(square, {laws("chains._residual"): made(dx=twice)}),
    "L20": Broken(square, {laws("chains._residual"): made(y=twice)}),
    "L21": Broken(linear, {laws("chains.Tie"): made(dy=twice)}),
    "L22": Broken(linear, {laws("sidewise.Both"): made(y=last_twice)}),
    "L23": Broken(square, {laws("chains.Repeat"): made(y=twice)}),
    "L24": Broken(lambda n, i, o: changed(of.Linear(n, i, o), dx=lambda dx: dx + np.float32(1))),
    "L25": Broken(lambda n, i, o: changed(of.Linear(n, i, o), dx=lambda dx: dx.astype(np.float64))),
    "L26": Broken(lambda n, i, o: changed(of.Linear(n, i, o), dx=twice)),
    "L27": Broken(lambda n, i, o: changed(of.Linear(n, i, o), dx=twice)),
    "L28": Broken(linear, {CHAIN: made(y=twice)}),
    "L29": Broken(of.Tanh),
    "L30": Broken(linear, {laws("chains.Fork"): made(dx=twice)}),
    "L34": Broken(remembering),
    "L38": Broken(linear, {laws("steps.Both"): lambda make: lambda *parts: stepping(make(*parts), twice_stepped)}),
    "L39": Broken(lambda n, i, o: _viewed_elsewhere(of.Linear(n, i, o))),
    "L40": Broken(lambda n, i, o: stepping(of.Linear(n, i, o), moved)),
    "L41": Broken(LateAdam(0.1)),
    "L42": Broken(lambda n, c: stepping(of.Tie(square(n, c), of.ReLU(n, c), square(n, c)), twice_stepped)),
    "L43": Broken(LooseClip(1.0)),
    "L44": Broken(lambda n, i, o: stepping(of.Linear(n, i, o), keeping)),
    "L45": Broken(bendtorch.Adam(0.1), {laws("states.join_states"): lambda join: lambda states: join(states[::-1])}),
    "L49": Broken(remembering),
    "L50": Broken(OtherPacked(0.1)),
    "L51": Broken(lambda n, i, o: changed(of.Linear(n, i, o), y=lambda y: y.reshape(-1, 1))),
    "L52": Broken(lambda n, c: changed(of.ReLU(n, c), y=lambda y: y - y.mean(axis=0) if len(y) else y)),
    "L53": Broken(lambda n, c: changed(of.Softmax(n, c), dx=lambda dx: dx + np.float32(0.01))),
    "L55": Broken(lambda n, c: changed(of.LayerNorm(n, c), dx=lambda dx: dx + np.float32(1))),
    "L56": Broken(lambda n, c: changed(of.RMSNorm(n, c), dx=lambda dx: dx + np.float32(1))),
    "L57": Broken(attention(causal=False, said=True)),
    "L58": Broken(attention(y=columns_rolled)),
    "L59": Broken(attention(dx=columns_rolled)),
    "L60": Broken(attention(y=rolled)),
    "L61": Broken(attention(causal=True, said=False)),
    "L62": Broken(lambda b, t, h, half: changed(of.RoPE(b * t, t, h, half), dx=twice)),
    "L63": Broken(lambda n, v, d: changed(of.Embedding(n, v, d), y=rolled)),
    "L64": Broken(lambda n, i, o: changed(of.LinearNB(n, i, o), y=twice)),
    "L65": Broken(lambda n, c: changed(of.Dropout(n, c, 0.5, 7), dy=rolled, dx=same)),
    "L66": Broken(lambda a, b, c: changed(of.Permute(a, b, c), dx=rolled)),
    "L67": Broken(lambda n, c: changed(of.ReLU(n, c), y=lambda y: np.where(y < 1, np.float32(0), y))),
    "L68": Broken(lambda n, c: changed(of.AvgPool2d(n, c, 5, 4, 2, stride=1), y=_weighted_columns)),
    "L69": Broken(lambda n, c: changed(of.ReLU(n, c), y=lambda y: y + np.float32(pool.get_threads()))),
    "L31 of a loss": Broken(loss(of.MSE, lambda y, value: value * len(y), lambda dy: dy * np.float32(len(dy)))),
    "L36": Broken(loss(of.MSE, lambda y, value: value, twice)),
    "L54": Broken(loss(of.CrossEntropy, lambda y, value: value + float(y.sum()), same)),
}
"""By the number of the law. L31 to L33, L35 and L46 to L48 have theirs in `mutants`."""


def _viewed_elsewhere(layer: Any) -> Any:
    """A layer whose view starts from the end."""

    def view(flat: Any, offset: int) -> Any:
        turned = flat[offset : offset + layer.count()][::-1].copy()
        return layer.view(turned, 0)

    return replace(layer, view=view)


def _weighted_columns(y: Any) -> Any:
    """Each number times its place."""
    return y * np.arange(1, y.shape[1] + 1, dtype=np.float32)


@contextlib.contextmanager
def patched(broken: Broken) -> Iterator[None]:
    """While the names in the package stand for what is broken."""
    with pytest.MonkeyPatch.context() as patch:
        for name, change in broken.patches.items():
            module, attribute = name.rsplit(".", 1)
            found = getattr(__import__(module, fromlist=[attribute]), attribute)
            patch.setattr(name, change(found))
        yield


def judged(fault: str, faults: Mapping[str, Broken] = FAULTS, cases: int = 60) -> Report:
    """What its law says of something broken."""
    broken = faults[fault]
    with patched(broken):
        return examine(broken.maker, only=fault.split(maxsplit=1)[0], cases=cases)


def finds(*numbers: str, faults: Mapping[str, Broken] = FAULTS) -> Callable[..., None]:
    """A test that each of these laws finds the fault that is there for it."""
    known = {law.number for law in LAWS}
    assert {number.split()[0] for number in numbers} <= known

    @pytest.mark.parametrize("fault", numbers)
    def test(fault: str) -> None:
        (failure,) = judged(fault, faults).failures
        assert failure.law.number == fault.split(maxsplit=1)[0]
        assert not isinstance(failure.found, Exception), str(failure.found)

    marked: Callable[..., None] = test
    return marked
