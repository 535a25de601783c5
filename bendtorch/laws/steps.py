"""L38 to L40 and L44: what one step of an optimizer does to the parameters of a layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bendtorch.combine.both import Both
from bendtorch.laws.law import EXACT, LAYER, OPTIMIZER, Difference, Law, NotHereError, differ
from bendtorch.laws.neighbours import after
from bendtorch.laws.nest import arrays_in
from bendtorch.laws.trial import FINITE, AnyLayer, Trial, parameters
from bendtorch.layer.counter import advance_cells, counter_cells
from bendtorch.optim.at import GroupedAt
from bendtorch.optim.config import SGD, Adam, AdamW, Momentum, Optimizer, PackedAdamW
from bendtorch.optim.state import PackedMoments, new_state
from bendtorch.optim.step import step_flat

USUAL: Final[tuple[Optimizer, ...]] = (
    SGD(0.1),
    SGD(0.1, weight_decay=0.01),
    Momentum(0.1),
    Momentum(0.1, nesterov=True, weight_decay=0.01),
    Adam(0.01),
    AdamW(0.01),
    PackedAdamW(0.01),
    PackedAdamW(0.01, second=False),
)
"""The optimizers that a layer's steps are tried with."""

STEP: Final = 3  # of the corrections' step count: neither the first nor so many that they are 1


def optimizer_of(trial: Trial, *kinds: type) -> Optimizer:
    """The optimizer that is checked, or the next of the usual ones; of some kinds where a law is about them."""
    if trial.subject is not None:
        if kinds and not isinstance(trial.subject, kinds):
            raise NotHereError(f"it is about {' and '.join(kind.__name__ for kind in kinds)}")
        chosen: Optimizer = trial.subject
        return chosen
    known = [one for one in USUAL if not kinds or isinstance(one, kinds)]
    return known[trial.seed % len(known)]


