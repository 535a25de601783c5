"""The inner loops of matrix products, written as LLVM code: a tile of c in registers, and packing.

A tile is up to `ROWS` rows of `VECTORS` vectors of c. They stay in registers while the loop goes over k: each step
loads a row of b's panel and multiplies it with a number of a for every row, so that almost every instruction is a
multiplication. With 512-bit vectors 14 × 32 numbers fill 28 of the 32 registers, with 256-bit ones 6 × 16 12 of 16.

A step of k is 2·rows·width FLOPs for rows + width numbers loaded, of which 4·(rows + width) bytes come from the first
cache: with 14 × 32 nearly five FLOPs a byte, so the multipliers are the limit, not the cache. Packing moves 8 bytes a
number and computes nothing.

Numbers are added in the order of k in every tile, whatever its sizes: no result depends on how a matrix is cut.
Vectors of b are loaded whole; what they hold beyond the tile's width is multiplied, too, but never stored.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir

from bendtorch.kernels.machine_code import features
from bendtorch.kernels.prefetch import FIRST_CACHE, SECOND_CACHE, bring_near

I32: Final = ir.IntType(32)
I64: Final = ir.IntType(64)
F32: Final = ir.FloatType()
FEATURES: Final = features()
WIDE: Final = "+avx512f" in FEATURES
SUPPORTED: Final = WIDE or {"+avx2", "+fma"} <= FEATURES
LANES: Final = 16 if WIDE else 8
VECTORS: Final = 2
WIDTH: Final = VECTORS * LANES
HEIGHTS: Final = (14, 8, 4, 2, 1) if WIDE else (6, 4, 2, 1)  # the tiles that there are; others are made of several
ROWS: Final = HEIGHTS[0]
VECTOR: Final = ir.VectorType(F32, LANES)
INDICES: Final = ir.VectorType(I32, LANES)
TILE: Final = ir.FunctionType(ir.VoidType(), [I64] * 13)
PACK: Final = ir.FunctionType(ir.VoidType(), [I64] * 6)
ALIGN: Final = ir.Constant(I32, 4)  # no address need be a multiple of more
ZEROS: Final = ir.Constant(VECTOR, [0.0] * LANES)


def build() -> ir.Module:
    """A module of the functions below."""
    module = ir.Module("bendtorch")
    _add_tile(module)
    _add_pack(module, "bendtorch_pack_rows", ROWS)
    _add_pack(module, "bendtorch_pack_columns", WIDTH)
    _add_turn(module)
    return module


def _called(builder: Any, name: str, result: Any, *args: Any) -> Any:
    """A call of one of LLVM's own functions."""
    module = builder.module
    function = module.globals.get(name)
    if function is None:
        function = ir.Function(module, ir.FunctionType(result, [arg.type for arg in args]), name)
    return builder.call(function, args)


def _at(builder: Any, address: Any, offset: int) -> Any:
    """A pointer to the vector `offset` bytes behind an address."""
    return builder.inttoptr(builder.add(address, ir.Constant(I64, offset)), VECTOR.as_pointer())


def _splat(builder: Any, number: Any) -> Any:
    """A vector of equal numbers."""
    kind = ir.VectorType(number.type, LANES)
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(I32, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(INDICES, [0] * LANES))


def _mask(builder: Any, count: Any, first: int) -> Any:
    """Which of the lanes, numbered from `first` on, are below `count`."""
    lanes = ir.Constant(INDICES, list(range(first, first + LANES)))
    return builder.icmp_signed("<", lanes, _splat(builder, builder.trunc(count, I32)))


def _load(builder: Any, pointer: Any, mask: Any) -> Any:
    """Numbers from an address; zeros, and no access, where the mask is off."""
    return _called(builder, f"llvm.masked.load.v{LANES}f32.p0", VECTOR, pointer, ALIGN, mask, ZEROS)


def _store(builder: Any, vector: Any, pointer: Any, mask: Any) -> None:
    _called(builder, f"llvm.masked.store.v{LANES}f32.p0", ir.VoidType(), vector, pointer, ALIGN, mask)


