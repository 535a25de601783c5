"""Literal types and NewTypes."""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

from support.sketches import Fork, Residual, RMSNorm, Tie

from bendtorch import Layer, Lin, Linear, LinearNB, Mat, ReLU, Seq

L64: TypeAlias = Literal[64]
L784: TypeAlias = Literal[784]
L128: TypeAlias = Literal[128]
bad: Layer[Lin[L784, L128], Mat[L64, L784], Mat[L64, L128], Mat[L64, L784]] = Linear(64, 784, 129)  # E: the value has parameters Lin[784, 129], declared Lin[784, 128]; gives Mat[64, 129], declared Mat[64, 128]  [assignment]
Rows = NewType("Rows", int)
In = NewType("In", int)
Hidden = NewType("Hidden", int)
b, i, h = Rows(64), In(784), Hidden(128)
Linear(b, i, h) >> ReLU(b, i)  # E: >>: Linear gives Mat[Rows, Hidden], ReLU takes Mat[Rows, In]  [bend-shape]
Seq(Linear(b, i, h), ReLU(b, i))  # E: Seq: the first layer gives Mat[Rows, Hidden], the second takes Mat[Rows, In]  [bend-shape]
Residual(RMSNorm(b, i) >> LinearNB(b, i, h))  # E: Residual: the layer takes Mat[Rows, In], gives Mat[Rows, Hidden]; a residual layer must keep its shape  [bend-shape]
Fork(Linear(b, i, h), Linear(b, h, h))  # E: Fork: the first layer takes Mat[Rows, In], the second takes Mat[Rows, Hidden]; both must take the same input  [bend-shape]
Tie(Linear(b, i, i), Linear(b, i, h))  # E: Tie: the first layer has parameters Lin[In, In], the second has parameters Lin[In, Hidden]; tied layers share one set of parameters  [bend-shape]
