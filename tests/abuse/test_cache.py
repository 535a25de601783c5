"""Compiled code on disk: never stale, never a crash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bendtorch.kernels.compile import JIT
from tests.support import programs
from tests.support.files import names
from tests.support.process import LIMIT, ROOT, environment, run_python

pytestmark = pytest.mark.skipif(not JIT, reason="with the JIT off nothing is compiled")


def test_sixteen_cold_processes_at_once(tmp_path: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", programs.LABELS],
            env=environment(BENDTORCH_CACHE_DIR=str(tmp_path), BENDTORCH_NUM_THREADS="1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(16)
    ]
    results = [process.communicate(timeout=120) for process in started]
    assert [process.returncode for process in started] == [0] * 16
    assert results == [(programs.LABELS_RESULT + "\n", "")] * 16
    before = sorted(path.name for path in tmp_path.rglob("*.nb?"))
    assert before
    assert run_python(programs.LABELS, BENDTORCH_CACHE_DIR=str(tmp_path)).strip() == programs.LABELS_RESULT
    assert sorted(path.name for path in tmp_path.rglob("*.nb?")) == before  # and it was good: nothing is added


def edit(path: Path, old: str, new: str) -> None:
    """Change a source, leaving its size and its time as they were."""
    text, status = path.read_text(), path.stat()
    assert len(old) == len(new)
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def run_copy(package: Path, cache: Path, code: str) -> str:
    """Run a program on a copy of the package."""
    where = "import bendtorch, pathlib; assert pathlib.Path(bendtorch.__file__).is_relative_to({!r})\n"
    program = where.format(str(package)) + code
    changes = {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1", "BENDTORCH_CACHE_DIR": str(cache)}
    return run_python(program, cold=False, limit=LIMIT, **changes).strip()


def test_an_edited_helper_is_never_stale(tmp_path: Path) -> None:
    """The helper stands in another file than the kernel that was compiled with it."""
    package, cache = tmp_path / "copy", tmp_path / "cache"
    ignored = shutil.ignore_patterns("__pycache__", "mypy_plugin")
    shutil.copytree(ROOT / "bendtorch", package / "bendtorch", ignore=ignored)
    assert run_copy(package, cache, programs.EXP) == "7.0"
    assert run_copy(package, cache, programs.EXP) == "7.0"
    edit(package / "bendtorch/kernels/vecmath/exp.py", "ONE: Final = np.float32(1)", "ONE: Final = np.float32(3)")
    assert run_copy(package, cache, programs.EXP) == "21.0"
    edit(package / "bendtorch/kernels/vecmath/exp.py", "ONE: Final = np.float32(3)", "ONE: Final = np.float32(1)")
    assert run_copy(package, cache, programs.EXP) == "7.0"


@pytest.mark.parametrize("where", ["home", "everywhere"])
def test_no_place_to_keep_compiled_code(tmp_path: Path, where: str) -> None:
    """A home under a regular file is one that nobody can write, root neither."""
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    changes: dict[str, str | None] = {"HOME": str(blocked / "home"), "XDG_CACHE_HOME": None}
    changes["BENDTORCH_CACHE_DIR"] = None if where == "home" else str(blocked / "cache")
    changes["TMPDIR"] = str(tmp_path)
    assert run_python(programs.LABELS, cold=False, limit=LIMIT, **changes).strip() == programs.LABELS_RESULT
    if where == "everywhere":
        assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("damage", ["empty", "half", "noise"])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_is_compiled_again(tmp_path: Path, kind: str, damage: str) -> None:
    assert run_python(programs.LABELS, BENDTORCH_CACHE_DIR=str(tmp_path)).strip() == programs.LABELS_RESULT
    files = sorted(tmp_path.rglob(f"*.{kind}"))
    assert files
    for path in files:
        content = path.read_bytes()
        noise = bytes((7 * byte + 3) % 256 for byte in content)
        path.write_bytes({"empty": b"", "half": content[: len(content) // 2], "noise": noise}[damage])
    assert run_python(programs.LABELS, BENDTORCH_CACHE_DIR=str(tmp_path)).strip() == programs.LABELS_RESULT
    assert run_python(programs.LABELS, BENDTORCH_CACHE_DIR=str(tmp_path)).strip() == programs.LABELS_RESULT
