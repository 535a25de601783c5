"""The README's promises: its code runs and type-checks, and mypy says of the changed width what it shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.process import ROOT, environment

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
PAGES = [
    block
    for page in (
        "generation.md",
        "grad.md",
        "laws.md",
        "models.md",
        "own_layers.md",
        "profile.md",
        "sizes.md",
        "training.md",
    )
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
]
ERROR = next(line for line in TEXT.splitlines() if line.startswith("model.py:"))


def run(directory: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command in a directory of its own."""
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=directory, env=environment(), capture_output=True, text=True, check=False
    )


def check(directory: Path, source: str) -> subprocess.CompletedProcess[str]:
    """`bendtorch check` on a file `model.py`."""
    (directory / "model.py").write_text(source, encoding="utf-8")
    return run(directory, "bendtorch", "check", "model.py")


@pytest.mark.parametrize("block", [*BLOCKS, *PAGES])
def test_code_type_checks_and_runs(block: str, tmp_path: Path) -> None:
    checked = check(tmp_path, block)
    assert checked.returncode == 0, checked.stdout
    done = run(tmp_path, "model")
    assert done.returncode == 0, done.stderr


def test_the_changed_width_is_the_error_that_is_shown(tmp_path: Path) -> None:
    changed = BLOCKS[0].replace("Linear(n, 128, 10)", "Linear(n, 100, 10)")
    assert changed != BLOCKS[0]
    checked = check(tmp_path, changed)
    assert checked.returncode == 1
    assert checked.stdout.splitlines()[0] == ERROR


def test_the_wrong_sum_in_a_layer_is_the_error_that_is_shown(tmp_path: Path) -> None:
    shown = next(line for line in TEXT.splitlines() if line.startswith("scale.py:"))
    (layer,) = (block for block in BLOCKS if "ops.column_sums" in block)
    checked = check(tmp_path, layer.replace("column_sums", "row_sums"))
    assert checked.returncode == 1
    assert checked.stdout.splitlines()[0] == shown.replace("scale.py", "model.py")


def test_the_wrong_window_is_the_error_that_is_shown(tmp_path: Path) -> None:
    shown = next(line for line in TEXT.splitlines() if line.startswith("lm.py:"))
    (block,) = (block for block in BLOCKS if "windows(" in block)
    changed = block.replace("windows(tokens[:3000], 32,", "windows(tokens[:3000], 31,")
    assert "windows(tokens[:3000], 31, 8, Key(1))" in changed
    checked = check(tmp_path, changed)
    assert checked.returncode == 1
    assert checked.stdout.splitlines()[0] == shown.replace("lm.py", "model.py")


def test_the_broken_law_is_said_as_it_is_shown(tmp_path: Path) -> None:
    block = next(block for block in BLOCKS if "LawError" in block)
    (tmp_path / "model.py").write_text(block, encoding="utf-8")
    said = " ".join(run(tmp_path, "model").stdout.split())
    assert said.startswith("Cube(1, 1) breaks L27")
    assert said in " ".join(TEXT.split())


def test_every_make_target_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?m)(?:^|`)make (\w+)", TEXT + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