def weights_of(layer: AnyLayer) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which cells of a dump an optimizer steps: all but counters."""
    steps = np.ones(layer.count(), bool)
    steps[counter_cells(layer.leaves)] = False
    return steps


def need_weights(layer: AnyLayer) -> None:
    """Refuse a layer without weights."""
    if not weights_of(layer).any():
        raise NotHereError("it has no parameters")


def copied(layer: AnyLayer, p: Any) -> Any:
    """Parameters of their own with the numbers of p."""
    other = layer.zeros()
    layer.load(other, layer.dump(p), 0)
    return other


def run_step(layer: AnyLayer, optimizer: Optimizer, p: Any, g: Any, state: Any = None, step: int = STEP) -> Any:
    """One step on copies of p and g, from a state or a new one."""
    state = new_state(optimizer, layer.zeros, layer.count()) if state is None else state
    return layer.step(optimizer.at(step), copied(layer, p), copied(layer, g), state)


def flat_of(layer: AnyLayer, stepped: Any) -> dict[str, Any]:
    """The parameters, gradient and state after a step, each as numbers in dump order."""
    moments = {f"st.{name}": getattr(stepped.st, name) for name in type(stepped.st).__slots__}
    for name, moment in moments.items():
        if not isinstance(stepped.st, PackedMoments):
            moments[name] = layer.dump(moment)
    return {"p": layer.dump(stepped.p), "g": layer.dump(stepped.g), **moments}


def _pairs(trial: Trial) -> Difference | None:
    f, generator = trial.layer, trial.generator(38)
    g, optimizer = after(f.info.gives, generator), optimizer_of(trial)
    for name, whole in (("Seq", f >> g), ("Both", Both(f, g))):
        p, gradient = parameters(whole, generator, trial.kind), parameters(whole, generator, trial.kind)
        together = flat_of(whole, run_step(whole, optimizer, p, gradient))
        one = flat_of(f, run_step(f, optimizer, p[0], gradient[0]))
        two = flat_of(g, run_step(g, optimizer, p[1], gradient[1]))
        apart = {place: np.concatenate([one[place], two[place]]) for place in one}
        found = differ(f"the step of {name}", together, "the pair of steps", apart)
        if found is not None:
            return found
    return None


def _flat(trial: Trial) -> Difference | None:
    """With one set of numbers for all leaves, and with two that take turns."""
    layer, optimizer = trial.layer, optimizer_of(trial)
    if layer.view is None or not getattr(layer.step, "elementwise", False):
        raise NotHereError("it brings a step of its own")
    need_weights(layer)
    one = optimizer.at(STEP)
    two = replace(optimizer, lr=0.5 * one.lr).at(STEP)
    turns = tuple((place + trial.seed) % 2 for place in range(len(layer.leaves)))
    for left, right, opt, groups in (
        ("the tree of steps", "the flat step", one, (0,) * len(turns)),
        ("the tree of steps in two groups", "the flat step in two groups", GroupedAt((one, two), turns), turns),
    ):
        w, g, count = layer.dump(trial.p), layer.dump(trial.g), layer.count()
        tree = layer.step(opt, copied(layer, trial.p), copied(layer, trial.g), new_state(optimizer, layer.zeros, count))
        state = new_state(optimizer, lambda: np.zeros(layer.count(), np.float32), count)
        step_flat(opt, w, g, state, _spans(layer, groups))
        advance_cells(w, counter_cells(layer.leaves))
        flat = {"p": w, "g": g, **{f"st.{name}": getattr(state, name) for name in type(state).__slots__}}
        found = differ(left, flat_of(layer, tree), right, flat)
        if found is not None:
            return found
    seen, w = layer.dump(layer.view(layer.dump(trial.p), 0)), layer.dump(trial.p)
    return differ("the numbers that view shows", {"p": seen}, "the numbers of the flat buffer", {"p": w})


def _spans(layer: AnyLayer, groups: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    """The stretches of a dump that are weights, each with the group of its leaf."""
    spans, start = [], 0
    for leaf, group in zip(layer.leaves, groups, strict=True):
        if not leaf.counter:
            spans.append((start, start + leaf.cells, group))
        start += leaf.cells
    return tuple(spans)


def _rests(trial: Trial) -> Difference | None:
    layer, steps = trial.layer, weights_of(trial.layer)
    need_weights(layer)
    optimizer = optimizer_of(trial)
    decay = optimizer.weight_decay
    if decay and not isinstance(optimizer, AdamW):
        raise NotHereError("its weight decay is part of the gradient")
    before = layer.dump(trial.p)
    after_step = layer.dump(run_step(layer, optimizer, trial.p, layer.zeros()).p)
    kept = np.float32(1 - optimizer.at(STEP).lr * decay)
    name = "p · (1 - lr·weight_decay)" if decay else "p"
    return differ("p after a step without gradient", {"p": after_step[steps]}, name, {"p": before[steps] * kept})


def _zeroes(trial: Trial) -> Difference | None:
    layer, steps = trial.layer, weights_of(trial.layer)
    need_weights(layer)
    stepped = run_step(layer, optimizer_of(trial), trial.p, trial.g)
    gradient: Mapping[str, Any] = {"g": layer.dump(stepped.g)[steps]}
    found = differ("the gradient after a step", gradient, "zero", {"g": np.zeros(int(steps.sum()), np.float32)})
    return found or _given_back(layer, stepped)


def _given_back(layer: AnyLayer, stepped: Any) -> Difference | None:
    """Whether a step gives back parameters of the layer's own kind."""
    one, two = len(arrays_in(stepped.p)), len(arrays_in(layer.zeros()))
    return None if one == two else Difference("the parameters", "step", str(one), "zeros", f"{two} arrays")


PAIRS: Final = Law(
    "L38",
    "a step of a pair is the pair of steps",
    "the step of Seq and of Both is that of each part with its share of the state",
    EXACT,
    _pairs,
    FINITE,
    of=("Seq", "Both", "Fork", "Residual", "Repeat"),
    hint="a part is stepped with another's gradient or share of the state",
    proved="proved for all layers by running the combinators on symbols",
)
FLAT: Final = Law(
    "L39",
    "the flat step is the tree of steps",
    "one step over the flat buffer has the bits of a step of each matrix, also with other numbers for some of them",
    EXACT,
    _flat,
    FINITE,
    "it has parameters with a flat view, and the package's own step",
    subjects=(LAYER, OPTIMIZER),
    hint="view has another order than dump",
)
RESTS: Final = Law(
    "L40",
    "without gradient nothing moves",
    "a first step at zero gradient changes no weight; AdamW multiplies it by 1 - lr·weight_decay",
    EXACT,
    _rests,
    FINITE,
    "it has parameters, and the weight decay is not part of the gradient",
    subjects=(LAYER, OPTIMIZER),
    hint="the step adds something that is not in the gradient",
)
ZEROES: Final = Law(
    "L44",
    "a step takes the gradient",
    "the gradient is zero after a step",
    EXACT,
    _zeroes,
    FINITE,
    "it has parameters",
    subjects=(LAYER, OPTIMIZER),
    hint="step does not zero the gradient that it is given",
)
STEPS: Final = (PAIRS, FLAT, RESTS, ZEROES)
