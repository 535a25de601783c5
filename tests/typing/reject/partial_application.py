"""functools.partial."""

from __future__ import annotations

from functools import partial

from bendtorch import Layer, Lin, Linear, Mat, ReLU, Seq

half = partial(Linear, 64)
Seq(half(784, 128), half(127, 10))  # E: Seq: the first layer gives Mat[64, 128], the second takes Mat[64, 127]  [bend-shape]
half(784)  # E: Missing positional argument "o" in call to "Linear"  [call-arg]
half(784, "x")  # E: Argument 2 to "Linear" has incompatible type "str"; expected "int"  [arg-type]
partial(Linear, int(input()))  # E: Linear: dimension "n" is not static; bind it to a name first, as in "n = int(input())"  [bend-dim]
wrong: Layer[Lin[3, 4], Mat[64, 3], Mat[64, 5], Mat[64, 3]] = half(3, 4)  # E: the value gives Mat[64, 4], declared Mat[64, 5]  [assignment]
partial(ReLU, 3)(4) >> ReLU(3, 5)  # E: >>: the left ReLU gives Mat[3, 4], the right ReLU takes Mat[3, 5]  [bend-shape]
