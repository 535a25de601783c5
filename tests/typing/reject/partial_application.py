"""functools.partial."""

from __future__ import annotations

from functools import partial

from bendtorch import Layer, Lin, Linear, Mat, ReLU, Seq

half = partial(Linear, 64)
Seq(half(784, 128), half(127, 10))  # E
half(784)  # E
half(784, "x")  # E
partial(Linear, int(input()))  # E
wrong: Layer[Lin[3, 4], Mat[64, 3], Mat[64, 5], Mat[64, 3]] = half(3, 4)  # E
partial(ReLU, 3)(4) >> ReLU(3, 5)  # E
