"""functools.partial."""

from __future__ import annotations

from functools import partial

from support.sketches import RoPE
from typing_extensions import assert_type

from bendtorch import Dim, Layer, Lin, Linear, Mat, ReLU, Seq, Unit
from bendtorch.shapes.dims import N

half = partial(Linear, 64)
assert_type(half(784, 128), Layer[Lin[784, 128], Mat[64, 784], Mat[64, 128], Mat[64, 784]])
named = partial(Linear, o=10)
assert_type(named(64, 784), Layer[Lin[784, 10], Mat[64, 784], Mat[64, 10], Mat[64, 784]])
assert_type(Seq(half(784, 128), half(128, 10)).zeros(), tuple[Lin[784, 128], Lin[128, 10]])


def generic(n: Dim[N]) -> Layer[Lin[5, 6], Mat[N, 5], Mat[N, 6], Mat[N, 5]]:
    return partial(Linear, n)(5, 6)


rope = partial(RoPE, 16, 8)
assert_type(rope(4, half=3), Layer[Unit, Mat[16, 24], Mat[16, 24], Unit])
again = partial(half, 784)
assert_type(again(5), Layer[Lin[784, 5], Mat[64, 784], Mat[64, 5], Mat[64, 784]])
of_sums = partial(sum, [1, 2])
assert_type(of_sums(), int)
assert_type(partial(ReLU, c=7)(3), Layer[Unit, Mat[3, 7], Mat[3, 7], Mat[3, 7]])
