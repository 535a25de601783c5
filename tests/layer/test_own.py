"""Passes of users: what they give back is checked; the package's own are left alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import SGD, Bwd, CrossEntropy, Fwd, Key, Linear, ReLU, Train, make_layer
from bendtorch.errors import DtypeError
from bendtorch.layer import Info, matrix, no_params
from bendtorch.layer.own import is_own

A = np.ones((2, 3), np.float32)
INFO = Info("Mine", {"n": 2})


def fwd(p: Any, x: Any) -> Any:
    return Fwd(x, ())


def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
    return Bwd(dy, g)


@pytest.mark.parametrize("given", [(A, ()), A, None, Bwd(A, ())])
def test_a_forward_pass_gives_a_fwd(given: Any) -> None:
    layer: Any = make_layer(no_params(), lambda p, x: given, bwd, INFO)
    for model in (layer, layer >> ReLU(2, 3)):
        with pytest.raises(DtypeError, match=r"^Mine\(2\): fwd must give Fwd\(y, s\), got "):
            model.fwd(model.zeros(), A)


@pytest.mark.parametrize("given", [(A, ()), A, None, Fwd(A, ())])
def test_a_backward_pass_gives_a_bwd(given: Any) -> None:
    layer: Any = make_layer(no_params(), fwd, lambda p, s, dy, g: given, INFO)
    with pytest.raises(DtypeError, match=r"^Mine\(2\): bwd must give Bwd\(dx, g\), got "):
        layer.bwd((), (), A, ())


@pytest.mark.parametrize("params", [no_params(), matrix(1, 3)])
def test_a_backward_pass_gives_its_gradient_back(params: Any) -> None:
    layer: Any = make_layer(params, fwd, lambda p, s, dy, g: Bwd(dy, None), INFO)
    model = Linear(2, 3, 3) >> layer
    train = Train.new(model, SGD(0.1), model.init(Key(0)))
    with pytest.raises(DtypeError, match=r"^Mine\(2\): bwd must give back g, a \w+, with .* added, got NoneType$"):
        train.step(model, CrossEntropy(2, 3), A, np.zeros(2, np.int64))
    assert train.t == 0


def test_right_passes_give_what_they_gave() -> None:
    layer: Any = make_layer(no_params(), fwd, bwd, INFO)
    assert layer.fwd((), A).y is A
    assert layer.bwd((), (), A, ()).dx is A
    assert layer.fwd.__name__ == "fwd"


def test_the_packages_passes_are_not_wrapped() -> None:
    layer: Any = Linear(2, 3, 4) >> ReLU(2, 4)
    assert not is_own(layer.fwd)
    assert is_own(fwd)
    assert is_own(np.vectorize(float))
    assert not hasattr(layer.fwd, "__wrapped__")
