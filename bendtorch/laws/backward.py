"""L29, L34, L37, L51 and L69: the backward pass of linear layers, recomputed passes, declared shapes, threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from bendtorch.errors import BendError
from bendtorch.kernels import pool
from bendtorch.laws.law import EXACT, LAYER, LOSS, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import Array, mapped
from bendtorch.laws.sides import Side, passes, side
from bendtorch.laws.trial import EVERY, ORDINARY, AnyLayer, Trial, filled, parameters
from bendtorch.layer.own import is_own
from bendtorch.shapes.spec import Spec, show_spec

THREADS: Final = (1, 2, 3)
LARGE: Final = 1500  # elements of a batch that several threads share
OFTEN: Final = 40  # of so many trials, one is on a large batch

LINEAR_LAYERS: Final = (
    *("Linear", "LinearNB", "Conv2d", "AvgPool2d", "RoPE", "Dropout"),
    *("Id", "Copy", "Swap", "Drop", "Assoc", "Split", "Concat", "Reshape", "Permute", "Add2"),
)


def _ignores_x(trial: Trial) -> Difference | None:
    layer, p, dy = trial.layer, trial.p, trial.dy
    if not layer.info.input_gradient:
        raise NotHereError("it gives no gradient of its input")
    one, two = (side({"dx": layer.bwd(p, layer.fwd(p, x).s, dy, layer.zeros()).dx}) for x in (trial.x, trial.x2))
    return differ("B(x, dy)", one, "B(x2, dy)", two)


def _recomputes(trial: Trial) -> Difference | None:
    layer, p, x = trial.layer, trial.p, trial.x
    forward = layer.fwd(p, x)
    y, back = mapped(np.copy, forward.y), layer.bwd(p, forward.s, trial.dy, layer.zeros())
    layer.fwd(p, trial.x2)  # another pass in between, as in a checkpointed model
    again = layer.fwd(mapped(np.copy, p), mapped(np.copy, x))
    other = layer.bwd(p, again.s, trial.dy, layer.zeros())
    return differ(
        "recomputed",
        side({"y": again.y, "dx": other.dx, "dp": other.g}),
        "kept",
        side({"y": y, "dx": back.dx, "dp": back.g}),
    )


def _shapes(trial: Trial) -> Difference | None:
    layer, info = trial.layer, trial.layer.info
    forward = layer.fwd(trial.p, trial.x)
    back = layer.bwd(trial.p, forward.s, trial.dy, layer.zeros())
    for name, value, field, spec in (
        ("y", forward.y, "gives", info.gives),
        ("dx", back.dx, "takes", info.takes),
        ("s", forward.s, "saves", info.saves),
    ):
        if spec is not None and not is_of(value, spec):
            got = show_shape(value)
            return Difference("the shape", name, got, f"info.{field}", show_spec(spec))
        for ids, below in _bounded(value, spec):
            if ids.size and not 0 <= ids.min() <= ids.max() < below:
                got = f"{ids.min()} to {ids.max()}"
                return Difference(f"the ids in {name}", name, got, f"info.{field}", f"0 to {below - 1}")
    enough = Exception if is_own(layer.fwd) else BendError  # whatever says so; the package says what is wrong
    return _refuses("fwd", trial.x, info.takes, lambda x: layer.fwd(trial.p, x), enough) or _refuses(
        "bwd", forward.s, info.saves, lambda s: layer.bwd(trial.p, s, trial.dy, layer.zeros()), enough
    )


def _bounded(value: Any, spec: Spec | None) -> Iterator[tuple[Array, int]]:
    """The arrays of ids or places for which a spec has a bound, each with it."""
    if isinstance(spec, tuple):
        for one, part in zip(value, spec, strict=True):
            yield from _bounded(one, part)
    elif spec is not None and spec.below is not None and isinstance(value, np.ndarray):
        yield value, spec.below


def _refuses(
    name: str, value: Any, spec: Spec | None, run: Callable[[Any], object], enough: type[Exception]
) -> Difference | None:
    """Whether a pass raises where the last id is out of its bounds: it would read memory that is not there."""
    value = mapped(np.copy, value)
    for ids, below in _bounded(value, spec):
        last = ids.reshape(-1)[-1:]
        for wrong in (below, -1) if ids.size else ():
            kept, last[:] = last.copy(), wrong
            try:
                run(value)
                got = "a result"
            except enough:
                got = ""
            except Exception as error:
                got = type(error).__name__
            last[:] = kept
            if got:
                wanted = f"a {enough.__name__}: ids are from 0 to {below - 1}"
                return Difference(f"the id {wrong}", name, got, "the law", wanted)
    return None


def is_of(value: Any, spec: Spec) -> bool:
    """Whether a value has the shapes of a spec."""
    if isinstance(spec, tuple):
        return isinstance(value, tuple) and len(value) == len(spec) and all(map(is_of, value, spec))
    return isinstance(value, np.ndarray) and value.shape == spec.shape


def show_shape(value: Any) -> str:
    """The shapes in a value, as a spec is written."""
    if isinstance(value, tuple):
        return f"tuple[{', '.join(map(show_shape, value)) or '()'}]"
    return f"Mat[{', '.join(map(str, value.shape))}]" if isinstance(value, np.ndarray) else type(value).__name__


def _threads(trial: Trial) -> Difference | None:
    layer, p, x, dy = trial.layer, trial.p, trial.x, trial.dy
    if trial.resized is not None and trial.subject is None and trial.seed % OFTEN == 0:
        layer, p, x, dy = _enlarged(trial, trial.resized)

    def run() -> Side:
        return passes(layer, p, x, dy)

    first, *others = (at_threads(count, run) for count in THREADS)
    for count, other in zip(THREADS[1:], others, strict=True):
        found = differ(f"{count} threads", other, "1 thread", first)
        if found is not None:
            return found
    return None


def _enlarged(trial: Trial, resized: Callable[[int], AnyLayer]) -> tuple[AnyLayer, Any, Any, Any]:
    """The layer, its parameters, input and cotangent for a batch that several threads share."""
    generator = trial.generator(69)
    try:
        layer = resized(LARGE)
    except BendError as error:
        raise NotHereError(f"no larger batch can be built ({error})") from error
    takes, gives = layer.info.takes, layer.info.gives
    if takes is None or gives is None:
        raise NotHereError("it does not say what it takes and gives")
    p = parameters(layer, generator, trial.kind)
    return layer, p, filled(takes, generator, trial.kind), filled(gives, generator, trial.kind)


def at_threads(count: int, run: Callable[[], Any]) -> Any:
    """The result of a computation whose kernels use so many threads."""
    before = pool.get_threads()
    pool.set_threads(count)
    try:
        return run()
    finally:
        pool.set_threads(before)


IGNORES_X: Final = Law(
    "L29",
    "a linear layer's backward pass does not depend on x",
    "dx of B(x, dy) is dx of B(x2, dy)",
    EXACT,
    _ignores_x,
    ORDINARY,
    "the layer is linear in x",
    of=LINEAR_LAYERS,
    hint="dx is computed from a saved input",
)
RECOMPUTES: Final = Law(
    "L34",
    "recomputation equals the original",
    "saved values computed again, after another pass, give the same y, dx and dp",
    EXACT,
    _recomputes,
    EVERY,
    hint="the forward pass depends on more than p and x",
)
SHAPES: Final = Law(
    "L51",
    "the static shape is the run-time shape",
    "y, dx and s have the shapes that info.gives, takes and saves declare; ids beyond a declared bound are refused",
    EXACT,
    _shapes,
    EVERY,
    subjects=(LAYER, LOSS),
    hint="a product is transposed, or Info declares another shape",
)
ANY_THREADS: Final = Law(
    "L69",
    "the same bits at any number of threads",
    "1, 2 and 3 threads give the same y, dx and dp",
    EXACT,
    _threads,
    EVERY,
    subjects=(LAYER, LOSS),
    hint="partial sums are combined in the order in which threads finish",
)
BACKWARD: Final = (IGNORES_X, RECOMPUTES, SHAPES, ANY_THREADS)
