"""Small Llamas with random weights, for the tests of decoding."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from bendtorch import Key
from bendtorch.models import LlamaConfig, init_normal

MAKE: Final[Any] = LlamaConfig

configs = st.builds(
    MAKE,
    st.integers(1, 30),
    st.integers(1, 20),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 24),
    st.integers(1, 3),
    eps=st.sampled_from([1e-5, 1e-2]),
    base=st.sampled_from([10000.0, 500.0]),
    tied=st.booleans(),
)

TIED: Final = MAKE(29, 24, 2, 2, 3, 40, 2, tied=True)
UNTIED: Final = MAKE(29, 20, 1, 3, 4, 36, 2, tied=False)


def with_weights(config: Any, t: int, seed: int) -> tuple[Any, Any]:
    """The model on one sequence of t tokens, and parameters: matrices and gains of a deviation of 0.25."""
    model = config.model(1, t)
    p = init_normal(model, Key(seed), 0.25)
    flat = model.dump(p)
    rng = np.random.default_rng(seed)
    start = 0
    for leaf in model.leaves:
        if leaf.vector:
            flat[start : start + leaf.cells] += rng.normal(0, 0.25, leaf.cells).astype(np.float32)
        start += leaf.cells
    model.load(p, flat, 0)
    return model, p


def some_tokens(config: Any, count: int, seed: int) -> Any:
    """Random tokens."""
    return np.random.default_rng(seed).integers(0, config.vocabulary, count)
