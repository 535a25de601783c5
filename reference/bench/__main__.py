"""Run the benchmark: `python -m reference.bench [options] [patterns]`; `--help` names them."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from rich.console import Console

from reference.bench.neighbours import disturbed
from reference.bench.picture import save
from reference.bench.registry import families, select
from reference.bench.report import machine, to_json
from reference.bench.run import Runner


def arguments() -> argparse.Namespace:
    """What the user asks for."""
    parser = argparse.ArgumentParser(prog="python -m reference.bench", description="Speed beside PyTorch.")
    parser.add_argument("patterns", nargs="*", help="parts of `family/row`; every row without any")
    parser.add_argument(
        "--quick", action="store_true", help="fewer and shorter rounds, no long rows: under two minutes"
    )
    parser.add_argument("--threads", type=int, nargs="+", metavar="N", help="numbers of threads (1 and 2)")
    parser.add_argument("--patience", type=int, default=0, metavar="N", help="repeat a disturbed row up to N times")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results to a file")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="also draw the results (.png, .svg, .pdf)")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    given = parser.parse_args()
    if given.threads is None:
        given.threads = [1, 2] if (os.cpu_count() or 1) > 1 else [1]
    if min(given.threads) < 1:
        parser.error("--threads: at least 1")
    return given


def main() -> int:
    """Run what is asked for."""
    given = arguments()
    console = Console(width=None if sys.stdout.isatty() else 170)
    chosen = list(select(families(), given.patterns))
    if not chosen:
        console.print(f"no row matches {' '.join(given.patterns)}; --list names them")
        return 2
    if given.list:
        console.print("\n".join(f"{family.name}/{row.name}" for family in chosen for row in family.rows))
        return 0
    started = time.perf_counter()
    console.print(f"{machine()['processor']}, {os.cpu_count()} processors; medians and quartiles")
    runner = Runner(console, given.threads, given.quick, given.patience)
    limits = runner.limits()
    found = runner.families(chosen, limits)
    if given.json:
        given.json.write_text(to_json(limits, found), encoding="utf-8")
        console.print(f"wrote {given.json}")
    if given.picture:
        save(found, machine()["processor"], given.picture)
        console.print(f"drew {given.picture}")
    spoiled = sum(disturbed(line.others) for line in found)
    if spoiled:
        console.print(
            f"{spoiled} lines were measured beside other busy processes; --patience repeats them", style="yellow"
        )
    console.print(f"{len(found)} lines in {time.perf_counter() - started:.0f} s", style="dim")
    return 0


if __name__ == "__main__":
    sys.exit(main())