def _add_tile(module: Any) -> None:
    """bendtorch_tile(rows, k, a, a step, b, b step, c, c step, width, add, ahead, ahead row, ahead step): c (+)= a·b.

    Steps are in bytes: from one k to the next in a and b, from row to row in c. In a the numbers of one k lie side by
    side. `rows` is one of `HEIGHTS`, k at least 1. What is read later is brought near meanwhile: two rows, at `ahead`
    and `ahead row` further, `ahead step` bytes of each for every k.
    """
    function = ir.Function(module, TILE, "bendtorch_tile")
    builder = ir.IRBuilder(function.append_basic_block())
    rows, rest, width = function.args[0], function.args[1:], function.args[8]
    wide = builder.zext(builder.icmp_signed(">", width, ir.Constant(I64, LANES)), I64)
    unknown = function.append_basic_block()
    switch = builder.switch(builder.add(builder.mul(rows, ir.Constant(I64, 2)), wide), unknown)
    for height in HEIGHTS:
        for vectors in (1, VECTORS):
            case = ir.IRBuilder(function.append_basic_block())
            switch.add_case(ir.Constant(I64, 2 * height + vectors - 1), case.block)
            case.call(_tile(module, height, vectors), rest)
            case.ret_void()
    ir.IRBuilder(unknown).ret_void()


def _tile(module: Any, rows: int, vectors: int) -> Any:
    """The function for a tile of so many rows and vectors."""
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [I64] * 12), f"tile_{rows}_{vectors}")
    function.linkage = "internal"
    function.attributes.add("noinline")
    k, a, a_step, b, b_step, c, c_step, width, add, *ahead = function.args
    entry = ir.IRBuilder(function.append_basic_block())
    masks = [_mask(entry, width, LANES * v) for v in range(vectors)]
    lines = [entry.add(c, entry.mul(c_step, ir.Constant(I64, r))) for r in range(rows)]
    cells = [(_at(entry, line, 4 * LANES * v), masks[v]) for line in lines for v in range(vectors)]
    for line in lines:
        for v in range(vectors):
            next_cell = entry.add(line, ir.Constant(I64, 4 * (WIDTH + LANES * v)))
            bring_near(entry, next_cell, 0, FIRST_CACHE)  # the next tile's, while this one is summed
    loop, plain, adding = (ir.IRBuilder(function.append_basic_block()) for _ in range(3))
    entry.branch(loop.block)
    sums = _sum(loop, entry.block, (k, a, b), (a_step, b_step), rows, vectors, ahead)
    done = ir.IRBuilder(function.append_basic_block())
    loop.cbranch(sums.pop(), done.block, loop.block)
    done.cbranch(done.icmp_signed("==", add, ir.Constant(I64, 0)), plain.block, adding.block)
    for (pointer, mask), total in zip(cells, sums, strict=True):
        _store(plain, total, pointer, mask)
        _store(adding, adding.fadd(_load(adding, pointer, mask), total), pointer, mask)
    plain.ret_void()
    adding.ret_void()
    return function


