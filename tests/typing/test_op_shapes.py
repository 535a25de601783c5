"""The operations on every pair of small shapes: mypy and the run accept the same calls, and agree on every result."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np
import pytest

from bendtorch import ops
from bendtorch.errors import ShapeError
from bendtorch.mypy_plugin.wording import in_words
from tests.ops.test___init__ import OPS
from tests.typing.harness import Project

SHAPES: Final = ((2, 3), (3, 2), (1, 3), (2, 1), (2, 2), (0, 3))
NAMES: Final = {shape: f"x{shape[0]}{shape[1]}" for shape in SHAPES}
BOUNDS: Final = tuple(product(range(4), repeat=2))
BY_NUMBER: Final = ("gather_rows", "scatter_add_rows")

UNARY: Final = [name for name, op in OPS.items() if len(op.arguments) == 1 and name not in BY_NUMBER]
PAIRS: Final = [name for name, op in OPS.items() if len(op.arguments) == 2] + ["accumulate"]
MORE: Final = {"scale": (", 2",), "shift": (", 2",)} | dict.fromkeys(
    ("rows", "columns"), tuple(f", {start}, {stop}" for start, stop in BOUNDS)
)
CALLS: Final = [
    *(f"ops.{name}({x}{more})" for name in UNARY for x in NAMES.values() for more in MORE.get(name, ("",))),
    *(f"ops.{name}({x}, {y})" for name in PAIRS for x, y in product(NAMES.values(), repeat=2)),
    *(f"ops.{name}({n}, {c})" for name in ("zeros", "ones", "empty") for n, c in BOUNDS),
    *(f"ops.gather_rows({x}, i2)" for x in NAMES.values()),
    *(f"ops.scatter_add_rows({v}, i2, {x})" for v in (1, 3) for x in NAMES.values()),
]
HEADER: Final = "from bendtorch import Ids, Mat, ops\n\n\ndef of(i2: Ids[2], {}) -> None:\n".format(
    ", ".join(f"{name}: Mat[{n}, {c}]" for (n, c), name in NAMES.items())
)


def values() -> dict[str, Any]:
    """What the names stand for."""
    arrays: dict[str, Any] = {name: np.ones(shape, np.float32) for shape, name in NAMES.items()}
    return {"ops": ops, "i2": np.zeros(2, np.int64), **arrays}


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What mypy says of each call; of all in one run."""
    project = Project(tmp_path_factory.mktemp("ops"))
    first = len(HEADER.splitlines()) + 1
    project.write("shapes.py", HEADER + "".join(f"    reveal_type({call})\n" for call in CALLS))
    reports = project.check(["shapes.py"])["shapes.py"]
    return {call: reports[first + place] for place, call in enumerate(CALLS)}


def run(call: str) -> Any:
    """The result's shape; None when the call is refused."""
    try:
        return eval(call, values()).shape
    except (ShapeError, IndexError):
        return None


def test_mypy_and_the_run_agree(reported: dict[str, list[str]]) -> None:
    wrong = []
    for call in CALLS:
        shape, said = run(call), reported[call]
        errors = [line for line in said if line.startswith("E:")]
        if shape is None:
            agree = bool(errors) or "gather_rows(x03" in call  # an id out of range: a value, not a shape
        else:
            agree = not errors and in_words(said[-1]) == f'N: Revealed type is "Mat[{shape[0]}, {shape[1]}]"'
        if not agree:
            wrong.append((call, shape, said))
    assert wrong == []


def test_there_is_something_to_agree_on(reported: dict[str, list[str]]) -> None:
    refused = sum(run(call) is None for call in CALLS)
    assert refused > 300
    assert len(CALLS) - refused > 200
    assert all(reported.values())
