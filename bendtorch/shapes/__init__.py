"""Shapes: dimension variables, array types whose sizes are in the type, and their checks at run time."""

from __future__ import annotations

from bendtorch.shapes.arrays import FlatF32, Ids, Mat
from bendtorch.shapes.checked import checked
from bendtorch.shapes.dims import PROVE, Dim, Eq
from bendtorch.shapes.make import ids, mat

__all__ = ["PROVE", "Dim", "Eq", "FlatF32", "Ids", "Mat", "checked", "ids", "mat"]
