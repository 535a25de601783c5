"""What the plugin adds to mypy: the same file with and without it, from a warm cache, whole processes.

The rival is mypy alone, so a speed-up of 0.8 says that a check takes 1.25 times as long with the plugin. Each check
finds the file edited, as in use; everything that it imports comes from the cache.
"""

from __future__ import annotations

import atexit
import itertools
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from reference.bench.registry import Contest, Row

HEAD: Final = "from bendtorch import ReLU, Repeat, Seq\n"
LAYERS: Final = ["ReLU(8, 8)"] * 200
FILES: Final = {
    "200 layers by >>": f"{HEAD}model = (\n    {' >> '.join(LAYERS)}\n)\n",
    "200 layers in Seq": f"{HEAD}model = Seq(\n    {', '.join(LAYERS)}\n)\n",
    "Repeat of 1000": f"{HEAD}model = Repeat(1000, ReLU(8, 8))\n",
}


def rows() -> Iterator[Row]:
    """A long chain, and a stack."""
    for name, source in FILES.items():
        yield Row(name, partial(_contest, source), whole_process=True)


def _contest(source: str) -> Contest:
    return Contest(_check(source, "plugins = bendtorch.mypy_plugin\n"), {"mypy": _check(source, "")})


def _check(source: str, plugin: str) -> Callable[[], None]:
    """A call that edits the file and checks it."""
    directory = Path(tempfile.mkdtemp(prefix="bendtorch-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    (directory / "mypy.ini").write_text(f"[mypy]\nstrict = True\n{plugin}", encoding="utf-8")
    number = itertools.count()

    def check() -> None:
        (directory / "model.py").write_text(f"{source}# {next(number)}\n", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "model.py"], cwd=directory, capture_output=True, check=False
        )
        assert done.returncode in (0, 1), done.stderr

    return check
