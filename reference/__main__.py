"""Run the comparisons: `python -m reference [--quick] [patterns]`. Exit status 1 where ours is worse than PyTorch's.

A module below this package is a comparison when it has `rows(quick)`, which yields the lines of its table. A pattern
picks those whose path contains it (`layers`, `optim/adam`). `--quick` shortens those that take longest.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
from collections.abc import Iterator
from types import ModuleType

from rich.console import Console

import reference
from reference.compare import show

NOT_COMPARISONS = ("reference.bench", "reference.__main__")


def comparisons(patterns: list[str]) -> Iterator[tuple[str, ModuleType]]:
    """The comparisons that a pattern picks (all without patterns), with their paths, in the order of their paths."""
    for found in pkgutil.walk_packages(reference.__path__, "reference."):
        path = found.name.removeprefix("reference.").replace(".", "/")
        if found.ispkg or found.name.startswith(NOT_COMPARISONS):
            continue
        if patterns and not any(pattern in path for pattern in patterns):
            continue
        module = importlib.import_module(found.name)
        if hasattr(module, "rows"):
            yield path, module


def main() -> int:
    """Run, print, and say whether all is well."""
    parser = argparse.ArgumentParser(prog="python -m reference", description="Compare with PyTorch and float64.")
    parser.add_argument("patterns", nargs="*", help="parts of the paths of the comparisons to run; all without any")
    parser.add_argument("--quick", action="store_true", help="shorten the longest ones")
    arguments = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print("errors against float64 in roundings (2^-24 of the scale): root mean square (largest)\n")
    faults = lines = 0
    started = time.perf_counter()
    for path, module in comparisons(arguments.patterns):
        rows = list(module.rows(arguments.quick))
        lines += len(rows)
        faults += show(console, path, rows)
    if lines == 0:
        console.print(f"no comparison matches {' '.join(arguments.patterns)}")
        return 2
    seconds = time.perf_counter() - started
    verdict = f"{faults} of {lines} quantities are worse" if faults else f"all {lines} quantities hold"
    console.print(f"{verdict}   ({seconds:.0f} s)", style="bold red" if faults else "bold green")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
