"""Attention: L57 to L61; the index laws on the functions that the kernels take their indices from."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import Attention, Both, Fork, Id, LinearNB, PaddedAttention
from bendtorch.kernels import attention_grid as grid
from bendtorch.kernels.attention_grid import Heads
from laws.cases import close, law, normal, parameters, same, seeds

attention: Any = Attention
padded: Any = PaddedAttention
linear: Any = LinearNB
identity: Any = Id
positions = st.sampled_from([1, 2, 3, 5, 33, 40])
few = st.integers(1, 3)
sizes = st.tuples(few, positions, few, few, st.sampled_from([1, 2, 5]))
spoilers = st.sampled_from([np.nan, np.inf, -np.inf, 0.0, 1e30])

# The functions themselves, not their compiled forms: the laws are about indices.
VISIBLE: Any = getattr(grid.visible_keys, "py_func", grid.visible_keys)
KEY_HEAD: Any = getattr(grid.key_head, "py_func", grid.key_head)
QUERY_HEAD: Any = getattr(grid.query_head, "py_func", grid.query_head)
FIRST_COLUMN: Any = getattr(grid.first_column, "py_func", grid.first_column)
FOLDED: Any = getattr(grid.folded, "py_func", grid.folded)
RUN_BOUNDS: Any = getattr(grid.run_bounds, "py_func", grid.run_bounds)


def passes(layer: Any, x: Any, dy: Any) -> tuple[Any, Any, Any, Any]:
    """y, dq, dk, dv."""
    forward = layer.fwd((), x)
    dq, (dk, dv) = layer.bwd((), forward.s, dy, ()).dx
    return forward.y, dq, dk, dv


def by_position(array: Any, b: int) -> Any:
    """b × t × columns."""
    return array.reshape(b, len(array) // b, array.shape[1])


@law
@given(sizes, seeds, st.integers(0, 2**16), spoilers)
def test_l57_outputs_do_not_depend_on_later_inputs(size: Any, seed: int, cut: int, value: float) -> None:
    """Exactly, whatever the later numbers are; neither do the gradients of earlier queries."""
    layer, (b, t) = attention(*size), size[:2]
    x, dy = normal(layer.info.takes, seed), normal(layer.info.gives, seed + 1)
    first = cut % t
    y, dq, _, _ = passes(layer, x, dy)

    def spoiled(array: Any) -> Any:
        other = by_position(array.copy(), b)
        other[:, first:] = value
        return other.reshape(array.shape)

    with np.errstate(all="ignore"):
        later = (spoiled(x[0]), (spoiled(x[1][0]), spoiled(x[1][1])))
        new_y, new_dq, _, _ = passes(layer, later, dy)
    assert same(by_position(new_y, b)[:, :first], by_position(y, b)[:, :first])
    assert same(by_position(new_dq, b)[:, :first], by_position(dq, b)[:, :first])


@law
@given(sizes, seeds, st.integers(0, 2**16), spoilers)
def test_l57_no_gradient_flows_to_later_inputs(size: Any, seed: int, cut: int, value: float) -> None:
    """A gradient of early outputs, be it NaN, gives later inputs exactly zero."""
    layer, (b, t) = attention(*size), size[:2]
    x, dy = normal(layer.info.takes, seed), by_position(np.zeros(layer.info.gives.shape, np.float32), b)
    first = cut % t
    dy[:, :first] = value
    with np.errstate(all="ignore"):
        _, dq, dk, dv = passes(layer, x, dy.reshape(b * t, -1))
    assert not any(by_position(array, b)[:, first:].any() for array in (dq, dk, dv))


@law
@given(sizes, seeds, st.integers(0, 2**16))
def test_l57_a_prefix_of_the_output_is_the_output_of_the_prefix(size: Any, seed: int, cut: int) -> None:
    b, t, *rest = size
    short = cut % t + 1
    layer, prefix = attention(*size), attention(b, short, *rest)
    x = normal(layer.info.takes, seed)

    def before(array: Any) -> Any:
        return np.ascontiguousarray(by_position(array, b)[:, :short]).reshape(b * short, -1)

    y = prefix.fwd((), (before(x[0]), (before(x[1][0]), before(x[1][1])))).y
    assert close(y, before(layer.fwd((), x).y))


@law
@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 300), st.integers(0, 300))
def test_l57_visible_keys_as_index_sets(query: int, offset: int, keys: int, key: int) -> None:
    """Causal: exactly the keys that are there and not later than the query. A later query sees no fewer."""
    assert (key < VISIBLE(query, offset, keys, True)) == (key < keys and key <= offset + query)
    assert VISIBLE(query, offset, keys, False) == keys
    assert VISIBLE(query, offset, keys, True) <= VISIBLE(query + 1, offset, keys, True) <= keys


@law
@given(sizes, seeds)
def test_l58_a_query_head_reads_its_own_key_head(size: Any, seed: int) -> None:
    """Grouped heads are heads of one each, whose keys and values are written out g times."""
    b, t, kv, g, hd = size
    layer, alone = attention(*size), attention(b, t, kv * g, 1, hd)
    q, (k, v) = normal(layer.info.takes, seed)

    def repeated(array: Any) -> Any:
        return np.repeat(array.reshape(b * t, kv, hd), g, axis=1).reshape(b * t, -1)

    assert same(layer.fwd((), (q, (k, v))).y, alone.fwd((), (q, (repeated(k), repeated(v)))).y)


@law
@given(st.integers(1, 40), st.integers(1, 40))
def test_l58_groups_as_index_sets(kv: int, g: int) -> None:
    """Every query head is in one key head's group, g of them in each; the two functions invert each other."""
    for reads in range(kv):
        group = [QUERY_HEAD(reads, member, g) for member in range(g)]
        assert group == [head for head in range(kv * g) if KEY_HEAD(head, g) == reads]