def _sum(loop: Any, before: Any, starts: Any, steps: Any, rows: int, vectors: int, ahead: Any) -> list[Any]:
    """The loop over k: its sums, and whether it is done."""
    k, a, b, later = (loop.phi(I64) for _ in range(4))
    sums = [loop.phi(VECTOR) for _ in range(rows * vectors)]
    for address in (later, loop.add(later, ahead[1])):
        bring_near(loop, address, 0, SECOND_CACHE)
    right = [loop.load(_at(loop, b, 4 * LANES * v), align=4) for v in range(vectors)]
    following = []
    for r in range(rows):
        number = loop.load(loop.inttoptr(loop.add(a, ir.Constant(I64, 4 * r)), F32.as_pointer()), align=4)
        left = _splat(loop, number)
        for v in range(vectors):
            total = sums[r * vectors + v]
            following.append(_called(loop, f"llvm.fma.v{LANES}f32", VECTOR, left, right[v], total))
    left_over = loop.sub(k, ir.Constant(I64, 1))
    moved = [left_over, loop.add(a, steps[0]), loop.add(b, steps[1]), loop.add(later, ahead[2])]
    for phi, start, value in zip((k, a, b, later), (*starts, ahead[0]), moved, strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(value, loop.block)
    for phi, value in zip(sums, following, strict=True):
        phi.add_incoming(ZEROS, before)
        phi.add_incoming(value, loop.block)
    return [*following, loop.icmp_signed("==", left_over, ir.Constant(I64, 0))]


def _add_pack(module: Any, name: str, width: int) -> None:
    """name(source, step, k, count, out, to next): k rows of `count` numbers, cut into panels of `width` columns.

    A panel's rows lie without a gap, with zeros where the source has no more numbers; the next panel begins `to next`
    bytes further. Whole vectors are written: of the last row also what lies behind it.
    """
    function = ir.Function(module, PACK, name)
    source, step, k, count, out, to_next = function.args
    zero = ir.Constant(I64, 0)
    entry, rows, panels, after, end = (ir.IRBuilder(function.append_basic_block()) for _ in range(5))
    entry.branch(rows.block)
    p, x, place = (rows.phi(I64) for _ in range(3))
    rows.branch(panels.block)
    left, read, write = (panels.phi(I64) for _ in range(3))
    for offset in range(0, width, LANES):
        numbers = _load(panels, _at(panels, read, 4 * offset), _mask(panels, left, offset))
        panels.store(numbers, _at(panels, write, 4 * offset), align=4)
    less = panels.sub(left, ir.Constant(I64, width))
    moved = [less, panels.add(read, ir.Constant(I64, 4 * width)), panels.add(write, to_next)]
    for phi, start, value in zip((left, read, write), (count, x, place), moved, strict=True):
        phi.add_incoming(start, rows.block)
        phi.add_incoming(value, panels.block)
    panels.cbranch(panels.icmp_signed(">", less, zero), panels.block, after.block)
    fewer = after.sub(p, ir.Constant(I64, 1))
    following = [fewer, after.add(x, step), after.add(place, ir.Constant(I64, 4 * width))]
    for phi, start, value in zip((p, x, place), (k, source, out), following, strict=True):
        phi.add_incoming(start, entry.block)
        phi.add_incoming(value, after.block)
    after.cbranch(after.icmp_signed(">", fewer, zero), rows.block, end.block)
    end.ret_void()


def _add_turn(module: Any) -> None:
    """bendtorch_turn(source, step, rows, depth, out, out step): a block of `LANES` rows and columns, transposed.

    Of the source, `rows` rows are read and `depth` of their numbers. The block is written whole: with the last row
    again for those that there are not, and zeros for the numbers.
    """
    function = ir.Function(module, PACK, "bendtorch_turn")
    source, step, rows, depth, out, out_step = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    mask, last = _mask(builder, depth, 0), builder.sub(rows, ir.Constant(I64, 1))
    vectors = []
    for r in range(LANES):
        row = ir.Constant(I64, r)
        row = builder.select(builder.icmp_signed("<", row, last), row, last)
        vectors.append(_load(builder, _at(builder, builder.add(source, builder.mul(row, step)), 0), mask))
    half = LANES // 2
    pairs = [[start + j // 2 + j % 2 * LANES for j in range(LANES)] for start in (0, half)]
    orders = [ir.Constant(INDICES, pair) for pair in pairs]
    for _ in range(LANES.bit_length() - 1):  # each time, vectors that are half of them apart are interleaved
        vectors = [
            builder.shuffle_vector(vectors[i], vectors[i + half], order) for i in range(half) for order in orders
        ]
    for r in range(LANES):
        place = builder.add(out, builder.mul(out_step, ir.Constant(I64, r)))
        builder.store(vectors[r], _at(builder, place, 0), align=4)
    builder.ret_void()
