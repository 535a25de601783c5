"""Our float32 beside golden vectors, which PyTorch computed in float64 (`python -m reference.golden`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import bendtorch
from bendtorch import layers, losses
from bendtorch.laws.nest import floats_in
from bendtorch.losses import Loss
from bendtorch.shapes.spec import Spec

FILES: Final = {path.stem: path for path in sorted((Path(__file__).parent / "golden").glob("*.json"))}
CASES: Final = [
    pytest.param(name, case, id=f"{name}{case['sizes']}{case['options'] or ''}")
    for name, path in FILES.items()
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
]
OF_FUNCTIONS: Final = "made from functions: the activations that ship are made by it, and have their vectors"
WITHOUT: Final = {
    "ActIn": OF_FUNCTIONS,
    "ActOut": OF_FUNCTIONS,
    "Dropout": "its mask is a hash of its own, which tests/layers/test_dropout.py computes",
}
ROUNDING: Final = 2.0**-24


def close(case: Any, quantity: str, actual: Any) -> None:
    """Compare one quantity: NaN and infinities in the same places, all else within the case's roundings."""
    expected = np.array(case[quantity], np.float64)
    actual = np.asarray(actual, np.float64).reshape(expected.shape)
    bound = case["roundings"] * ROUNDING * np.abs(expected[np.isfinite(expected)]).max(initial=0)
    finite = np.isfinite(expected)
    assert np.array_equal(actual[~finite], expected[~finite], equal_nan=True), quantity
    error = np.abs(actual[finite] - expected[finite])
    worst = error.max(initial=0)
    assert worst <= bound, f"{quantity} is off by {worst / ROUNDING:.3g} roundings, {case['roundings']} allowed"


def given(case: Any, name: str) -> Any:
    """An array of the file, as ours take it."""
    array = np.array(case[name])
    return array if array.dtype.kind == "i" else array.astype(np.float32)


def nest(spec: Spec, arrays: Any) -> Any:
    """The arrays, one after another, in the nest of a spec."""
    return tuple(nest(part, arrays) for part in spec) if isinstance(spec, tuple) else next(arrays)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_ours_is_as_pytorchs_in_float64(name: str, case: Any) -> None:
    built: Any = getattr(bendtorch, name)(*case["sizes"], **case["options"])
    inputs = [given(case, key) for key in case["input_names"]]
    if isinstance(built, Loss):
        found = built(inputs[0], inputs[1])
        close(case, "y", found.loss)
        close(case, f"d{case['input_names'][0]}", found.dy)
        return
    p, start = built.zeros(), 0
    cells = [given(case, leaf.name).reshape(-1) for leaf in built.leaves]
    built.load(p, np.concatenate([np.empty(0, np.float32), *cells]), 0)
    forward = built.fwd(p, nest(built.info.takes, iter(inputs)))
    backward = built.bwd(p, forward.s, given(case, "dy"), built.zeros())
    close(case, "y", forward.y)
    if built.info.input_gradient:
        names = [key for key, array in zip(case["input_names"], inputs, strict=True) if array.dtype.kind == "f"]
        for key, gradient in zip(names, floats_in(backward.dx), strict=True):
            close(case, f"d{key}", gradient)
    flat = built.dump(backward.g)
    for leaf in built.leaves:
        close(case, f"d{leaf.name}", flat[start : start + leaf.cells])
        start += leaf.cells


def test_every_layer_and_loss_has_its_vectors() -> None:
    made = {name for part in (layers, losses) for name in part.__all__ if not isinstance(getattr(part, name), type)}
    assert made - WITHOUT.keys() <= FILES.keys()
    assert not WITHOUT.keys() & FILES.keys()
    assert FILES.keys() <= set(bendtorch.__all__)


def test_no_vector_is_trivial() -> None:
    """Every gradient has a number that is not zero, or a comparison would say little."""
    for path in FILES.values():
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            gradients = [key for key in case if key.startswith("d") and key != "dy"]
            assert gradients, path.stem
            assert all(np.any(np.array(case[key])) for key in gradients), path.stem