@law
@given(st.integers(1, 40), st.integers(1, 40))
def test_l59_columns_of_heads_are_disjoint_and_complete(heads: int, hd: int) -> None:
    columns = [FIRST_COLUMN(head, hd) + d for head in range(heads) for d in range(hd)]
    assert columns == list(range(heads * hd))


@law
@given(st.integers(0, 6), positions, few, few)
def test_l59_pieces_of_work_are_disjoint_and_complete(b: int, t: int, kv: int, g: int) -> None:
    """Every query of every head once; runs cut the pieces without gap or overlap."""
    heads = Heads(t, t, kv, g, 1, True, 0)
    items = grid.forward_items(b, heads)
    covered = []
    for item in range(items):
        sequence, head, block = grid.item_place(item, heads)
        low, high = grid.block_bounds(block, t)
        covered += [(sequence, head, query) for query in range(low, high)]
    assert sorted(covered) == [(s, h, i) for s in range(b) for h in range(kv * g) for i in range(t)]
    assert sorted(FOLDED(i, t) for i in range(t)) == list(range(t))
    runs = grid.run_count(items)
    dealt = [piece for run in range(runs) for piece in range(*RUN_BOUNDS(run, runs, items))]
    assert dealt == list(range(items))


@law
@given(sizes, seeds, st.booleans())
def test_l60_sequences_together_are_one_after_another(size: Any, seed: int, causal: bool) -> None:
    b, t, *rest = size
    layer, alone = attention(*size, causal=causal), attention(1, t, *rest, causal=causal)
    x, dy = normal(layer.info.takes, seed), normal(layer.info.gives, seed + 1)
    together = passes(layer, x, dy)
    for s in range(b):
        rows = slice(s * t, (s + 1) * t)
        one = passes(alone, (x[0][rows], (x[1][0][rows], x[1][1][rows])), dy[rows])
        assert same(one, tuple(array[rows] for array in together))


@law
@given(sizes, seeds)
def test_l61_without_causality_attention_is_permutation_equivariant(size: Any, seed: int) -> None:
    b, t, *_ = size
    layer = attention(*size, causal=False)
    x, dy = normal(layer.info.takes, seed), normal(layer.info.gives, seed + 1)
    order = np.random.default_rng(seed).permutation(t)

    def permuted(array: Any) -> Any:
        return np.ascontiguousarray(by_position(array, b)[:, order]).reshape(array.shape)

    moved = passes(layer, (permuted(x[0]), (permuted(x[1][0]), permuted(x[1][1]))), permuted(dy))
    assert close(moved, tuple(map(permuted, passes(layer, x, dy))))


@law
@given(sizes, seeds, st.booleans())
def test_full_lengths_are_no_padding(size: Any, seed: int, causal: bool) -> None:
    layer, with_lengths = attention(*size, causal=causal), padded(*size, causal=causal)
    x, dy = normal(layer.info.takes, seed), normal(layer.info.gives, seed + 1)
    forward = with_lengths.fwd((), (x, np.full(*size[:2])))
    dq, (dk, dv) = with_lengths.bwd((), forward.s, dy, ()).dx[0]
    assert same((forward.y, dq, dk, dv), passes(layer, x, dy))


@law
@given(sizes, seeds)
def test_it_composes(size: Any, seed: int) -> None:
    """Projections, then attention, in a fork: the passes of the chain are those of its parts."""
    b, t, kv, g, hd = size
    n, d = b * t, 4
    wide, narrow = kv * g * hd, kv * hd
    projections = Fork(linear(n, d, wide), Fork(linear(n, d, narrow), linear(n, d, narrow)))
    wires = Both(identity(n, wide), Both(identity(n, narrow), identity(n, narrow)))
    core = attention(*size)
    block = projections >> wires >> core
    x, p, q = normal(block.info.takes, seed), parameters(block, seed + 1), parameters(projections, seed + 1)
    first = projections.fwd(q, x)
    forward = block.fwd(p, x)
    assert same(forward.y, core.fwd((), first.y).y)
    dy = normal(block.info.gives, seed + 2)
    back = core.bwd((), first.y, dy, ()).dx
    assert same(
        block.bwd(p, forward.s, dy, block.zeros()).dx,
        projections.bwd(q, first.s, back, projections.zeros()).dx,
    )
