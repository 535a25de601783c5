"""Packing for matrix products, as LLVM code: copies of rows, cut into panels, and transposed blocks.

8 bytes a number, read where the matrix lies and written into a cache; nothing is computed. A transposed block of 16
rows and columns is 64 shuffles of vectors, which take longer than its loads and stores.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir

from bendtorch.kernels.vectors import I64, INDICES, LANES, at, load, mask, repeated

PACK: Final = ir.FunctionType(ir.VoidType(), [I64] * 7)
TURN: Final = ir.FunctionType(ir.VoidType(), [I64] * 6)


def add_pack(module: Any, name: str, vectors: int) -> None:
    """name(source, step, k, count, width, out, to next): k rows of `count` numbers, cut into panels of `width` columns.

    A row of a panel is `vectors` vectors, at least as wide: behind its columns stand those of the next panel, or zeros
    where the source has no more numbers. The next panel begins `to next` bytes further.
    """
    function = ir.Function(module, PACK, name)
    source, step, k, count, width, out, to_next = function.args
    entry = ir.IRBuilder(function.append_basic_block())
    panels = entry.udiv(entry.sub(entry.add(count, width), ir.Constant(I64, 1)), width)
    further = entry.mul(width, ir.Constant(I64, 4))

    def panel(builder: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        left, read, write = states
        for v in range(vectors):
            numbers = load(builder, at(builder, read, 4 * LANES * v), mask(builder, left, LANES * v))
            builder.store(numbers, at(builder, write, 4 * LANES * v), align=4)
        return builder, [builder.sub(left, width), builder.add(read, further), builder.add(write, to_next)]

    def row(builder: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        read, write = states
        after, _ = repeated(builder, panels, [count, read, write], panel)
        return after, [after.add(read, step), after.add(write, ir.Constant(I64, 4 * LANES * vectors))]

    done, _ = repeated(entry, k, [source, out], row)
    done.ret_void()


def add_turn(module: Any) -> None:
    """bendtorch_turn(source, step, rows, depth, out, out step): a block of `LANES` rows and columns, transposed.

    Of the source, `rows` rows are read and `depth` of their numbers. The block is written whole: with the last row
    again for those that there are not, and zeros for the numbers.
    """
    function = ir.Function(module, TURN, "bendtorch_turn")
    source, step, rows, depth, out, out_step = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    inside, last = mask(builder, depth, 0), builder.sub(rows, ir.Constant(I64, 1))
    vectors = []
    for r in range(LANES):
        row = ir.Constant(I64, r)
        row = builder.select(builder.icmp_signed("<", row, last), row, last)
        vectors.append(load(builder, at(builder, builder.add(source, builder.mul(row, step)), 0), inside))
    half = LANES // 2
    pairs = [[start + j // 2 + j % 2 * LANES for j in range(LANES)] for start in (0, half)]
    orders = [ir.Constant(INDICES, pair) for pair in pairs]
    for _ in range(LANES.bit_length() - 1):  # each time, vectors that are half of them apart are interleaved
        vectors = [
            builder.shuffle_vector(vectors[i], vectors[i + half], order) for i in range(half) for order in orders
        ]
    for r in range(LANES):
        place = builder.add(out, builder.mul(out_step, ir.Constant(I64, r)))
        builder.store(vectors[r], at(builder, place, 0), align=4)
    builder.ret_void()
