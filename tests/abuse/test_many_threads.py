"""More threads than processors: a training step has the same bits at 1, 2, 4 and 8 threads."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from bendtorch import Adam, AvgPool2d, Conv2d, CrossEntropy, Key, LayerNorm, Linear, MaxPool2d, ReLU, Train
from bendtorch.kernels.compile import JIT
from bendtorch.models import Llama
from tests.support.threads import threads

pytestmark = pytest.mark.skipif(not JIT, reason="with the JIT off there is one thread")

COUNTS: Final = (1, 2, 4, 8)
LLAMA: Any = Llama
LOSS: Any = CrossEntropy


def language_model() -> tuple[Any, Any, Any]:
    """Products of several tiles, attention of many heads, norms, a table; and a batch."""
    generator = np.random.default_rng(0)
    ids, labels = generator.integers(0, 300, (2, 256))
    return LLAMA(4, 64, 300, 96, 2, 2, 12, 256, 2, dropout=0.1), ids, labels


def image_model() -> tuple[Any, Any, Any]:
    """A convolution, both pools, a norm, a linear layer; and a batch."""
    n, generator = 40, np.random.default_rng(0)
    conv, most, mean, norm, linear, relu = (
        layer_of(kind) for kind in (Conv2d, MaxPool2d, AvgPool2d, LayerNorm, Linear, ReLU)
    )
    pooled = most(n, 8, 28, 28, 2) >> mean(n, 8, 14, 14, 2)
    model = conv(n, 1, 28, 28, 8, 5, 5, padding=2) >> relu(n, 8 * 28 * 28) >> pooled
    model = model >> norm(n, 8 * 7 * 7) >> linear(n, 8 * 7 * 7, 300)
    x = generator.standard_normal((n, 28 * 28), dtype=np.float32)
    return model, x, generator.integers(0, 300, n)


def layer_of(kind: Any) -> Any:
    """A layer whose sizes no type follows."""
    return kind


@pytest.mark.parametrize("make", [language_model, image_model])
def test_bits_at_every_number_of_threads(make: Any) -> None:
    model, x, labels = make()
    results = set()
    for count in COUNTS:
        with threads(count):
            train = Train.new(model, Adam(1e-3), model.init(Key(0)))
            losses = [train.step(model, LOSS(len(labels), 300), x, labels) for _ in range(3)]
        results.add((tuple(losses), model.dump(train.p).tobytes()))
    assert len(results) == 1
