"""What a layer says of itself."""

from __future__ import annotations

from typing import Any

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
