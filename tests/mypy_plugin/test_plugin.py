"""The plugin in a project that does not know the package: its sizes of numpy's arrays need nothing imported."""

from __future__ import annotations

from pathlib import Path

from tests.typing.harness import Project

NUMPY_ALONE = """
from __future__ import annotations
from typing import Literal
import numpy as np
def f(n: int, x: np.ndarray[tuple[Literal[3], Literal[4]], np.dtype[np.float32]]) -> None:
    z = np.zeros((2 * n + 1, n), np.float32)
    reveal_type(np.concatenate([x, x]))
    reveal_type(z.T)
"""


def test_numpy_alone(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("alone.py", NUMPY_ALONE)
    reports = project.check(["alone.py"])
    assert reports["alone.py"] == {
        7: ['N: Revealed type is "Mat[6, 4]"'],
        8: ['N: Revealed type is "Mat[n, 2*n + 1]"'],
    }


def test_python_alone(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("alone.py", "x: int = len([1])\n")
    assert project.check(["alone.py"]) == {}
