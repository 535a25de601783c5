"""The names that the plugin knows: where the package declares its types, and the codes of its errors."""

from __future__ import annotations

from typing import Final

from mypy.errorcodes import ErrorCode

NOT_STATIC: Final = "a shape that is not static; declare the layer with its sizes"
"""What is said of layers that meet with a size that is only known to be an int."""

PACKAGE: Final = "bendtorch."
ARRAYS: Final = "bendtorch.shapes.arrays"
ARITHMETIC: Final = "bendtorch.shapes.arith"

MAT: Final = f"{ARRAYS}.Mat"
IDS: Final = f"{ARRAYS}.Ids"
PLACES: Final = f"{ARRAYS}.Places"
MUL: Final = f"{ARITHMETIC}.Mul"
ADD: Final = f"{ARITHMETIC}.Add"
DIV: Final = f"{ARITHMETIC}.Div"
DIMS: Final = "bendtorch.shapes.dims"
SIZE_PARAMETER: Final = f"{DIMS}.Dim"
EQUATION: Final = f"{DIMS}.Eq"
PROVE: Final = f"{DIMS}.PROVE"
LAYER: Final = "bendtorch.layer.protocol.Layer"
LOSS: Final = "bendtorch.losses.loss.Loss"
MAKE_LAYER: Final = "bendtorch.layer.protocol.make_layer"
COMBINE: Final = "bendtorch.combine."
SEQ: Final = "bendtorch.combine.seq.Seq"

NUMPY: Final = "numpy."
FOREIGN: Final = ("builtins.", "typing.", "typing_extensions.", NUMPY)
"""Modules whose functions and types never carry sizes of ours by themselves."""

BEND_DIM: Final = ErrorCode("bend-dim", "A size is not known statically", "bendtorch")
BEND_SHAPE: Final = ErrorCode("bend-shape", "Shapes do not fit", "bendtorch")
BEND_PROOF: Final = ErrorCode("bend-proof", "An equation between sizes does not hold", "bendtorch")
BEND_CHAIN: Final = ErrorCode("bend-chain", "The chain around a seam", "bendtorch", default_enabled=False)
"""Notes that `bendtorch check` asks for; mypy by itself leaves them out."""

BEND_FAULT: Final = ErrorCode("bend-fault", "A fault in the plugin itself", "bendtorch")
