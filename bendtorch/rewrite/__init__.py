"""Rewrites: functions from a layer to a layer with the same parameters, input and output, computed in another way."""

from __future__ import annotations

from bendtorch.rewrite.fused import fused

__all__ = ["fused"]
