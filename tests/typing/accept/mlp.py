"""A multi-layer perceptron, with sizes as numbers, as constants, and as parameters."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import assert_type

from bendtorch import Dim, Layer, Lin, Linear, LinearFirst, LinearNB, Mat, ReLU, Seq, Unit
from bendtorch.shapes.dims import I, N, O

BATCH: Final = 64


def five_columns() -> Mat[3, 5]:
    raise NotImplementedError


by_shift = Linear(BATCH, 784, 128) >> ReLU(BATCH, 128) >> Linear(BATCH, 128, 10)
assert_type(
    by_shift,
    Layer[
        tuple[tuple[Lin[784, 128], Unit], Lin[128, 10]],
        Mat[64, 784],
        Mat[64, 10],
        tuple[tuple[Mat[64, 784], Mat[64, 128]], Mat[64, 128]],
    ],
)
by_seq = Seq(Linear(BATCH, 784, 128), ReLU(BATCH, 128), Linear(BATCH, 128, 10))
assert_type(
    by_seq,
    Layer[
        tuple[Lin[784, 128], tuple[Unit, Lin[128, 10]]],
        Mat[64, 784],
        Mat[64, 10],
        tuple[Mat[64, 784], tuple[Mat[64, 128], Mat[64, 128]]],
    ],
)
assert_type(LinearNB(3, 4, 5), Layer[Mat[5, 4], Mat[3, 4], Mat[3, 5], Mat[3, 4]])
keywords = Linear(o=10, n=3, i=4) >> ReLU(c=10, n=3)
assert_type(keywords.zeros(), tuple[Lin[4, 10], Unit])


def mlp(n: Dim[N]) -> Layer[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]], Mat[N, 64], Mat[N, 10], Any]:
    return LinearFirst(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)


def wide(
    n: Dim[N], i: Dim[I], o: Dim[O]
) -> Layer[tuple[Lin[I, "4*I"], tuple[Unit, Lin["I*4", O]]], Mat[N, I], Mat[N, O], Any]:
    hidden = 4 * i
    return Seq(Linear(n, i, hidden), ReLU(n, i * 4), Linear(n, 3 * i + i, o))


def stacked(n: Dim[N], i: Dim[I]) -> Layer[Any, Mat[N, I], Mat[N, "2*I"], Any]:
    return wide(n, i, i) >> wide(n, i, 2 * i)


assert_type(mlp(BATCH).zeros(), tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]])
assert_type(wide(BATCH, 32, 10).zeros(), tuple[Lin[32, 128], tuple[Unit, Lin[128, 10]]])
assert_type(stacked(2 * BATCH, 8), Layer[Any, Mat[128, 8], Mat[128, 16], Any])

six = Seq(Linear(3, 10, 20), ReLU(3, 20), Linear(3, 20, 30), ReLU(3, 30), Linear(3, 30, 40), Linear(3, 40, 50))
assert_type(
    six.zeros(),
    tuple[Lin[10, 20], tuple[Unit, tuple[Lin[20, 30], tuple[Unit, tuple[Lin[30, 40], Lin[40, 50]]]]]],
)
assert_type(six.fwd(six.zeros(), Linear(3, 5, 10).fwd(Linear(3, 5, 10).zeros(), five_columns()).y).y, Mat[3, 50])


chosen = ReLU(3, 4) if BATCH else ReLU(3, 4)
assert_type(Linear(3, 5, 4) >> chosen, Layer[tuple[Lin[5, 4], Unit], Mat[3, 5], Mat[3, 4], tuple[Mat[3, 5], Mat[3, 4]]])
untyped: Layer[Any, Any, Any, Any] = Linear(64, 784, 128)
Seq(untyped, Linear(64, 5, 6))
