"""The judge: `examine` on subjects, the tape (L37), and the proofs. Nothing else has a say.

Kernels run as plain Python, with blocks, chunks and tiles of a few numbers, so that small arrays have several of each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bendtorch.laws import examine, shrink
from bendtorch.laws.proofs import COMPOSITION, INDICES, Provable
from bendtorch.laws.source import Source
from bendtorch.laws.trial import ORDINARY
from laws import tape
from laws.registry import COMBINATORS, LAYERS, LOSSES, OPTIMIZERS, VARIANTS, WEIGHTED, Entry, of

SMALL: Final[Mapping[str, int]] = {
    "attention_columns.RUN": 2,
    "attention_grid.BLOCK": 3,
    "attention_grid.LINE": 1,
    "attention_grid.MOST_RUNS": 3,
    "attention_grid.NARROW": 2,
    "attention_grid.SPAN": 4,
    "blas.INNER": 3,
    "conv2d.CELLS": 3,
    "conv2d.FEWEST": 2,
    "conv2d.LINES": 2,
    "conv2d.MOST": 12,
    "conv2d.RUN_WORK": 16,
    "conv2d.SCRATCH": 48,
    "dropout.CHUNK": 7,
    "embedding.CHUNK": 7,
    "exp_rows.PANEL": 8,
    "exp_rows.SHORT": 4,
    "flat.CHUNK": 7,
    "linear.FEW_NUMBERS": 12,
    "linear.SUM_COLUMNS": 3,
    "mapping.CHUNK": 7,
    "mse.CHUNK": 7,
    "nll.CHUNK": 7,
    "optimizer.CHUNK": 7,
    "pooling.BLOCK": 16,
    "pooling.CHUNK": 4,
    "products.ALIGN": 2,
    "products.FEW_ROWS": 3,
    "products.FEW_ROWS_WORK": 12,
    "products.LEAST_MEAN": 4,
    "products.LEAST_SIDE": 2,
    "products.LEAST_WORK": 8,
    "products.MANY": 64,
    "rope.CHUNK": 7,
    "row_runs.CHUNK": 2,
    "row_runs.ROWS": 2,
    "rows.BLOCK": 4,
    "rows.CHUNK": 2,
    "rows.LONG": 9,
    "rows.PIECE": 3,
    "sums.BLOCK": 4,
}
"""Sizes of pieces of work, and what they are made."""

MAKERS: Final[Mapping[str, Callable[..., Any]]] = {
    "Attention": lambda b, t, kv, g, h: of.Attention(b, min(t, 5), min(kv, 2), min(g, 2), 1 + h % 3),
    "Attention, not causal": lambda b, t, kv, g, h: of.Attention(b, min(t, 5), min(kv, 2), min(g, 2), 2, causal=False),
    "PaddedAttention": lambda b, t, kv, g, h: of.PaddedAttention(b, min(t, 5), min(kv, 2), min(g, 2), 1 + h % 3),
    "RoPE": lambda b, t, h, half: of.RoPE(b * t, t, min(h, 3), min(half, 3)),
    "RoPE, later": lambda b, t, h, half: of.RoPE(b * t, t, min(h, 3), min(half, 3), offset=3),
    "RoPE, interleaved": lambda b, t, h, half: of.RoPE(b * t, t, min(h, 3), min(half, 3), interleaved=True),
    "AvgPool2d": lambda n, c, h, w: of.AvgPool2d(4 * n, min(c, 2), 2, 1 + min(w, 4), 2),
    "MaxPool2d": lambda n, c, h, w: of.MaxPool2d(4 * n, min(c, 2), 2, 1 + min(w, 4), 2),
    "LinearNB, wide": lambda n, i, o: of.LinearNB(4 * n, 4 * i, o),
}
"""Smaller layers than the registry's, where plain Python takes long; of pools, more images than an image has cells."""

LEFT_OUT: Final = {"Attention, several tiles", "LayerNorm, wide", "LogSoftmax, wide", "RMSNorm, wide", "Softmax, wide"}
"""Entries that only make several pieces of work, which all have here."""

THREADS: Final = "L69"  # not asked: plain Python has one, and the batch that it takes is large
EACH: Final = 4  # of so many cases, one is compared with the tape as well
FIRST: Final = 3  # cases of every law before there are more of any
RAISED: Final = "an error"  # what finds a fault after which no law can be compared


def prepare() -> None:
    """Make every piece of work small, in each module that has its size; report failures as they were found."""
    shrink.BUDGET = 0  # type: ignore[misc]
    modules = {name: module for name, module in sys.modules.items() if name.startswith("bendtorch.")}
    for place, small in SMALL.items():
        home, name = place.rsplit(".", 1)
        size = getattr(modules[f"bendtorch.kernels.{home}"], name)
        for module in modules.values():
            if module.__name__.endswith(f".{home}") or _takes(module, home, name, size):
                setattr(module, name, small)


