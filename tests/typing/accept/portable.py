"""The style that other type checkers understand as well: literal types and NewTypes."""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

from bendtorch import Layer, Lin, Linear, Mat, ReLU

L64: TypeAlias = Literal[64]
L784: TypeAlias = Literal[784]
L128: TypeAlias = Literal[128]
ok: Layer[Lin[L784, L128], Mat[L64, L784], Mat[L64, L128], Mat[L64, L784]] = Linear(64, 784, 128)
Rows = NewType("Rows", int)
In = NewType("In", int)
Hidden = NewType("Hidden", int)
b, i, h = Rows(64), In(784), Hidden(128)
net = Linear(b, i, h) >> ReLU(b, h) >> Linear(b, h, i)
