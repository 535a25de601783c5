"""The record that every loss is."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bendtorch.losses import Loss, LossOut


def test_a_loss_is_called_for_its_value_and_gradient() -> None:
    loss: Loss[Any, Any] = Loss(
        "Square(1)", lambda y, t: LossOut((y - t) ** 2, 2 * (y - t)), lambda y, t: float((y - t) ** 2)
    )
    assert loss(3.0, 1.0) == loss.grad(3.0, 1.0) == LossOut(4.0, 4.0)
    assert loss.value(3.0, 1.0) == 4.0
    assert str(loss) == "Square(1)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        loss.name = "other"  # type: ignore[misc]
