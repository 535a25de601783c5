"""The plugin's own work grows as the model does, and not faster; a stack of any height is one layer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.typing.harness import Project

COUNT_CALLS = """
import cProfile, pstats, sys
from mypy import api

profile = cProfile.Profile()
said, problems, status = profile.runcall(api.run, ["--config-file", "mypy.ini", "--no-error-summary", sys.argv[1]])
assert status == 0, said + problems
stats = pstats.Stats(profile).stats
print(sum(calls for (file, _, _), (_, calls, *_) in stats.items() if "mypy_plugin" in file))
"""
HEADER = "from bendtorch import Linear, ReLU, Repeat, Seq\n\n"


def calls(project: Project, name: str, text: str) -> int:
    """How many calls of the plugin's functions a file costs, the rest of the program being known."""
    project.write(name, f"{HEADER}{text}\n")
    command = [sys.executable, "-c", COUNT_CALLS, name]
    done = subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=True)
    return int(done.stdout)


def layers(count: int) -> list[str]:
    return [f"Linear(32, {64 + place}, {65 + place})" for place in range(count)]


@pytest.mark.parametrize(
    "written",
    [lambda count: f"net = {' >> '.join(layers(count))}", lambda count: f"net = Seq({', '.join(layers(count))})"],
    ids=[">>", "Seq"],
)
def test_work_grows_with_the_layers(written: Callable[[int], str], project: Project) -> None:
    calls(project, "nothing.py", "")  # reads the package
    nothing = calls(project, "nothing.py", "# again")
    fifty, hundred = (calls(project, f"of_{count}.py", written(count)) - nothing for count in (50, 100))
    assert hundred < 2.3 * fifty


def test_a_stack_of_any_height_costs_the_same(project: Project) -> None:
    calls(project, "nothing.py", "")
    low, high = (calls(project, f"of_{k}.py", f"net = Repeat({k}, ReLU(32, 64))") for k in (1, 1000))
    assert high == low