def _takes(module: Any, home: str, name: str, size: int) -> bool:
    """Whether a module has imported a size from its home."""
    known = module.__dict__.get(name) == size and isinstance(size, int)
    return known and f"{module.__name__.rpartition('.')[2]}.{name}" not in SMALL and _imports(module, home)


def _imports(module: Any, home: str) -> bool:
    source = f"bendtorch.kernels.{home}"
    functions = (value for value in vars(module).values() if callable(value))
    return any(getattr(function, "__module__", "") == source for function in functions)


@dataclass(frozen=True)
class Subject:
    """What laws are checked on: its name, a maker, and the laws that it is exempt from."""

    name: str
    maker: Any
    exempt: tuple[str, ...] = ()
    program: tape.Program | None = None

    def broken(self, seed: int, cases: int) -> tuple[str, ...]:
        """The numbers of the laws that are broken; `RAISED` alone where no law can be compared."""
        try:
            failures = examine(self.maker, skip=self.exempt, cases=cases, seed=seed).failures
        except Exception:
            return (RAISED,)
        compared = [failure for failure in failures if not isinstance(failure.found, Exception)]
        if failures and not compared:
            return (RAISED,)
        if failures or self.program is None:
            return tuple(failure.law.number for failure in compared)
        return self._off_the_tape(self.program, seed, max(cases // EACH, 1))

    def _off_the_tape(self, program: tape.Program, seed: int, cases: int) -> tuple[str, ...]:
        """L37, on cases whose batch is not empty."""
        source = Source(self.maker)
        for case in range(cases):
            trial = source.drawn(seed + case, ORDINARY)
            try:
                if all(trial.sizes) and not tape.agrees(program, trial):
                    return ("L37",)
            except Exception:
                return (RAISED,)
        return ()

    def run(self) -> None:
        """Check it a little, to see which functions that runs."""
        examine(self.maker, skip=self.exempt, cases=2)


def subjects() -> dict[str, Subject]:
    """Everything that ships, as the registry lists it."""
    programs = {**tape.LAYERS, **tape.COMBINATORS}
    passes: dict[str, Entry] = {**LAYERS, **COMBINATORS, **VARIANTS, **LOSSES, **WEIGHTED}
    made = {
        name: Subject(name, MAKERS.get(name, entry.maker), (*entry.exempt, THREADS), programs.get(name))
        for name, entry in passes.items()
        if name not in LEFT_OUT
    }
    return made | {name: Subject(name, entry.maker, tuple(entry.exempt)) for name, entry in OPTIMIZERS.items()}


MEANT: Final[Mapping[str, tuple[str, ...]]] = {
    "bendtorch.layer.": ("a block", "Linear", "Both", "Repeat"),
    "bendtorch.optim.": ("Linear", "a block"),
    "bendtorch.kernels.optimizer": (*OPTIMIZERS,),
    "bendtorch.kernels.labels": ("Embedding", "CrossEntropy, ignoring"),
}
"""Who judges first what many run: layers of several parameters, a counter among them; of steps, optimizers; of ids,
what has them as its input.
"""


def meant_for(module: str) -> tuple[str, ...]:
    """Who judges first the faults of a module."""
    return next((names for start, names in MEANT.items() if module.startswith(start)), ())


PROOFS: Final[Mapping[str, tuple[Provable, ...]]] = {
    "bendtorch.combine.": COMPOSITION,
    "bendtorch.layer.": COMPOSITION,
    "bendtorch.optim.": COMPOSITION,
    "bendtorch.kernels.attention_grid": INDICES,
    "bendtorch.kernels.attention_rooms": INDICES,
    "bendtorch.kernels.attention_tiles": INDICES,
    "bendtorch.kernels.parallel": INDICES,
    "bendtorch.kernels.products": INDICES,
    "bendtorch.kernels.windows": INDICES,
}
"""What is proved of modules whose names begin so."""


def verdict(module: str, named: Iterable[Subject], cases: int) -> str:
    """Which laws a fault in a module breaks, and by what that is seen; empty where none is broken.

    Few cases on every subject come first, then the proofs, then the other cases.
    """
    left, raised = list(named), ""
    with np.errstate(all="ignore"):
        for seed, count in ((0, FIRST), (FIRST, max(cases - FIRST, 1))):
            for subject in left.copy():
                laws = subject.broken(seed, count)
                if laws == (RAISED,):
                    raised = raised or f"{RAISED}, {subject.name}"
                    left.remove(subject)
                elif laws:
                    return f"{' '.join(laws)}, {subject.name}"
            if seed == 0 and (proof := refuted(module)):
                return proof
    return raised


def refuted(module: str) -> str:
    """The first proof that fails, of those about a module."""
    theorems = next((found for name, found in PROOFS.items() if module.startswith(name)), ())
    return next((f"{theorem.law}, its proof" for theorem in theorems if not theorem.verdict().proved), "")
