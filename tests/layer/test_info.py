"""What a layer says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from bendtorch import Fork, Repeat, Residual, Seq
from bendtorch.errors import ShapeError
from bendtorch.layer import Info
from bendtorch.layers import LinearNB, ReLU


def test_text_is_the_call_that_built_it() -> None:
    layer: Any = LinearNB
    assert str(Info("layer")) == "layer()"
    assert str(Info("Linear", {"n": 32, "i": 64, "o": 10})) == "Linear(32, 64, 10)"
    assert str(Info("RMSNorm", {"n": 8}, options={"eps": 0.1})) == "RMSNorm(8, eps=0.1)"
    assert str(Info("Twice", parts=(layer(1, 2, 3), layer(1, 3, 2)))) == "Twice(LinearNB(1, 2, 3), LinearNB(1, 3, 2))"


def test_nothing_is_known_unless_said() -> None:
    info = Info("layer")
    assert (info.takes, info.gives, info.saves) == (None, None, None)
    assert (info.parts, dict(info.sizes), info.input_gradient) == ((), {}, True)
    relu: Any = ReLU
    assert relu(2, 3).info.saves == relu(2, 3).info.gives


def test_a_long_model_is_short_in_a_line() -> None:
    relu: Any = ReLU
    row = [relu(2, 3)] * 12
    short, long = Seq(*row[:2]), Seq(*row)
    assert short.info.brief == str(short) == "Seq(ReLU(2, 3), ReLU(2, 3))"
    assert long.info.brief == "Seq of 12 layers"
    assert str(long) == f"Seq({', '.join(['ReLU(2, 3)'] * 12)})"
    assert Repeat(4, long).info.brief == "Repeat(4, Seq of 12 layers)"
    assert Residual(long).info.brief == "Residual(Seq of 12 layers)"
    assert Fork(long, relu(2, 3)).info.brief == "Fork(Seq of 12 layers, ReLU(2, 3))"
    deep: Any = relu(2, 3)
    for _ in range(8):
        deep = Fork(deep, Fork(relu(2, 3), relu(2, 3)))
    assert len(deep.info.brief) <= 100


def test_messages_are_short() -> None:
    relu: Any = ReLU
    long = Seq(*[relu(2, 3)] * 12)
    for call in (lambda: Fork(long, relu(2, 4)), lambda: Repeat(2, long) >> relu(2, 4), lambda: long.fwd((), None)):
        with pytest.raises(ShapeError) as raised:
            call()
        assert "Seq of 12 layers" in str(raised.value)
        assert len(str(raised.value)) < 160
