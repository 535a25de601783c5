"""Literal types and NewTypes."""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

from bendtorch import Layer, Lin, Linear, LinearNB, Mat, ReLU, Seq
from support.sketches import Fork, Residual, RMSNorm, Tie

L64: TypeAlias = Literal[64]
L784: TypeAlias = Literal[784]
L128: TypeAlias = Literal[128]
bad: Layer[Lin[L784, L128], Mat[L64, L784], Mat[L64, L128], Mat[L64, L784]] = Linear(64, 784, 129)  # E
Rows = NewType("Rows", int)
In = NewType("In", int)
Hidden = NewType("Hidden", int)
b, i, h = Rows(64), In(784), Hidden(128)
Linear(b, i, h) >> ReLU(b, i)  # E
Seq(Linear(b, i, h), ReLU(b, i))  # E
Residual(RMSNorm(b, i) >> LinearNB(b, i, h))  # E
Fork(Linear(b, i, h), Linear(b, h, h))  # E
Tie(Linear(b, i, i), Linear(b, i, h))  # E
