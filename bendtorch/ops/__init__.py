"""Operations on matrices for authors of layers, with exact shapes in their types.

    from bendtorch import ops

    def bwd(p: Mat[O, I], s: Mat[N, I], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[O, I], Mat[N, I]]:
        ops.accumulate(g, ops.matmul_tn(dy, s))
        return Bwd(ops.matmul(dy, p), g)

numpy's own functions do as well where mypy's plugin knows their shapes. These have more: their signatures alone say
the shapes, their arguments are checked, they run on all threads with the same bits at any number of them, and large
results use memory that was freed. Every operation gives an array of its own and leaves its arguments as they are, but
for `accumulate`.
"""

from __future__ import annotations

from bendtorch.ops.arithmetic import (
    accumulate,
    add,
    add_column,
    add_row,
    divide,
    divide_column,
    divide_row,
    maximum,
    minimum,
    multiply,
    multiply_column,
    multiply_row,
    negate,
    scale,
    shift,
    sqrt,
    square,
    subtract,
    subtract_column,
    subtract_row,
)
from bendtorch.ops.elementwise import (
    erf,
    exp,
    log,
    map,  # noqa: A004
    relu,
    sigmoid,
    tanh,
    zip,  # noqa: A004
)
from bendtorch.ops.indexing import gather_rows, scatter_add_rows
from bendtorch.ops.making import empty, full, ones, zeros
from bendtorch.ops.parts import columns, concat_columns, concat_rows, rows, transpose
from bendtorch.ops.products import matmul, matmul_nt, matmul_tn
from bendtorch.ops.sums import column_sums, row_maxima, row_sums

__all__ = [
    "accumulate",
    "add",
    "add_column",
    "add_row",
    "column_sums",
    "columns",
    "concat_columns",
    "concat_rows",
    "divide",
    "divide_column",
    "divide_row",
    "empty",
    "erf",
    "exp",
    "full",
    "gather_rows",
    "log",
    "map",
    "matmul",
    "matmul_nt",
    "matmul_tn",
    "maximum",
    "minimum",
    "multiply",
    "multiply_column",
    "multiply_row",
    "negate",
    "ones",
    "relu",
    "row_maxima",
    "row_sums",
    "rows",
    "scale",
    "scatter_add_rows",
    "shift",
    "sigmoid",
    "sqrt",
    "square",
    "subtract",
    "subtract_column",
    "subtract_row",
    "tanh",
    "transpose",
    "zeros",
    "zip",
]
