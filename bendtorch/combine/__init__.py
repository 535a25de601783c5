"""Combinators: layers made of layers."""

from __future__ import annotations

from bendtorch.combine.seq import Seq

__all__ = ["Seq"]
