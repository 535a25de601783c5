"""Combinators: layers made of layers, and the layers that only move values."""

from __future__ import annotations

from bendtorch.combine.arithmetic import Add2, Mul2
from bendtorch.combine.both import Both
from bendtorch.combine.fork import Fork
from bendtorch.combine.repeat import Repeat
from bendtorch.combine.reshaping import Concat, Permute, Reshape, Split
from bendtorch.combine.residual import Residual
from bendtorch.combine.seq import Seq
from bendtorch.combine.tie import Tie
from bendtorch.combine.wiring import Assoc, Copy, Drop, Id, Swap

__all__ = [
    "Add2",
    "Assoc",
    "Both",
    "Concat",
    "Copy",
    "Drop",
    "Fork",
    "Id",
    "Mul2",
    "Permute",
    "Repeat",
    "Reshape",
    "Residual",
    "Seq",
    "Split",
    "Swap",
    "Tie",
]
