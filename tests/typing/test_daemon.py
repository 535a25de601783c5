"""The daemon keeps nothing of what has changed: a size edited in one file is felt in the others, there and back."""

from __future__ import annotations

from tests.typing.harness import Project

SIZES = """
from typing import Final

WIDTH: Final = 64
"""
MODEL = """
from __future__ import annotations

from typing import Any

from bendtorch import Dim, Layer, Linear, Mat, ReLU
from bendtorch.shapes.dims import N
from sizes import WIDTH


def mlp(n: Dim[N]) -> Layer[Any, Mat[N, 8], Mat[N, "2*WIDTH"], Any]:
    hidden = 2 * WIDTH
    return Linear(n, 8, hidden) >> ReLU(n, hidden)
"""
USE = """
from bendtorch import Linear
from model import mlp

rows = 32
net = mlp(rows) >> Linear(rows, 128, 10)
"""
SEAM = "E: >>: mlp gives Mat[32, 130], Linear takes Mat[32, 128]  [bend-shape]"


def test_a_size_is_edited_there_and_back(project: Project) -> None:
    files = {"sizes.py": SIZES, "model.py": MODEL, "use.py": USE}
    for file, text in files.items():
        project.write(file, text)

    assert project.check_by_daemon([*files]) == {}
    project.write("sizes.py", SIZES.replace("64", "65"))
    assert project.check_by_daemon([*files]) == {"use.py": {6: [SEAM]}}
    project.write("sizes.py", SIZES)
    assert project.check_by_daemon([*files]) == {}


def test_a_size_stands_in_a_string_only(project: Project) -> None:
    only = 'from bendtorch import Mat\nfrom sizes import WIDTH\n\n\ndef f(x: Mat[3, "2*WIDTH"]) -> None: ...\n'
    use = "from bendtorch import mat\nfrom model import f\n\nf(mat(3, 128, []))\n"
    files = {"sizes.py": SIZES, "model.py": f"from __future__ import annotations\n\n{only}", "use.py": use}
    for file, text in files.items():
        project.write(file, text)
    assert project.check_by_daemon([*files]) == {}
    project.write("sizes.py", SIZES.replace("64", "65"))
    message = 'E: f: "x" is Mat[3, 128], expected Mat[3, 130]  [arg-type]'
    assert project.check_by_daemon([*files]) == {"use.py": {4: [message]}}


def test_a_name_is_bound_anew(project: Project) -> None:
    single = "from bendtorch import ReLU\n\nwidth = 3\nlayer = ReLU(2, width) >> ReLU(2, 3)\n"
    project.write("use.py", single)
    assert project.check_by_daemon(["use.py"]) == {}
    project.write("use.py", single.replace("width = 3\n", "width = 3\nwidth = 4\n"))
    (line,) = project.check_by_daemon(["use.py"])["use.py"].items()
    assert line[0] == 5
    assert line[1][0].startswith('E: ReLU: dimension "c" is not static: "width" is bound more than once;')
    project.write("use.py", single.replace("width = 3\n", "\nwidth = 5\n"))
    message = "E: >>: the left ReLU gives Mat[2, 5], the right ReLU takes Mat[2, 3]  [bend-shape]"
    assert project.check_by_daemon(["use.py"]) == {"use.py": {5: [message]}}


def test_a_cache_written_cold_serves_an_edit(project: Project) -> None:
    files = {"sizes.py": SIZES, "model.py": MODEL, "use.py": USE}
    for file, text in files.items():
        project.write(file, text)
    assert project.check([*files]) == {}
    project.write("sizes.py", SIZES.replace("64", "65"))
    assert project.check([*files]) == {"use.py": {6: [SEAM]}}
