"""A Llama's tensors, one after another in the order of its leaves, under whatever names a format of files has for them.

A linear layer's weight is o × i, a norm's a vector; the numbers of a tensor are those of its leaf, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bendtorch.models.config import AnyLlama


class TensorNames(NamedTuple):
    """A format's names; `{number}` and `{part}` stand in that of a block's tensor for its block and its part.

    `parts` are the norm before attention, q, k, v, attention's output, the norm before the gated layer, and the gate,
    the values and the output of that.
    """

    table: str
    block: str
    parts: tuple[str, str, str, str, str, str, str, str, str]
    norm: str
    output: str


def named_shapes(config: AnyLlama, names: TensorNames) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes, one by one: a file that claims a billion blocks is not believed at once.

    The output has a tensor of its own where it is not tied to the table.
    """
    d, f = config.width, config.inner
    queries, keys = config.heads * config.head_dim, config.key_heads * config.head_dim
    shapes = ((d,), (queries, d), (keys, d), (keys, d), (d, queries), (d,), (f, d), (f, d), (d, f))
    yield names.table, (config.vocabulary, d)
    for number in range(config.depth):
        for part, shape in zip(names.parts, shapes, strict=True):
            yield names.block.format(number=number, part=part), shape
    yield names.norm, (d,)
    if not config.tied:
        yield names.output, (config.vocabulary, d)
