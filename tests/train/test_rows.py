"""Models and losses as functions of the number of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import MSE, Dropout, Key
from bendtorch.errors import ConfigError
from bendtorch.train.rows import built_once
from tests.support.models import mlp

DROPOUT: Any = Dropout
LOSS: Any = MSE


def test_each_size_is_built_once() -> None:
    built: list[int] = []

    def model(n: int) -> Any:
        built.append(n)
        return mlp(n)

    model_of, loss_of = built_once("f", model, lambda n: LOSS(n, 2))
    assert model_of(3) is model_of(3)
    assert model_of(4) is not model_of(3)
    assert loss_of(3) is loss_of(3)
    assert built == [3, 4]


def test_evaluation_is_without_dropout() -> None:
    training, _ = built_once("f", lambda n: DROPOUT(n, 4, 0.5, 1), LOSS)
    evaluating, _ = built_once("f", lambda n: DROPOUT(n, 4, 0.5, 1), LOSS, evaluating=True)
    x, p = np.ones((3, 4), np.float32), training(3).init(Key(0))
    assert set(training(3).fwd(p, x).y.reshape(-1)) == {0.0, 2.0}
    assert np.array_equal(evaluating(3).fwd(p, x).y, x)


@pytest.mark.parametrize(
    ("model", "loss", "text"),
    [
        (mlp(3), LOSS, r"model must be a function of the number of rows, .*; got Seq\(LinearFirst\(3, 3, 4\)"),
        (mlp, LOSS(3, 2), r"loss must be a function of the number of rows, .*; got "),
        ("mlp", LOSS, "model must be a function of the number of rows, .*; got 'mlp'"),
    ],
)
def test_what_is_no_function_is_refused(model: Any, loss: Any, text: str) -> None:
    with pytest.raises(ConfigError, match=f"^f: {text}"):
        built_once("f", model, loss)
