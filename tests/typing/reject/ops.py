"""The package's own operations on shapes that do not fit."""

from __future__ import annotations

import numpy as np

from bendtorch import Bwd, Dim, Fwd, Ids, Layer, Mat, Unit, make_layer, ops
from bendtorch.layer import matrix, no_params
from bendtorch.shapes.dims import C, D, I, N, O, V


def products(x: Mat[N, I], w: Mat[O, I], dy: Mat[N, O], a: Mat[3, 4], b: Mat[3, 5]) -> None:
    ops.matmul(x, w)  # E: matmul: "a" is Mat[N, I], "b" is Mat[O, I]  [bend-shape]
    ops.matmul_nt(dy, w)  # E: matmul_nt: "a" is Mat[N, O], "b" is Mat[O, I]  [bend-shape]
    ops.matmul_tn(x, w)  # E: matmul_tn: "a" is Mat[N, I], "b" is Mat[O, I]  [bend-shape]
    ops.matmul(a, b)  # E: matmul: "a" is Mat[3, 4], "b" is Mat[3, 5]  [bend-shape]
    ops.matmul_nt(a, b)  # E: matmul_nt: "a" is Mat[3, 4], "b" is Mat[3, 5]  [bend-shape]
    ops.matmul_tn(a, a.T)  # E: matmul_tn: "a" is Mat[3, 4], "b" is Mat[4, 3]  [bend-shape]
    turned: Mat[I, O] = ops.matmul_tn(dy, x)  # E: the value is Mat[O, I], declared Mat[I, O]; turn it round with .T  [assignment]
    kept: Mat[N, I] = ops.transpose(x)  # E: the value is Mat[I, N], declared Mat[N, I]; turn it round with .T  [assignment]


def arithmetic(x: Mat[N, C], y: Mat[N, D], row: Mat[1, C], column: Mat[N, 1], a: Mat[3, 4], b: Mat[4, 3]) -> None:
    ops.add(x, y)  # E: add: "a" is Mat[N, C], "b" is Mat[N, D]  [bend-shape]
    ops.subtract(a, b)  # E: subtract: "a" is Mat[3, 4], "b" is Mat[4, 3]  [bend-shape]
    ops.multiply(x, row)  # E: multiply: "a" is Mat[N, C], "b" is Mat[1, C]  [bend-shape]
    ops.divide(x, column)  # E: divide: "a" is Mat[N, C], "b" is Mat[N, 1]  [bend-shape]
    ops.maximum(a, ops.row_sums(a))  # E: maximum: "a" is Mat[3, 4], "b" is Mat[3, 1]  [bend-shape]
    ops.add_row(x, x)  # E: add_row: "row" is Mat[N, C], expected Mat[1, C]  [bend-shape]
    ops.add_row(x, column)  # E: add_row: "row" is Mat[N, 1], expected Mat[1, C]  [bend-shape]
    ops.subtract_row(y, row)  # E: subtract_row: "x" is Mat[N, D], "row" is Mat[1, C]  [bend-shape]
    ops.multiply_column(x, row)  # E: multiply_column: "x" is Mat[N, C], "column" is Mat[1, C]  [bend-shape]
    ops.divide_column(a, ops.row_sums(b))  # E: divide_column: "x" is Mat[3, 4], "column" is Mat[4, 1]  [bend-shape]
    ops.accumulate(row, ops.row_sums(x))  # E: accumulate: "target" is Mat[1, C], "x" is Mat[N, 1]  [bend-shape]
    ops.scale(x, column)  # E: scale: "factor" is Mat[N, 1], expected float | floating[Any]  [arg-type]
    ops.add(x, np.zeros((3, 4)))  # E: add: "a" is Mat[N, C], "b" is Mat[3, 4]  [bend-shape] # E: add: "b" is float64[3, 4], expected Mat[3, 4]; convert it with .astype(np.float32)  [arg-type]
    ops.add(a, np.zeros((3, 4)))  # E: add: "b" is float64[3, 4], expected Mat[3, 4]; convert it with .astype(np.float32)  [arg-type]
    ops.row_sums(a[0])  # E: row_sums: "x" is float32[4], expected Mat[_, _]  [arg-type]
    wrong: Mat[N, C] = ops.row_sums(x)  # E: the value is Mat[N, 1], declared Mat[N, C]  [assignment]
    wide: Mat[N, 1] = ops.column_sums(x)  # E: the value is Mat[1, C], declared Mat[N, 1]  [assignment]


