"""The inner loops of matrix products, written as LLVM code: strips of c, a tile at a time in registers, and packing.

A strip is up to `ROWS` rows of c; its tiles are `VECTORS` vectors wide. A tile stays in registers while the loop goes
over k: each step loads a row of b's panel and multiplies it with a number of a for every row, so that almost every
instruction is a multiplication. With 512-bit vectors 14 × 32 numbers fill 28 of the 32 registers, with 256-bit ones
6 × 16 12 of 16.

A step of k is 2·rows·width FLOPs for rows + width numbers loaded, of which 4·(rows + width) bytes come from the first
cache: with 14 × 32 nearly five FLOPs a byte, so the multipliers are the limit, not the cache. Packing moves 8 bytes a
number and computes nothing; a strip takes a's rows as they lie, too, at most 2 % slower than packed.

Numbers are added in the order of k in every tile, whatever its sizes: no result depends on how a matrix is cut.
Vectors of b are loaded whole; what they hold beyond the tile's width is multiplied, too, but never stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from llvmlite import ir

from bendtorch.kernels.packing import add_pack, add_turn
from bendtorch.kernels.prefetch import FIRST_CACHE, LINE, SECOND_CACHE, bring_near
from bendtorch.kernels.vectors import (
    F32,
    I64,
    LANES,
    VECTOR,
    WIDE,
    ZEROS,
    at,
    called,
    load,
    mask,
    opaque,
    repeated,
    splat,
    store,
)

VECTORS: Final = 2
WIDTH: Final = VECTORS * LANES
ROWS: Final = 14 if WIDE else 6  # of a strip, at most; there is code for every number of them
AT_ONCE: Final = 4  # steps of k between two looks at the loop's end
NEAR: Final = 2 * LINE  # bytes that they bring near
PARAMETERS: Final = 18
# An address in x86 code is a register and 1, 2, 4 or 8 times another. The place of a strip's row r is that of row
# `base` and `scale` times a register that holds `times` rows: few registers for fourteen rows.
PLACES: Final = (
    *((0, 1, 0), (0, 1, 1), (0, 1, 2), (0, 3, 1), (0, 1, 4), (5, 1, 0), (0, 3, 2), (5, 1, 2), (0, 1, 8), (5, 1, 4)),
    *((0, 5, 2), (5, 3, 2), (0, 3, 4), (5, 1, 8)),
)


def build() -> ir.Module:
    """A module of the functions below."""
    module = ir.Module("bendtorch")
    _add_strip(module)
    add_pack(module, "bendtorch_pack_rows", 1)
    add_pack(module, "bendtorch_pack_columns", VECTORS)
    add_turn(module)
    return module


def _add_strip(module: Any) -> None:
    """bendtorch_strip(rows, n, k, a, row, step, b, step, next, c, row, add, d, row, near, left, length, jump).

    A strip of c = a·b, with `add` 1 of c += a·b, with 2 of c += d + a·b: `rows` rows, at most `ROWS`, and n columns.
    Steps are in bytes: from one number of a to the next row's and to the next k's, from a row of b's panel to the next
    and from panel to panel, from row to row of c and of d.

    Meanwhile what is read later is brought near: `NEAR` bytes in `AT_ONCE` steps of k, from `near` on; after `left`
    bytes, and then after every `length`, it goes on `jump` bytes further.
    """
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [I64] * PARAMETERS), "bendtorch_strip")
    builder = ir.IRBuilder(function.append_basic_block())
    rows, n = function.args[:2]
    wide = builder.zext(builder.icmp_signed(">", n, ir.Constant(I64, LANES)), I64)
    unknown = function.append_basic_block()
    switch = builder.switch(builder.add(builder.mul(rows, ir.Constant(I64, 2)), wide), unknown)
    for height in range(1, ROWS + 1):
        for vectors in (1, VECTORS):
            case = ir.IRBuilder(function.append_basic_block())
            switch.add_case(ir.Constant(I64, 2 * height + vectors - 1), case.block)
            case.call(_strip(module, height, vectors), function.args[1:])
            case.ret_void()
    ir.IRBuilder(unknown).ret_void()


def _strip(module: Any, rows: int, vectors: int) -> Any:
    """The function for a strip of so many rows, in tiles of so many vectors."""
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [I64] * (PARAMETERS - 1)), f"strip_{rows}_{vectors}")
    function.linkage = "internal"
    function.attributes.add("noinline")
    n, k, a, a_row, a_step, b, b_step, b_next, c, c_row, add, d, d_row, *near = function.args
    entry = ir.IRBuilder(function.append_basic_block())
    multiples = {times: opaque(entry, entry.mul(a_row, ir.Constant(I64, times))) for times in (1, 3, 5)}
    groups, single = (divide(k, ir.Constant(I64, AT_ONCE)) for divide in (entry.udiv, entry.urem))
    width = ir.Constant(I64, LANES * vectors)
    tiles = entry.udiv(entry.add(n, ir.Constant(I64, LANES * vectors - 1)), width)

    def step(builder: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        return builder, _step(builder, states, multiples, (a_step, b_step), vectors)

    def several(builder: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        later, states = _bring_on(builder, *states[:2], *near[2:]), states[2:]
        for _ in range(AT_ONCE):
            _, states = step(builder, states)
        return builder, [*later, *states]

    def tile(builder: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        columns, right, out, before, later, left = states
        for line in _lines(builder, builder.add(out, ir.Constant(I64, 4 * LANES * vectors)), c_row, rows):
            for v in range(vectors):  # the next tile's, while this one is summed
                bring_near(builder, builder.add(line, ir.Constant(I64, 4 * LANES * v)), 0, FIRST_CACHE)
        sums = [ZEROS] * (rows * vectors)
        builder, (later, left, x, y, *sums) = repeated(builder, groups, [later, left, a, right, *sums], several)
        builder, (_, _, *sums) = repeated(builder, single, [x, y, *sums], step)
        masks = [mask(builder, columns, LANES * v) for v in range(vectors)]
        builder = _put(builder, sums, (opaque(builder, out), c_row), (opaque(builder, before), d_row), masks, add)
        further = [builder.add(x, ir.Constant(I64, 4 * LANES * vectors)) for x in (out, before)]
        return builder, [builder.sub(columns, width), builder.add(right, b_next), *further, later, left]

    done, _ = repeated(entry, tiles, [n, b, c, d, *near[:2]], tile)
    done.ret_void()
    return function


def _lines(builder: Any, address: Any, step: Any, count: int) -> Iterator[Any]:
    """Addresses that lie `step` bytes apart."""
    for _ in range(count):
        yield address
        address = opaque(builder, builder.add(address, step))


def _rows_of(sums: list[Any], vectors: int) -> list[list[Any]]:
    """A tile's sums, row by row."""
    return [sums[start : start + vectors] for start in range(0, len(sums), vectors)]


