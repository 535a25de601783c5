"""The names of the operations."""

from __future__ import annotations

from bendtorch.kernels.block_ops import Op, arity


def test_how_many_numbers_an_operation_takes() -> None:
    assert [arity(op) for op in (Op.NEG, Op.SILU, Op.ADD, Op.SILU_GRADIENT, Op.WHERE, Op.FMA)] == [1, 1, 2, 2, 3, 3]
