"""Running Python in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
FORK_WARNING: Final = "ignore:This process:DeprecationWarning"
LIMIT: Final = 300.0  # seconds; a process that takes longer hangs


def environment(**changes: str | None) -> dict[str, str]:
    """The present environment with changes; None removes a variable."""
    merged: dict[str, str | None] = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", **changes}
    return {name: value for name, value in merged.items() if value is not None}


def run_python(code: str, *arguments: str, cold: bool = False, limit: float = LIMIT, **changes: str | None) -> str:
    """What a program prints. It must succeed and say nothing on the error stream; `cold`: with no kernels compiled.

    Warnings are errors, but for Python's own about a fork of a process with threads: that is what is tested.
    """
    with tempfile.TemporaryDirectory() as directory:
        if cold:
            changes["BENDTORCH_CACHE_DIR"] = directory
        done = subprocess.run(
            [sys.executable, "-W", "error", "-W", FORK_WARNING, "-c", textwrap.dedent(code), *arguments],
            env=environment(**changes),
            cwd=directory,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, ""), f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
