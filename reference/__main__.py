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
from dataclasses import replace
from types import ModuleType

import torch
from rich.console import Console

import reference
from reference.compare import Row, table

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
    torch.set_num_threads(1)  # so that its bits do not depend on the number of processors
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print("errors against float64 in roundings (2^-24 of the scale): root mean square (largest)\n")
    started = time.perf_counter()
    found: list[Row] = []
    for path, module in comparisons(arguments.patterns):
        with console.status(path):
            rows = list(module.rows(arguments.quick))
        console.print(table(path, rows), "")
        found += [replace(row, case=f"{path}: {row.case}") for row in rows]
    if not found:
        console.print(f"no comparison matches {' '.join(arguments.patterns)}")
        return 2
    return conclude(console, found, time.perf_counter() - started)


def conclude(console: Console, found: list[Row], seconds: float) -> int:
    """Say whether all is well, with the faults once more; gives the exit status."""
    faults = [row for row in found if row.fault]
    if faults:
        console.print(table("not good enough", faults), "")
        console.print(
            f"{len(faults)} of {len(found)} quantities are not good enough   ({seconds:.0f} s)", style="bold red"
        )
        return 1
    console.print(f"all {len(found)} quantities hold   ({seconds:.0f} s)", style="bold green")
    return 0


if __name__ == "__main__":
    sys.exit(main())