def _bring_on(builder: Any, near: Any, left: Any, length: Any, jump: Any) -> list[Any]:
    """Bring the next lines near; where the following ones are, and how many bytes are left until the next jump."""
    for offset in range(0, NEAR, LINE):
        bring_near(builder, builder.add(near, ir.Constant(I64, offset)), 0, SECOND_CACHE)
    near, left = (move(x, ir.Constant(I64, NEAR)) for move, x in ((builder.add, near), (builder.sub, left)))
    over = builder.icmp_signed("<=", left, ir.Constant(I64, 0))
    return [builder.select(over, builder.add(near, jump), near), builder.select(over, length, left)]


def _step(
    builder: Any, states: list[Any], multiples: dict[int, Any], steps: tuple[Any, Any], vectors: int
) -> list[Any]:
    """A step of k: what a row of b adds to the sums, and the addresses of the next step."""
    a, b, *sums = states
    a, b = opaque(builder, a), opaque(builder, b)
    bases = {0: a, 5: opaque(builder, builder.add(a, multiples[5]))}
    right = [builder.load(at(builder, b, 4 * LANES * v), align=4) for v in range(vectors)]
    following = []
    for (base, times, scale), totals in zip(PLACES, _rows_of(sums, vectors), strict=False):
        place = builder.add(bases[base], builder.mul(multiples[times], ir.Constant(I64, scale)))
        left = splat(builder, builder.load(builder.inttoptr(place, F32.as_pointer()), align=4))
        for v, total in enumerate(totals):
            following.append(called(builder, f"llvm.fma.v{LANES}f32", VECTOR, left, right[v], total))
    return [builder.add(a, steps[0]), builder.add(b, steps[1]), *following]


def _put(
    builder: Any, sums: list[Any], out: tuple[Any, Any], before: tuple[Any, Any], masks: list[Any], add: Any
) -> Any:
    """Store the sums in c, or add them to it, or first what is in d to them; what comes after it."""
    ways = [ir.IRBuilder(builder.function.append_basic_block()) for _ in range(3)]
    after = ir.IRBuilder(builder.function.append_basic_block())
    switch = builder.switch(add, ways[0].block)
    rows = len(sums) // len(masks)
    for way, branch in enumerate(ways):
        switch.add_case(ir.Constant(I64, way), branch.block)
        lines = zip(_lines(branch, *out, rows), _lines(branch, *before, rows), strict=True)
        for (line, earlier), totals in zip(lines, _rows_of(sums, len(masks)), strict=True):
            for v, (total, inside) in enumerate(zip(totals, masks, strict=True)):
                place, whole = at(branch, line, 4 * LANES * v), total
                if way == 2:
                    whole = branch.fadd(load(branch, at(branch, earlier, 4 * LANES * v), inside), whole)
                if way > 0:
                    whole = branch.fadd(load(branch, place, inside), whole)
                store(branch, whole, place, inside)
        branch.branch(after.block)
    return after
