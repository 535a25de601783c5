"""What the plugin says of numpy's results is what numpy gives: shape and type of the numbers, number by number."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, Final

import numpy as np
import pytest

from bendtorch.mypy_plugin.wording import in_words
from tests.typing.harness import Project

HEADER: Final = """
from __future__ import annotations

import numpy as np

from bendtorch import Ids, Mat


Random = np.random.Generator


def of(x: Mat[6, 8], y: Mat[6, 8], z: Mat[6, 5], row: Mat[1, 8], which: Ids[4], k: int, rng: Random) -> None:
"""
EQUAL_KINDS: Final = {("Mat", "float32"), ("FlatF32", "float32"), ("Ids", "int64"), ("Ids", "int32"), ("intp", "int64")}
"""The kinds in words, and what numpy calls them."""

VALUES: Final[dict[str, Any]] = {
    "np": np,
    "x": np.arange(48, dtype=np.float32).reshape(6, 8) - 19.25,
    "y": np.ones((6, 8), np.float32),
    "z": np.ones((6, 5), np.float32),
    "row": np.ones((1, 8), np.float32),
    "which": np.array([0, 3, 5, 3]),
    "k": 2,
    "rng": np.random.default_rng(0),
}
SLICES: Final = ("1:4", ":", "::2", "-3:", ":-1", "1:100", "5:2", "::-1", ":k", "0", "k", "None", "...", "which")
FIXED: Final = [
    "x.T",
    "x.transpose()",
    "x.transpose(1, 0)",
    "np.transpose(x, (0, 1))",
    "x.swapaxes(0, -1)",
    "x.copy()",
    "x.ravel()",
    "x.flatten()",
    "np.ravel(x)",
    "x.reshape(4, 12)",
    "x.reshape((2, -1))",
    "x.reshape(-1)",
    "np.reshape(x, (8, 6))",
    "x.reshape(2, 3, 8)",
    "x.reshape(k, -1)",
    "x[x[:, 0] > 0]",
    "x[x > 0]",
    "x[[0, 1]]",
    "x.astype(np.float64)",
    "x.astype(int)",
    "x * x.astype(np.float64)",
    "x + x.astype(np.int64)",
    "x * (x > 0)",
    "np.exp(x.astype(np.float64))",
    "np.float32(2) * x",
    "np.float64(2) * x",
    "2 * x",
    "1 / x",
    "x**2",
    "-x",
    "abs(x)",
    "x > 0",
    "x == y",
    "np.isnan(x)",
    "np.where(x > 0, x, 0)",
    "np.where(x > 0, x, y)",
    "np.clip(x, 0, 1)",
    "x.clip(0)",
    "np.maximum(x, row)",
    "row - x",
    "x + x.sum(axis=0)",
    "x / x.sum(axis=1, keepdims=True)",
    "np.logical_and(x, y)",
    "x.T @ z",
    "np.matmul(x.T, z)",
    "np.dot(z.T, x)",
    "x.dot(y.T)",
    "x @ row[0]",
    "row[0] @ x.T",
    'np.einsum("ni,no->io", x, z)',
    'np.einsum("ni,no", x, z)',
    'np.einsum("ij->j", x)',
    'np.einsum("ij,ij->", x, y)',
    "np.concatenate([x, z], axis=1)",
    "np.concatenate((x, row))",
    "np.hstack([x, z])",
    "np.vstack([x, row, row])",
    "np.stack([x, y])",
    "np.stack([x, y], axis=2)",
    "np.stack([x, y], axis=-1)",
    "np.concatenate([x, x.astype(float)])",
    "np.zeros_like(x)",
    "np.ones_like(x, dtype=np.float64)",
    "np.full_like(x, 3)",
    "np.asarray(x)",
    "np.array(x, np.float64)",
    "np.array([[1.0, 2], [3, 4]])",
    "np.array([[1, 2, 3]], np.float32)",
    "np.array([1, 2])",
    "np.sort(x)",
    "np.argsort(x, axis=0)",
    "np.cumsum(x, axis=1)",
    "np.cumsum(x)",
    "np.tile(x, (2, 1))",
    "rng.normal(size=(3, 2))",
    "rng.normal(size=4)",
    "rng.standard_normal((3, k), dtype=np.float32)",
    "rng.integers(0, 4, size=(2, 2))",
    "x[0, 0]",
    "x[which, 0]",
    "x[:, which]",
    "x == z[:, :1]",
    "x != y",
    "(x > 0) & (x < 1)",
    "~(x > 0) | (row > 0)",
    "x / k",
    "k / x",
    "x // 2",
    "x % y",
    "divmod(x, 2)[0]",
    "np.modf(x)[0]",
    "x.mT",
    "x.view(np.uint32)",
    "x.view(np.float64)",
    "x.view()",
    "np.copy(x)",
    "np.nan_to_num(x)",
    "np.flip(x)",
    "np.fliplr(x)",
    "np.roll(x, 2)",
    "np.triu(x)",
    "np.round(x, 1)",
    "np.diff(x)",
    "np.rot90(x)",
    "np.moveaxis(x, 0, 1)",
    "np.moveaxis(x, -1, 0)",
    "np.rollaxis(x, 1)",
    "np.delete(x, 0, axis=0)",
    "np.append(x, x, axis=0)",
    "np.empty_like(x, shape=(3, 4))",
    "np.split(x, 2)[0]",
    "np.hsplit(x, 2)[1]",
    "list(x.T)[0]",
    "[row for row in x][0]",
    "np.array([x.T[0], x.T[0]])",
    "x[0] @ x[0]",
    "rng.permutation(x.T)",
    "rng.permuted(x, axis=0)",
    "rng.choice(x)",
    "rng.normal(size=k)",
    "np.random.rand(4, k)",
    "np.random.normal(size=(2, 3))",
    "np.linalg.svd(x)[0]",
    "np.linalg.norm(x, axis=1, keepdims=True)",
    "np.linalg.norm(x, axis=0)",
    "np.linalg.norm(x)",
    "np.ndarray((2, 2), np.float32)",
    "np.broadcast_to(x[0], x.shape)",
    "np.broadcast_to(row, (3, 8))",
    "np.expand_dims(x[0], 1)",
    "np.expand_dims(x, -1)",
    "np.repeat(x, 2, axis=0)",
    "x.repeat(3, axis=1)",
    "np.repeat(x, k, axis=0)",
    "np.eye(6)[which]",
    "np.eye(2, 3, dtype=np.float32)",
    "np.identity(3)",
    "np.zeros([4, 3])",
    "np.zeros((4, 3, 1), np.float32)",
    "np.ones((7,), np.float32)",
    "np.full((2, k), 1.0)",
    "np.empty(shape=(2, 2), dtype=np.float32)",
    "np.bincount(which)",
]
REDUCED: Final = [
    *(f"x.{name}(axis={axis})" for name, axis in product(("sum", "max", "mean", "argmax", "any"), (0, -1, None))),
    *(f"x.{name}(axis={axis}, keepdims=True)" for name, axis in product(("sum", "max", "mean", "any"), (0, -1, None))),
    *(f"np.{name}(x, axis=1)" for name in ("sum", "max", "min", "mean", "std", "var", "prod", "argmin", "all")),
]
INDEXED: Final = [f"x[{a}]" for a in SLICES] + [f"x[{a}, {b}]" for a, b in product(SLICES, SLICES[:9])]
EXPRESSIONS: Final = [*FIXED, *REDUCED, *INDEXED]


@pytest.fixture(scope="module")
def revealed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What mypy says of each expression, in words; of all in one run."""
    project = Project(tmp_path_factory.mktemp("numpy"))
    first = len(HEADER.splitlines()) + 1
    project.write("shapes.py", HEADER + "".join(f"    reveal_type({expression})\n" for expression in EXPRESSIONS))
    reports = project.check(["shapes.py"])["shapes.py"]
    return {expression: in_words(reports[first + place][-1]) for place, expression in enumerate(EXPRESSIONS)}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_type_is_what_numpy_gives(expression: str, revealed: dict[str, str]) -> None:
    value = eval(expression, dict(VALUES))
    said = re.fullmatch(r'N: Revealed type is "(.*)"', revealed[expression])
    assert said is not None, revealed[expression]
    array = re.fullmatch(r"(Mat|Ids|FlatF32|[a-z]+\d*)(?:\[(.*)\])?", said[1])
    if np.ndim(value) == 0 or array is None:
        assert np.ndim(value) == 0, said[1]
        return
    kind, sizes = array.groups()
    assert kind in {str(value.dtype), "array"} or (kind, str(value.dtype)) in EQUAL_KINDS, said[1]
    if sizes is not None and sizes != "...":
        shape = [None if size == "int" else int(eval(size, dict(VALUES))) for size in sizes.split(", ")]
        assert len(shape) == value.ndim, said[1]
        assert all(size in {None, actual} for size, actual in zip(shape, value.shape, strict=True)), said[1]
