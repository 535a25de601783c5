"""Arithmetic number by number: of two matrices, of a matrix with a row, with a column, with one number.

    add        subtract        multiply        divide           two matrices of one shape
    add_row    subtract_row    multiply_row    divide_row       a row (1 × c), with every row
    add_column subtract_column multiply_column divide_column    a column (n × 1), with every column
    shift, scale                                                one number
    maximum, minimum, negate, square, sqrt, accumulate

Every result is rounded once, so the bits are those of numpy and PyTorch; NaN, infinities and signed zeros are as in
IEEE. The first operand is the matrix: `subtract_row(x, row)` is x - row. Nothing broadcasts unless its name says so.
"""

from __future__ import annotations

from bendtorch.kernels import broadcast as kernels
from bendtorch.kernels import elementwise
from bendtorch.kernels.memory import empty_mat
from bendtorch.ops.guards import Number, number, operand, operands
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, N
from bendtorch.shapes.guard import guard_mat, guard_target


def add(a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    """a + b."""
    return _with_matrix("add", kernels.ADD, a, b)


def subtract(a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    """a - b."""
    return _with_matrix("subtract", kernels.SUBTRACT, a, b)


def multiply(a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    """a · b, number by number; `matmul` is the matrix product."""
    return _with_matrix("multiply", kernels.MULTIPLY, a, b)


def divide(a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    """a / b; infinite or NaN where b is 0, without a warning."""
    return _with_matrix("divide", kernels.DIVIDE, a, b)


def maximum(a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    """The larger of a and b; NaN where either is NaN, a's number where they are equal."""
    return _with_matrix("maximum", kernels.MAXIMUM, a, b)


def minimum(a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    """The smaller of a and b; NaN where either is NaN, a's number where they are equal."""
    return _with_matrix("minimum", kernels.MINIMUM, a, b)


def add_row(x: Mat[N, C], row: Mat[1, C]) -> Mat[N, C]:
    """x + the row, in every row of x: a bias."""
    return _with_row("add_row", kernels.ADD, x, row)


def subtract_row(x: Mat[N, C], row: Mat[1, C]) -> Mat[N, C]:
    """x - the row, in every row of x."""
    return _with_row("subtract_row", kernels.SUBTRACT, x, row)


def multiply_row(x: Mat[N, C], row: Mat[1, C]) -> Mat[N, C]:
    """x · the row, in every row of x: a gain for each column."""
    return _with_row("multiply_row", kernels.MULTIPLY, x, row)


def divide_row(x: Mat[N, C], row: Mat[1, C]) -> Mat[N, C]:
    """x / the row, in every row of x."""
    return _with_row("divide_row", kernels.DIVIDE, x, row)


def add_column(x: Mat[N, C], column: Mat[N, 1]) -> Mat[N, C]:
    """x + the column, in every column of x."""
    return _with_column("add_column", kernels.ADD, x, column)


def subtract_column(x: Mat[N, C], column: Mat[N, 1]) -> Mat[N, C]:
    """x - the column, in every column of x: rows without their mean."""
    return _with_column("subtract_column", kernels.SUBTRACT, x, column)


def multiply_column(x: Mat[N, C], column: Mat[N, 1]) -> Mat[N, C]:
    """x · the column, in every column of x: a weight for each row."""
    return _with_column("multiply_column", kernels.MULTIPLY, x, column)


def divide_column(x: Mat[N, C], column: Mat[N, 1]) -> Mat[N, C]:
    """x / the column, in every column of x: rows divided by their sums."""
    return _with_column("divide_column", kernels.DIVIDE, x, column)


def scale(x: Mat[N, C], factor: Number) -> Mat[N, C]:
    """x · factor, the factor rounded to float32 first."""
    return _with_number("scale", kernels.MULTIPLY, x, factor, "factor")


def shift(x: Mat[N, C], offset: Number) -> Mat[N, C]:
    """x + offset, the offset rounded to float32 first."""
    return _with_number("shift", kernels.ADD, x, offset, "offset")


def negate(x: Mat[N, C]) -> Mat[N, C]:
    """-x."""
    return _with_number("negate", kernels.MULTIPLY, x, -1, "factor")


def square(x: Mat[N, C]) -> Mat[N, C]:
    """x · x, number by number."""
    x = operand(x, "square", "x")
    return multiply(x, x)


def sqrt(x: Mat[N, C]) -> Mat[N, C]:
    """√x; NaN where x is less than 0, without a warning."""
    x = operand(x, "sqrt", "x")
    out = _like(x)
    elementwise.sqrt(x, out)
    return out


def accumulate(target: Mat[N, C], x: Mat[N, C]) -> Mat[N, C]:
    """Add x into `target` in place, and give `target`: what a backward pass does with a parameter's gradient.

    The only operation that changes an argument. Raises `ShapeError` when `target` is not writable and in C order.
    """
    into = guard_target(target, operand(target, "accumulate", "target").shape, "accumulate", "target")
    kernels.accumulate(guard_mat(x, into.shape, "accumulate", "x"), into)
    return target


def _with_matrix(name: str, operation: int, a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    a, b = operands(a, b, name)
    out = _like(a)
    kernels.with_matrix(operation, a, b, out)
    return out


def _with_row(name: str, operation: int, x: Mat[N, C], row: Mat[1, C]) -> Mat[N, C]:
    x = operand(x, name, "x")
    out = _like(x)
    kernels.with_row(operation, x, guard_mat(row, (1, x.shape[1]), name, "row"), out)
    return out


def _with_column(name: str, operation: int, x: Mat[N, C], column: Mat[N, 1]) -> Mat[N, C]:
    x = operand(x, name, "x")
    out = _like(x)
    kernels.with_column(operation, x, guard_mat(column, (x.shape[0], 1), name, "column"), out)
    return out


def _with_number(name: str, operation: int, x: Mat[N, C], value: Number, argument: str) -> Mat[N, C]:
    x = operand(x, name, "x")
    out = _like(x)
    kernels.with_number(operation, x, number(value, name, argument), out)
    return out


def _like(x: Mat[N, C]) -> Mat[N, C]:
    n, c = x.shape
    return empty_mat(n, c)
