"""Embedding: row i of y is row x[i] of a table.

    x: n ids, each in 0 to v - 1      table: v × d      y: n × d

Backward: row i of dy is added into row x[i] of the table's gradient; rows of ids that come more than once add up. Ids
have no gradient: dx is the ids themselves, a mark of the right type. It saves its input. The table is the parameter.
"""

from __future__ import annotations

from bendtorch.errors import ConfigError, IndexRangeError
from bendtorch.kernels.embedding import embedding_backward
from bendtorch.kernels.indexing import gather_rows
from bendtorch.kernels.labels import first_outside
from bendtorch.kernels.memory import empty_mat
from bendtorch.keys import Key
from bendtorch.layer import Bwd, Fwd, Info, Init, Layer, make_layer, matrix
from bendtorch.shapes.arrays import FlatF32, Ids, Mat
from bendtorch.shapes.dims import D, Dim, N, V
from bendtorch.shapes.guard import guard_ids, guard_mat, guard_target
from bendtorch.shapes.spec import check_sizes, ids_spec, mat_spec


def Embedding(
    n: Dim[N], v: Dim[V], d: Dim[D], *, padding_id: int | None = None
) -> Layer[Mat[V, D], Ids[N], Mat[N, D], Ids[N]]:
    """A table of `v` rows of `d` numbers, looked up by `n` ids: PyTorch's `nn.Embedding(v, d, padding_idx)`.

    The table starts normally distributed, with mean 0 and deviation 1. The row of `padding_id` starts as zeros, and its
    gradient is zero.

    Raises `ShapeError` when a size is not possible and `ConfigError` when `padding_id` is no row of the table; its
    passes raise `IndexRangeError` for an id outside of 0 to v - 1, and `ShapeError` or `DtypeError` for arrays of
    another shape or type.

    Laws: L24 to L27, L31 to L35, L39, L40, L44, L46 to L49, L51, L52, L63, L69.
    """
    info = _info(n, v, d, padding_id)
    name, padding = str(info), -1 if padding_id is None else padding_id

    def in_range(x: Ids[N], argument: str) -> Ids[N]:
        ids = guard_ids(x, n, name, argument)
        wrong = first_outside(ids, v)
        if wrong >= 0:
            raise IndexRangeError(f"{name}: {argument}[{wrong}] is {ids[wrong]}, ids go from 0 to {v - 1}")
        return ids

    def fwd(p: Mat[V, D], x: Ids[N]) -> Fwd[Mat[N, D], Ids[N]]:
        ids, y = in_range(x, "x"), empty_mat(n, d)
        gather_rows(guard_mat(p, (v, d), name, "weight"), ids, y)
        return Fwd(y, ids)

    def bwd(p: Mat[V, D], s: Ids[N], dy: Mat[N, D], g: Mat[V, D]) -> Bwd[Mat[V, D], Ids[N]]:
        ids, dy = in_range(s, "the saved input"), guard_mat(dy, (n, d), name, "dy")
        embedding_backward(dy, ids, padding, guard_target(g, (v, d), name, "the gradient"))
        return Bwd(ids, g)

    return make_layer(matrix(v, d, "weight", _table_init(d, padding)), fwd, bwd, info)


def _info(n: int, v: int, d: int, padding_id: int | None) -> Info:
    """What an embedding says of itself; refuses sizes and a padding that it cannot have."""
    name = f"Embedding({n}, {v}, {d})"
    check_sizes(name, n=n, v=v, d=d)
    if padding_id is not None and not (type(padding_id) is int and 0 <= padding_id < v):
        raise ConfigError(f"{name}: padding_id must be an int from 0 to {v - 1}, or None, got {padding_id!r}")
    options = {} if padding_id is None else {"padding_id": padding_id}
    ids = ids_spec(n, below=v)
    return Info("Embedding", {"n": n, "v": v, "d": d}, ids, mat_spec(n, d), ids, options=options)


def _table_init(d: int, padding: int) -> Init:
    """Normally distributed rows, but for the padding's, which is zeros."""

    def init(key: Key, count: int) -> FlatF32:
        table = key.normal(count)
        if padding >= 0:
            table[padding * d : (padding + 1) * d] = 0
        return table

    return init
