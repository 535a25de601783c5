"""`check_composite`: the checks that every combinator and every wiring layer passes, whatever its input is a tree of.

    test_forks = check_composite(lambda n, c: Fork(LIN(n, c, 3), NB(n, c, 2)))

A layer under test takes and gives matrices, ids, or tuples of them; the checks find the shapes in its specs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings

from bendtorch import (
    Add2,
    Assoc,
    Both,
    Concat,
    Copy,
    Drop,
    Fork,
    Id,
    Mul2,
    Permute,
    Repeat,
    Reshape,
    Residual,
    Split,
    Swap,
    Tie,
)
from bendtorch.combine.wiring import wire
from bendtorch.layer import Bwd, Fwd, Info, make_layer, matrix, uniform_init
from bendtorch.shapes.guard import guard_ids, guard_mat
from bendtorch.shapes.spec import ids_spec, mat_spec
from tests.support.layers import on_params
from tests.support.models import FIRST, LIN, NB, RELU
from tests.support.params import PARAMS_CHECKS
from tests.support.passes import PASSES_CHECKS, Case
from tests.support.sizes import rows, seeds, widths

ADD: Final[Any] = Add2
ASSOC: Final[Any] = Assoc
CONCAT: Final[Any] = Concat
COPY: Final[Any] = Copy
DROP: Final[Any] = Drop
ID: Final[Any] = Id
MUL: Final[Any] = Mul2
PERMUTE: Final[Any] = Permute
RESHAPE: Final[Any] = Reshape
SPLIT: Final[Any] = Split
SWAP: Final[Any] = Swap
MATRIX: Final[Any] = matrix


def lookup(n: Any, v: Any, c: Any) -> Any:
    """Rows of a table of v × c by n ids, which have no gradient: dx is the ids themselves."""
    name = f"Lookup({n}, {v}, {c})"

    def fwd(p: Any, x: Any) -> Any:
        ids = guard_ids(x, n, name, "ids")
        return Fwd(p[ids], ids)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        apart, s = np.zeros((v, c), np.float32), guard_ids(s, n, name, "the saved ids")
        np.add.at(apart, s, guard_mat(dy, (n, c), name, "dy"))
        g += apart
        return Bwd(s, g)

    info = Info("Lookup", {"n": n, "v": v, "c": c}, ids_spec(n), mat_spec(n, c), ids_spec(n))
    return make_layer(MATRIX(v, c, "table", uniform_init(1.0)), fwd, bwd, info)


def first_of(n: Any, c: Any) -> Any:
    """(x, ()) becomes x: what a copy whose other half was dropped leaves."""
    spec: Any = mat_spec(n, c)
    return wire("First", {"n": n, "c": c}, (spec, ()), spec, lambda x: x[0], lambda dy: (dy, ()))


def everything(n: int) -> Any:
    """A model with every combinator and every wiring layer, from n × 6 to n × 4."""
    block = Residual(Repeat(2, LIN(n, 4, 4) >> RELU(n, 4)))
    tied = Tie(NB(n, 4, 4), RELU(n, 4), NB(n, 4, 4))
    gated = Fork(LIN(n, 4, 4), tied) >> SWAP(n, 4, 4) >> MUL(n, 4)
    kept = COPY(n, 4) >> Both(ID(n, 4), DROP(n, 4)) >> first_of(n, 4)
    three = Fork(Fork(ID(n, 4), RELU(n, 4)), NB(n, 4, 2)) >> ASSOC(n, 4, 4, 2) >> Both(ID(n, 4), CONCAT(n, 4, 2))
    halves = Both(ID(n, 4), NB(n, 6, 4)) >> ADD(n, 4) >> SPLIT(n, 1, 3) >> CONCAT(n, 1, 3)
    regrouped = RESHAPE(n, 4, n * 2, 2) >> PERMUTE(n, 2, 2) >> PERMUTE(2, n, 2) >> RESHAPE(n * 2, 2, n, 4)
    return FIRST(n, 6, 4) >> block >> gated >> kept >> three >> halves >> regrouped >> LIN(n, 4, 4)


def description_is_of_its_parts(case: Case) -> None:
    """The input gradient is there when every part has one; the text names every part."""
    layer = case.layer
    assert layer.info.input_gradient == all(part.info.input_gradient for part in layer.info.parts)
    assert all(str(part) in str(layer) for part in layer.info.parts)


EXAMPLES: Final = {"bits_do_not_depend_on_threads": 2, "other_arrays_are_refused": 10, "check_step": 10}
LARGE: Final = (260, 150)


def check_composite(*builds: Callable[..., Any]) -> Callable[..., None]:
    """A test that runs every check on each of `build(n, c)`, layers of any n rows and a width of c."""
    checks = {check.__name__: check for check in (*PASSES_CHECKS, description_is_of_its_parts)}
    checks |= {check.__name__: on_params(check) for check in PARAMS_CHECKS}

    @pytest.mark.parametrize("name", checks)
    @pytest.mark.parametrize("build", builds, ids=[str(build(2, 3)) for build in builds])
    def test(name: str, build: Callable[..., Any]) -> None:
        @settings(max_examples=EXAMPLES.get(name, 15))
        @given(n=rows, c=widths, seed=seeds)
        def on_cases(n: int, c: int, seed: int) -> None:
            checks[name](Case(build, n, (c,), seed, large=LARGE))

        on_cases()

    marked: Callable[..., None] = test
    return marked
