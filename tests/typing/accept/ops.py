"""The package's own operations, by their signatures alone."""

from __future__ import annotations

import sys
from typing import Final

import numpy as np
from typing_extensions import assert_type

from bendtorch import Bwd, Dim, Fwd, Ids, Layer, Lin, Mat, Unit, make_layer, ops
from bendtorch.layer import matrix, no_params
from bendtorch.ops import columns, concat_columns, rows
from bendtorch.shapes.dims import B, C, D, I, K, N, O, V

CUT: Final = 3


def products(x: Mat[N, I], w: Mat[O, I], dy: Mat[N, O], a: Mat[3, 4], b: Mat[4, 5]) -> None:
    assert_type(ops.matmul(dy, w), Mat[N, I])
    assert_type(ops.matmul_nt(x, w), Mat[N, O])
    assert_type(ops.matmul_tn(dy, x), Mat[O, I])
    assert_type(ops.matmul(a, b), Mat[3, 5])
    assert_type(ops.matmul_nt(ops.matmul(a, b), b), Mat[3, 4])
    assert_type(ops.transpose(x), Mat[I, N])
    assert_type(ops.matmul(ops.transpose(dy), x), Mat[O, I])
    assert_type(ops.matmul(dy.T, x), Mat[O, I])


def arithmetic(x: Mat[N, C], y: Mat[N, C], row: Mat[1, C], column: Mat[N, 1], a: Mat[3, "2*D"]) -> None:
    assert_type(ops.add(x, ops.subtract(x, y)), Mat[N, C])
    assert_type(ops.multiply(a, ops.divide(a, a)), Mat[3, "2*D"])
    assert_type(ops.maximum(x, ops.minimum(x, y)), Mat[N, C])
    assert_type(ops.add_row(x, row), Mat[N, C])
    assert_type(ops.subtract_row(x, ops.column_sums(y)), Mat[N, C])
    assert_type(ops.multiply_column(x, column), Mat[N, C])
    assert_type(ops.divide_column(x, ops.row_sums(x)), Mat[N, C])
    assert_type(ops.shift(ops.scale(x, 2), np.float32(0.5)), Mat[N, C])
    assert_type(ops.sqrt(ops.square(ops.negate(x))), Mat[N, C])
    assert_type(ops.accumulate(row, ops.column_sums(x)), Mat[1, C])
    assert_type(ops.row_maxima(a), Mat[3, 1])


def parts(n: Dim[N], c: Dim[C], x: Mat[N, C], y: Mat[N, D], z: Mat[6, 8]) -> None:
    assert_type(ops.rows(z, 1, CUT), Mat[2, 8])
    assert_type(ops.columns(z, 0, 8), Mat[6, 8])
    assert_type(columns(x, 0, 0), Mat[N, 0])
    assert_type(columns(x, 1, c), Mat[N, "C - 1"])
    assert_type(concat_columns(columns(x, 0, CUT), columns(x, CUT, c)), Mat[N, C])
    assert_type(ops.concat_rows(rows(x, 0, n // 2), rows(x, n // 2, n)), Mat[N, C])
    assert_type(ops.concat_columns(x, y), Mat[N, "C + D"])
    assert_type(ops.concat_rows(z, rows(z, 2, 6)), Mat[10, 8])


def cut_at_run_time(x: Mat[N, "C"], c: Dim[C], k: int) -> Mat[N, C]:
    return concat_columns(columns(x, 0, k), columns(x, k, c))


def made(n: Dim[N], k: int) -> None:
    assert_type(ops.zeros(n, 4 * n), Mat[N, "4*N"])
    assert_type(ops.ones(2, CUT), Mat[2, 3])
    assert_type(ops.full(n, 1, -np.inf), Mat[N, 1])
    assert_type(ops.empty(1, n), Mat[1, N])
    ops.add(ops.zeros(k, 3), ops.ones(k, 3))


def by_number(v: Dim[V], table: Mat[V, D], which: Ids[N], x: Mat[N, D]) -> Mat[V, D]:
    assert_type(ops.gather_rows(table, which), Mat[N, D])
    return ops.add(table, ops.scatter_add_rows(v, which, ops.subtract(x, ops.gather_rows(table, which))))


def affine(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Mat[O, I], Mat[N, I], Mat[N, O], Mat[N, I]]:
    """A layer in operations only."""

    def fwd(p: Mat[O, I], x: Mat[N, I]) -> Fwd[Mat[N, O], Mat[N, I]]:
        return Fwd(ops.matmul_nt(x, p), x)

    def bwd(p: Mat[O, I], s: Mat[N, I], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[O, I], Mat[N, I]]:
        return Bwd(ops.matmul(dy, p), ops.accumulate(g, ops.matmul_tn(dy, s)))

    return make_layer(matrix(o, i), fwd, bwd)


def softmax(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    def fwd(p: Unit, x: Mat[N, C]) -> Fwd[Mat[N, C], Mat[N, C]]:
        e = np.exp(ops.subtract_column(x, ops.row_maxima(x)))
        y = ops.divide_column(e, ops.row_sums(e))
        return Fwd(y, y)

    def bwd(p: Unit, s: Mat[N, C], dy: Mat[N, C], g: Unit) -> Bwd[Unit, Mat[N, C]]:
        inner = ops.row_sums(ops.multiply(s, dy))
        return Bwd(ops.multiply(s, ops.subtract_column(dy, inner)), g)

    return make_layer(no_params(), fwd, bwd)


def gated(n: Dim[N], d: Dim[D]) -> Layer[Unit, Mat[N, "2*D"], Mat[N, D], Mat[N, "2*D"]]:
    """The first half of the columns times the second."""

    def fwd(p: Unit, x: Mat[N, "2*D"]) -> Fwd[Mat[N, D], Mat[N, "2*D"]]:
        return Fwd(ops.multiply(ops.columns(x, 0, d), ops.columns(x, d, 2 * d)), x)

    def bwd(p: Unit, s: Mat[N, "2*D"], dy: Mat[N, D], g: Unit) -> Bwd[Unit, Mat[N, "2*D"]]:
        a, b = ops.columns(s, 0, d), ops.columns(s, d, 2 * d)
        return Bwd(ops.concat_columns(ops.multiply(dy, b), ops.multiply(dy, a)), g)

    return make_layer(no_params(), fwd, bwd)


width = int(sys.argv[1]) if len(sys.argv) > 1 else 7
model = affine(5, 8, 12) >> gated(5, 6) >> affine(5, 6, width) >> softmax(5, width)
