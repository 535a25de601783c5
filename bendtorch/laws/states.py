"""L42, L43, L45, L49 and L50: what is remembered between steps, and what happens to a gradient before one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bendtorch.combine.both import Both
from bendtorch.laws.law import CLIP, CLOSE, EXACT, LAYER, OPTIMIZER, Difference, Law, NotHereError, differ
from bendtorch.laws.neighbours import after
from bendtorch.laws.sides import ROUNDING
from bendtorch.laws.steps import STEP, copied, flat_of, need_weights, optimizer_of, run_step, weights_of
from bendtorch.laws.trial import FINITE, ORDINARY, AnyLayer, Trial, parameters
from bendtorch.optim.clip import ClipNorm, ClipValue, global_norm
from bendtorch.optim.config import SGD, AdamW, Optimizer, PackedAdamW
from bendtorch.optim.state import PackedMoments, TwoMoments, join_states, map_state, new_state, split_state
from bendtorch.shapes.arrays import FlatF32

RUNS: Final = (2, 3)  # steps before and after a save


def _tied(trial: Trial) -> Difference | None:
    """One step of plain gradient descent moves each number of the dump once."""
    layer, steps = trial.layer, weights_of(trial.layer)
    need_weights(layer)
    back = layer.bwd(trial.p, layer.fwd(trial.p, trial.x).s, trial.dy, layer.zeros())
    rate, g, w = 0.125, layer.dump(back.g), layer.dump(trial.p)
    if not np.all(np.isfinite(g)):
        raise NotHereError("a gradient is not finite")
    stepped = layer.dump(run_step(layer, SGD(rate), trial.p, back.g).p)
    slack = ROUNDING * (float(np.abs(w[steps]).max()) + rate * float(np.abs(g[steps]).max()))
    wanted = w[steps] - np.float32(rate) * g[steps]
    return differ("p after a step", {"p": stepped[steps]}, "p - lr·dp, once", {"p": wanted}, {"p": [slack]})


def _clipped(trial: Trial) -> Difference | None:
    """Below its bound a clipping is the identity, above it each keeps to it in its way; twice is once."""
    clip = trial.subject
    parts = [trial.layer.dump(value).copy() for value in (trial.p, trial.g)]
    before: FlatF32 = np.concatenate(parts)
    g = before.copy()
    norm, given = global_norm(before), clip(g)
    if given != norm:
        return Difference("the norm", "clip(g)", str(given), "the norm before", str(norm))
    largest = float(np.abs(before).max(initial=0))
    if (norm if isinstance(clip, ClipNorm) else largest) <= clip.most:
        return differ("below the bound, clip(g)", {"g": g}, "g", {"g": before})
    again = g.copy()
    clip(again)
    if isinstance(clip, ClipValue):
        wanted = np.clip(before, -np.float32(clip.most), np.float32(clip.most))
        return differ("clip(g)", {"g": g}, "the nearest within the bound", {"g": wanted}) or differ(
            "clip(clip(g))", {"g": again}, "clip(g)", {"g": g}
        )
    norms = [global_norm(part) for part in parts]
    if abs(norms[0] ** 2 + norms[1] ** 2 - norm**2) > ROUNDING * norm**2:
        return Difference("the squared norms", "the parts'", str(norms), "the whole's", str(norm))
    if not global_norm(g) <= clip.most * (1 + ROUNDING):
        return Difference("the norm", "after clipping", str(global_norm(g)), "the bound", str(clip.most))
    scaled = (before.astype(np.float64) * (clip.most / given)).astype(np.float32)
    close = {"g": [ROUNDING * clip.most + 2e-6 * clip.most / given]}
    return differ("clip(g)", {"g": g}, "g · bound / norm", {"g": scaled}, close) or differ(
        "clip(clip(g))", {"g": again}, "clip(g)", {"g": g}, close
    )


def _state(layer: AnyLayer, optimizer: Optimizer, trial: Trial, more: int) -> Any:
    """A state that some steps have left."""
    p, g = (parameters(layer, trial.generator(more + i), "ordinary") for i in range(2))
    stepped = run_step(layer, optimizer, p, g, step=1)
    return run_step(layer, optimizer, stepped.p, g, stepped.st, step=2).st


def _splits(trial: Trial) -> Difference | None:
    f = trial.layer
    whole = Both(f, after(f.info.gives, trial.generator(45)))
    optimizer = optimizer_of(trial)
    state = _state(whole, optimizer, trial, 45)
    again = join_states(split_state(state, [part.count() for part in whole.info.parts]))
    one, two = ({name: getattr(st, name) for name in type(st).__slots__} for st in (again, state))
    return differ("join(split(st))", one, "st", two)


def _resumes(trial: Trial) -> Difference | None:
    layer, optimizer = trial.layer, optimizer_of(trial)
    if not layer.count():
        raise NotHereError("it has no parameters")
    n, m = RUNS

    def run(p: Any, st: Any, first: int, count: int) -> Any:
        g = layer.zeros()
        for step in range(first, first + count):
            g = layer.bwd(p, layer.fwd(p, trial.x).s, trial.dy, g).g
            stepped = layer.step(optimizer.at(step), p, g, st)
            p, g, st = stepped.p, stepped.g, stepped.st
        return stepped

    start = new_state(optimizer, layer.zeros, layer.count())
    whole = run(copied(layer, trial.p), start, 1, n + m)
    start = new_state(optimizer, layer.zeros, layer.count())
    half = run(copied(layer, trial.p), start, 1, n)
    saved = half.st if isinstance(half.st, PackedMoments) else map_state(half.st, lambda part: copied(layer, part))
    rest = run(copied(layer, half.p), saved, n + 1, m)
    return differ(f"{n + m} steps", flat_of(layer, whole), f"{n}, saved and restored, then {m}", flat_of(layer, rest))


def _widened(moment: Any) -> Any:
    """A bfloat16 moment as float32."""
    return (moment.astype(np.uint32) << np.uint32(16)).view(np.float32) if moment.dtype == np.uint16 else moment.copy()


def _rounded(moment: Any) -> Any:
    """Float32 numbers as the nearest bfloat16, ties to even."""
    bits = moment.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def _packs(trial: Trial) -> Difference | None:
    layer, optimizer = trial.layer, optimizer_of(trial, PackedAdamW)
    need_weights(layer)
    assert isinstance(optimizer, PackedAdamW)
    names = ("lr", "beta1", "beta2", "eps", "weight_decay")
    wide = AdamW(**{name: getattr(optimizer, name) for name in names})
    state = _state(layer, optimizer, trial, 50)
    opened = [layer.zeros() for _ in range(2)]
    for target, moment in zip(opened, (state.m, state.v), strict=True):
        layer.load(target, _widened(moment), 0)
    steps = weights_of(layer)
    plain = flat_of(layer, run_step(layer, wide, trial.p, trial.g, TwoMoments(*opened), STEP))
    packed = flat_of(layer, run_step(layer, optimizer, trial.p, trial.g, state, STEP))
    wanted = {"st.m": _rounded(plain["st.m"]), "st.v": plain["st.v"]}
    if optimizer.second:
        wanted["st.v"] = _rounded(plain["st.v"])
    got, wanted = ({name: side[name][steps] for name in wanted} for side in (packed, wanted))
    return differ("the packed moments", got, "the wide ones, rounded", wanted)


TIED: Final = Law(
    "L42",
    "a parameter steps once",
    "a step moves each number of the dump once, however often the layer uses it",
    CLOSE,
    _tied,
    ORDINARY,
    "it has parameters",
    of=("Tie",),
    hint="the shared parameter is stepped at each of its uses",
)
CLIPPED: Final = Law(
    "L43",
    "clipping keeps to its bound",
    "the norm (or each number) is at most the bound, below which nothing changes; twice is once; squared norms add",
    CLOSE,
    _clipped,
    ORDINARY,
    subjects=(CLIP,),
    of=("ClipNorm", "ClipValue"),
    hint="the norm of each matrix is bounded instead of that of all",
)
STATE_SPLITS: Final = Law(
    "L45",
    "the optimizer's state splits and joins",
    "join(split(st)) = st, part by part as the parameters",
    EXACT,
    _splits,
    FINITE,
    subjects=(LAYER, OPTIMIZER),
    of=("SGD", "Momentum", "Adam", "AdamW", "PackedAdamW"),
    hint="a part gets another's share of the state",
    proved="proved for all layers by running the combinators on symbols",
)
RESUMES: Final = Law(
    "L49",
    "a run resumes",
    f"{sum(RUNS)} steps equal {RUNS[1]} after a restore after a save after {RUNS[0]}, with dropout's counters",
    EXACT,
    _resumes,
    FINITE,
    "it has parameters",
    subjects=(LAYER, OPTIMIZER),
    hint="the layer remembers something between calls that is not among its parameters",
)
PACKS: Final = Law(
    "L50",
    "packed moments are the wide ones, rounded",
    "after each step, the bfloat16 moments are those of AdamW rounded to nearest even",
    EXACT,
    _packs,
    ORDINARY,
    "the optimizer packs its moments",
    subjects=(OPTIMIZER,),
    of=("PackedAdamW",),
    hint="a moment is rounded before it is complete, or twice",
)
STATES: Final = (TIED, CLIPPED, STATE_SPLITS, RESUMES, PACKS)