def parts(n: Dim[N], c: Dim[C], x: Mat[N, C], y: Mat[N, D], z: Mat[6, 8], k: int) -> Mat[N, C]:
    few: Mat[3, 8] = ops.rows(z, 1, 3)  # E: the value is Mat[2, 8], declared Mat[3, 8]  [assignment]
    some: Mat[6, 2] = ops.columns(z, 2, c)  # E: the value is Mat[6, C - 2], declared Mat[6, 2]  [assignment]
    ops.rows(z, 1, 7)  # E: rows: start and stop must be in order between 0 and 6, the rows of "x", got 1 and 7  [bend-shape]
    ops.rows(z, 3, 1)  # E: rows: start and stop must be in order between 0 and 6, the rows of "x", got 3 and 1  [bend-shape]
    ops.columns(z, -1, 3)  # E: columns: dimension "start" is -1; a size is not negative  [bend-dim]
    ops.columns(x, 0, c + 1)  # E: columns: start and stop must be in order between 0 and C, the columns of "x", got 0 and C + 1  [bend-shape]
    ops.columns(x, c, c - 1)  # E: columns: start and stop must be in order between 0 and C, the columns of "x", got C and C - 1  [bend-shape]
    ops.rows(x, 1)  # E: Missing positional argument "stop" in call to "rows"  [call-arg]
    ops.concat_rows(x, y)  # E: concat_rows: "a" is Mat[N, C], "b" is Mat[N, D]  [bend-shape]
    ops.concat_columns(x, z)  # E: concat_columns: "a" is Mat[N, C], "b" is Mat[6, 8]  [bend-shape]
    ops.concat_columns(x, ops.rows(y, 1, n))  # E: concat_columns: "a" is Mat[N, C], "b" is Mat[N - 1, D]  [bend-shape]
    return ops.concat_columns(ops.columns(x, 0, 2), ops.columns(x, 3, c))  # E: the returned value is Mat[N, C - 1], declared Mat[N, C]  [return-value]


def made(n: Dim[N], k: float) -> Mat[N, 3]:
    ops.zeros(n, k)  # E: Argument 2 to "zeros" has incompatible type "float"; expected "int"  [arg-type]
    ops.full(n, 3, "1")  # E: Argument 3 to "full" has incompatible type "str"; expected "float | floating[Any]"  [arg-type]
    return ops.ones(3, n)  # E: the returned value is Mat[3, N], declared Mat[N, 3]; turn it round with .T  [return-value]


def by_number(v: Dim[V], table: Mat[V, D], which: Ids[N], x: Mat[N, D], y: Mat[O, D]) -> Mat[V, D]:
    ops.gather_rows(table, x)  # E: gather_rows: "ids" is Mat[N, D], expected Ids[_]  [arg-type]
    ops.scatter_add_rows(v, which, y)  # E: scatter_add_rows: "ids" is Ids[N], "x" is Mat[O, D]  [bend-shape]
    picked: Mat[V, D] = ops.gather_rows(table, which)  # E: the value is Mat[N, D], declared Mat[V, D]  [assignment]
    return ops.scatter_add_rows(v + 1, which, x)  # E: the returned value is Mat[V + 1, D], declared Mat[V, D]  [return-value]


def transposed_gradient(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Mat[O, I], Mat[N, I], Mat[N, O], Mat[N, I]]:
    def fwd(p: Mat[O, I], x: Mat[N, I]) -> Fwd[Mat[N, O], Mat[N, I]]:
        return Fwd(ops.matmul_nt(x, p), x)

    def bwd(p: Mat[O, I], s: Mat[N, I], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[O, I], Mat[N, I]]:
        return Bwd(ops.matmul(dy, p), ops.accumulate(g, ops.matmul_tn(s, dy)))  # E: accumulate: "target" is Mat[O, I], "x" is Mat[I, O]  [bend-shape]

    def other(p: Mat[O, I], s: Mat[N, I], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[O, I], Mat[N, I]]:
        return Bwd(ops.matmul(dy, p), ops.matmul_tn(s, dy))  # E: Bwd: "g" is Mat[I, O], expected Mat[O, I]; turn it round with .T  [arg-type]

    return make_layer(matrix(o, i), fwd, bwd)


def halves(n: Dim[N], d: Dim[D]) -> Layer[Unit, Mat[N, "2*D"], Mat[N, D], Mat[N, "2*D"]]:
    def fwd(p: Unit, x: Mat[N, "2*D"]) -> Fwd[Mat[N, D], Mat[N, "2*D"]]:
        return Fwd(ops.columns(x, 0, 2 * d), x)  # E: Fwd: "y" is Mat[N, 2*D], expected Mat[N, D]  [arg-type]

    def bwd(p: Unit, s: Mat[N, "2*D"], dy: Mat[N, D], g: Unit) -> Bwd[Unit, Mat[N, "2*D"]]:
        return Bwd(ops.concat_columns(dy, ops.zeros(n, 2 * d)), g)  # E: Bwd: "dx" is Mat[N, 3*D], expected Mat[N, 2*D]  [arg-type]

    return make_layer(no_params(), fwd, bwd)
