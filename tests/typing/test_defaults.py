"""Defaults of size parameters in a file that is checked again because of another: it is not read anew, but judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.typing.harness import Project, Reports

SIZES = """
from typing import Final

WIDTH: Final = 64
"""
MODEL = """
from __future__ import annotations

from typing import Any, Literal

from bendtorch import Dim, Layer, Linear, Mat
from bendtorch.shapes.dims import N
from sizes import WIDTH
from typing_extensions import TypeVar

OUT = TypeVar("OUT", bound=int, default=Literal[10])


def head(n: Dim[N], out: Dim[OUT] = 10) -> Layer[Any, Mat[N, "WIDTH"], Mat[N, OUT], Any]:
    return Linear(n, WIDTH, out)
"""


@pytest.fixture(params=["mypy", "daemon"])
def check(request: pytest.FixtureRequest, project: Project) -> Callable[[Sequence[str]], Reports]:
    """A run of mypy that knows the last, or one of the daemon."""
    return project.check if request.param == "mypy" else project.check_by_daemon


def test_a_default_outlives_an_edit_elsewhere(project: Project, check: Callable[[Sequence[str]], Reports]) -> None:
    files = {"sizes.py": SIZES, "model.py": MODEL}
    for file, text in files.items():
        project.write(file, text)
    assert check([*files]) == {}
    project.write("sizes.py", SIZES.replace("64", "65"))
    assert check([*files]) == {}
    project.write("model.py", MODEL.replace("] = 10", "] = 11"))
    assert "Incompatible default" in str(check([*files]))
