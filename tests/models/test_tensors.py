"""The tensors of a Llama: the shapes of its leaves in their order, each under a name of its own."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from bendtorch.models import LlamaConfig
from bendtorch.models.tensors import TensorNames, named_shapes

ANY: Any = LlamaConfig
PARTS: Final = ("n1", "q", "k", "v", "o", "n2", "gate", "up", "down")
NAMES: Final = TensorNames("table", "{number}/{part}", PARTS, "norm", "output")
SMALL = st.integers(1, 5)


@given(sizes=st.tuples(*[SMALL] * 7), tied=st.booleans())
def test_they_are_the_models_leaves_in_their_order(sizes: tuple[int, ...], tied: bool) -> None:
    config = ANY(*sizes, tied=tied)
    tensors = list(named_shapes(config, NAMES))
    assert [shape for _, shape in tensors] == [leaf.stored_shape for leaf in config.model(1, 1).leaves]
    assert len(dict(tensors)) == len(tensors)


def test_their_names_are_the_formats() -> None:
    tied = [name for name, _ in named_shapes(ANY(11, 12, 2, 3, 2, 5, 2), NAMES)]
    assert tied == ["table", *(f"{number}/{part}" for number in (0, 1) for part in PARTS), "norm"]
    untied = [name for name, _ in named_shapes(ANY(11, 12, 2, 3, 2, 5, 2, tied=False), NAMES)]
    assert untied == [*tied, "output"]


def test_a_claim_of_a_billion_blocks_is_not_written_out() -> None:
    tensors = named_shapes(ANY(11, 12, 2, 3, 2, 5, 10**9), NAMES)
    assert next(tensors) == ("table", (11, 12))
    assert next(tensors) == ("0/n1", (12,))
