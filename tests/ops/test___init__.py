"""The operations together: all have their checks, and their types at run time are what their signatures say."""

from __future__ import annotations

import inspect
import sys
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bendtorch
from bendtorch import Bwd, Dim, Fwd, Layer, Mat, checked, make_layer, ops
from bendtorch.layer import matrix
from bendtorch.shapes.dims import D, N
from tests.ops import test_arithmetic, test_indexing, test_parts, test_products, test_sums
from tests.support.arrays import numbers
from tests.support.ops import Op
from tests.support.process import ROOT
from tests.support.sizes import rows, seeds

PARTS: Final = (test_arithmetic, test_indexing, test_parts, test_products, test_sums)
OPS: Final[dict[str, Op]] = {op.name: op for part in PARTS for op in part.OPS}
OTHERWISE: Final = {"accumulate", "empty", "full", "ones", "zeros"}
"""Tested by hand: what is in place, and what takes no matrix."""


def test_every_operation_is_checked() -> None:
    own = {name for name in ops.__all__ if not getattr(ops, name).__module__.endswith(".elementwise")}
    assert own == OPS.keys() | OTHERWISE


def test_the_package_offers_the_module() -> None:
    assert bendtorch.ops is ops
    assert "ops" in bendtorch.__all__
    assert not set(ops.__all__) & set(bendtorch.__all__)


def test_the_readme_names_every_operation() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    broadcast = {f"{name}_{other}" for name in ("subtract", "multiply", "divide") for other in ("row", "column")}
    assert {name for name in OPS.keys() | OTHERWISE if f"`{name}`" not in text} == broadcast  # "and so on"


@pytest.mark.parametrize("name", ops.__all__)
def test_every_operation_says_its_shapes(name: str) -> None:
    operation: Any = getattr(ops, name)
    parameters = inspect.signature(operation).parameters.values()
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in parameters)
    assert inspect.signature(operation).return_annotation.startswith("Mat[")


@pytest.mark.parametrize("name", sorted(OPS))
@pytest.mark.parametrize("sizes", [(3, 4), (0, 1), (1, 1)])
def test_what_is_given_has_the_shape_of_the_signature(
    name: str, sizes: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`@checked` reads the annotations, and compares the sizes of arguments and result."""
    operation: Any = getattr(ops, name)
    wrapped = checked(operation)
    monkeypatch.setattr(ops, name, wrapped)
    monkeypatch.setattr(sys.modules[operation.__module__], name, wrapped)
    case = OPS[name]
    matrices = case.make(0, *sizes)
    result = replace(case, call=wrapped)(*matrices) if case.call is operation else case(*matrices)
    assert result.ndim == 2


def Gate(n: Dim[N], d: Dim[D]) -> Layer[Mat[1, D], Mat[N, "2*D"], Mat[N, D], Mat[N, "2*D"]]:
    """y = (a / row sums of a² + g) · b for the halves a and b of x: a layer in operations only."""

    def parts(s: Mat[N, "2*D"]) -> tuple[Mat[N, D], Mat[N, D], Mat[N, 1]]:
        a = ops.columns(s, 0, d)
        return a, ops.columns(s, d, 2 * d), ops.row_sums(ops.square(a))

    def fwd(p: Mat[1, D], x: Mat[N, "2*D"]) -> Fwd[Mat[N, D], Mat[N, "2*D"]]:
        a, b, total = parts(x)
        return Fwd(ops.multiply(ops.add_row(ops.divide_column(a, total), p), b), x)

    def bwd(p: Mat[1, D], s: Mat[N, "2*D"], dy: Mat[N, D], g: Mat[1, D]) -> Bwd[Mat[1, D], Mat[N, "2*D"]]:
        a, b, total = parts(s)
        scaled = ops.divide_column(a, total)
        d_scaled = ops.multiply(dy, b)
        inner = ops.scale(ops.row_sums(ops.multiply(d_scaled, scaled)), -2)
        da = ops.divide_column(ops.add(d_scaled, ops.multiply_column(a, inner)), total)
        ops.accumulate(g, ops.column_sums(d_scaled))
        return Bwd(ops.concat_columns(da, ops.multiply(dy, ops.add_row(scaled, p))), g)

    return make_layer(matrix(1, d), fwd, bwd)


@given(n=rows, d=st.integers(1, 9), seed=seeds)
def test_the_gradients_of_a_layer_in_operations_only(n: int, d: int, seed: int) -> None:
    """Against central differences of its formula in float64."""
    p, x, dy = numbers(seed, 1, d), numbers(seed + 1, n, 2 * d) + np.float32(3), numbers(seed + 2, n, d)

    def loss(p: Any, x: Any) -> Any:
        a, b = x[:, :d], x[:, d:]
        return float((dy * (a / (a * a).sum(axis=1, keepdims=True) + p) * b).sum())

    layer: Any = Gate(n, d)
    back = layer.bwd(p, layer.fwd(p, x).s, dy, layer.zeros())
    wide, step = (p.astype(np.float64), x.astype(np.float64)), 1e-6
    for place, got in ((0, back.g), (1, back.dx)):
        for at in np.ndindex(got.shape):
            moved = [[m.copy() for m in wide] for _ in range(2)]
            moved[0][place][at] += step
            moved[1][place][at] -= step
            wanted = (loss(*moved[0]) - loss(*moved[1])) / (2 * step)
            assert abs(got[at] - wanted) <= 1e-3 * (1 + abs(wanted))
