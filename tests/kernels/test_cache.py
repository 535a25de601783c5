"""Where compiled kernels are kept. Races, stale and damaged files are tested in `tests/abuse`."""

from __future__ import annotations

import math
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bendtorch.kernels import cache
from tests.support.process import run_python

FRESH: Any = cache.cache_directory
DIGEST: Any = cache._digest


def directory() -> Path | None:
    """The directory that a new process would take."""
    found: Path | None = FRESH.__wrapped__()
    return found


def test_a_directory_of_the_users_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BENDTORCH_CACHE_DIR", str(tmp_path / "a" / "b"))
    found = directory()
    assert found is not None
    assert found.is_dir()
    assert found.is_relative_to(tmp_path / "a" / "b")
    assert list(found.iterdir()) == []


@pytest.mark.skipif(os.name != "posix" or os.uname().sysname == "Darwin", reason="the XDG directories are Linux's")
def test_the_users_cache_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BENDTORCH_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    found = directory()
    assert found is not None
    assert found.is_relative_to(tmp_path / "xdg" / "bendtorch")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = directory()
    assert found is not None
    assert found.is_relative_to(tmp_path / "home" / ".cache" / "bendtorch")


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home that cannot hold a directory, and a place for temporary files."""
    blocked, temporary = tmp_path / "file", tmp_path / "tmp"
    blocked.write_text("in the way")
    temporary.mkdir()
    for name in ("BENDTORCH_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(blocked))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return temporary


POSIX = pytest.mark.skipif(os.name != "posix", reason="users and permission bits are POSIX's")


@POSIX
def test_a_private_directory_where_the_home_is_read_only(no_home: Path) -> None:
    found = directory()
    assert found is not None
    private = no_home / f"bendtorch-{os.getuid()}"
    assert found.is_relative_to(private)
    assert private.stat().st_mode & 0o777 == 0o700


@POSIX
def test_no_directory_that_others_could_write(no_home: Path) -> None:
    """Compiled code is loaded from it."""
    private = no_home / f"bendtorch-{os.getuid()}"
    private.mkdir()
    private.chmod(0o777)
    assert directory() is None
    private.rmdir()
    (no_home / "elsewhere").mkdir(mode=0o700)
    private.symlink_to(no_home / "elsewhere")
    assert directory() is None


def test_no_directory_where_the_chosen_one_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("BENDTORCH_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert directory() is None


def test_the_state_of_the_kernels_has_a_name_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    here = DIGEST.__wrapped__()
    assert here == DIGEST.__wrapped__()
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    assert DIGEST.__wrapped__() == here  # changes no code
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1" if os.environ.get("NUMBA_BOUNDSCHECK") != "1" else "0")
    assert DIGEST.__wrapped__() != here


KINDS = "Tanh", "GELU", "GELUErf", "Sigmoid"
PRINT_VALUES = """
    import sys
    import numpy as np
    import bendtorch
    for name in sys.argv[1:]:
        print(name, *getattr(bendtorch, name)(1, 2).fwd((), np.array([[1, 2]], np.float32)).y[0])
"""


def values(*kinds: str) -> dict[str, list[float]]:
    """What layers give, in a process of their own that knows what earlier ones have compiled."""
    lines = [line.split() for line in run_python(PRINT_VALUES, *kinds).splitlines()]
    return {name: [float(number) for number in numbers] for name, *numbers in lines}


def test_kernels_of_several_processes_are_not_confused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each process numbers the functions that it compiles anew; a later one loads the code of all of them."""
    monkeypatch.setenv("BENDTORCH_CACHE_DIR", str(tmp_path))
    x = np.array([1.0, 2.0])
    exact = {
        "Tanh": np.tanh(x),
        "GELU": x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        "GELUErf": x / 2 * (1 + np.array([math.erf(number / math.sqrt(2)) for number in x])),
        "Sigmoid": 1 / (1 + np.exp(-x)),
    }
    for kinds in (*((kind,) for kind in KINDS), KINDS, KINDS[::-1]):
        for name, found in values(*kinds).items():
            np.testing.assert_allclose(found, exact[name], rtol=1e-6, err_msg=f"{name} among {kinds}")
