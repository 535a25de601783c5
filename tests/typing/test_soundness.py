"""mypy and the run time agree: random networks pass both, and with one size changed neither accepts them."""

from __future__ import annotations

import importlib.util
import inspect
import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import bendtorch
import bendtorch.combine
import bendtorch.layers
from bendtorch import BendError
from tests.typing.harness import Project
from tests.typing.networks import VALUES, Generator, Matrix, Network, Shape, Tokens

COUNT: Final = int(os.environ.get("BENDTORCH_NETWORKS", "60"))
HEADER: Final = (
    "from __future__ import annotations\n\nfrom typing import Any\n\nfrom bendtorch import *\n"
    "from bendtorch.shapes.dims import A, B, D, F, N\n\n\n"
    "def unary(a: float) -> float:\n    return a\n\n\ndef binary(a: float, b: float) -> float:\n    return a\n\n\n"
)
NETWORKS: Final = [Generator(seed).network() for seed in range(COUNT)]
CHANGED: Final = [random.Random(seed).randrange(network.size_count) for seed, network in enumerate(NETWORKS)]


@dataclass
class Files:
    """Both files: the functions in each by number, and the numbers of those that mypy reports errors in."""

    good: dict[str, Callable[..., Any]]
    bad: dict[str, Callable[..., Any]]
    reported: dict[str, dict[int, list[str]]]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """All networks in one file, all changed ones in another, checked by one run of mypy."""
    project = Project(tmp_path_factory.mktemp("networks"))
    good = [network.source(f"network_{number}") for number, network in enumerate(NETWORKS)]
    bad = [
        network.source(f"network_{number}", changed)
        for number, (network, changed) in enumerate(zip(NETWORKS, CHANGED, strict=True))
    ]
    texts = {"good.py": HEADER + "".join(good), "bad.py": HEADER + "".join(bad)}
    for name, text in texts.items():
        project.write(name, text)
    reports = project.check([*texts])
    reported = {name: by_network(text, reports.get(name, {})) for name, text in texts.items()}
    return Files(load(project.root / "good.py"), load(project.root / "bad.py"), reported)


def by_network(text: str, reports: dict[int, list[str]]) -> dict[int, list[str]]:
    """The reports by the number of the network that they are in."""
    found: dict[int, list[str]] = {}
    number = -1
    for line, source in enumerate(text.splitlines(), 1):
        start = re.match(r"def network_(\d+)", source)
        number = int(start[1]) if start else number
        if line in reports:
            found.setdefault(number, []).extend(reports[line])
    return found


def load(path: Path) -> dict[str, Callable[..., Any]]:
    """The functions of a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


def numbers(shape: Shape) -> Any:
    """Arrays of a shape."""
    if isinstance(shape, Tokens):
        return np.ones(int(eval(shape.rows, {}, VALUES)), np.int64)
    if isinstance(shape, Matrix):
        sizes = [int(eval(size, {}, VALUES)) for size in (shape.rows, shape.columns)]
        return np.ones(sizes, np.float32)
    return tuple(map(numbers, shape))


def shapes(value: Any) -> Any:
    """The shapes in a nest of arrays."""
    return tuple(map(shapes, value)) if isinstance(value, tuple) else value.shape


def runs(function: Callable[..., Any], network: Network) -> bool:
    """Whether a network can be built, and run forwards and backwards with the shapes that it declares."""
    x, dy = numbers(network.takes), numbers(network.gives)
    try:
        layer = function(*network.values)
        p = layer.zeros()
        out = layer.fwd(p, x)
        if shapes(out.y) != shapes(dy):
            return False
        return bool(shapes(layer.bwd(p, out.s, dy, layer.zeros()).dx) == shapes(x))
    except BendError:
        return False


@pytest.mark.parametrize("number", range(COUNT))
def test_a_network_passes_both(number: int, files: Files) -> None:
    assert number not in files.reported["good.py"], NETWORKS[number].source("network")
    assert runs(files.good[f"network_{number}"], NETWORKS[number])


@pytest.mark.parametrize("number", range(COUNT))
def test_a_changed_network_passes_neither(number: int, files: Files) -> None:
    source = NETWORKS[number].source("network", CHANGED[number])
    assert number in files.reported["bad.py"], source
    assert not runs(files.bad[f"network_{number}"], NETWORKS[number]), source


def test_every_message_is_about_shapes(files: Files) -> None:
    texts = [text for texts in files.reported["bad.py"].values() for text in texts]
    assert {re.findall(r"\[([\w-]+)\]$", text)[0] for text in texts} <= {"bend-shape", "bend-proof", "return-value"}


def test_all_layers_and_combinators_occur() -> None:
    text = " ".join(Generator(seed).network().text for seed in range(max(COUNT, 400)))
    made = {name for name in bendtorch.layers.__all__ if inspect.isfunction(getattr(bendtorch.layers, name))}
    # Dropout has options that are no sizes; PaddedAttention takes what Attention takes, and lengths.
    wanted = {*bendtorch.combine.__all__, *made} - {"Dropout", "PaddedAttention"}
    assert wanted <= set(re.findall(r"\w+(?=\()", text))
