"""`python -m laws.mutants`: plant faults, say which laws find each, and fail where too few are found or explained.

```
--each 1         so many faults in each function, of different kinds
--sample 20      only so many of them, spread over all
--only softmax   only in modules whose names have this in them (several: `softmax,rope`)
--of Softmax     only what the laws of these run
--workers 2      processes at a time
--cases 24       cases of each law
```
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from laws.mutants.run import Outcome

EACH: Final = 1
CASES: Final = 24


def arguments(given: Sequence[str]) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="laws.mutants", description="Plant faults and see which laws find each.")
    parser.add_argument("--each", type=int, default=EACH, help="faults in each function")
    parser.add_argument("--sample", type=int, default=0, help="only so many, spread over all")
    parser.add_argument("--only", default="", help="only in modules whose names have this in them")
    parser.add_argument("--of", default="", help="only what the laws of these run")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--cases", type=int, default=CASES, help="cases of each law")
    return parser.parse_args(given)


def main(given: Sequence[str]) -> int:
    """Run, print, and give 1 when too few faults are found or explained."""
    from laws.mutants.report import explained, results_of, summary  # noqa: PLC0415  these load the package

    options = arguments(given)
    outcomes = []
    for outcome in _outcomes(options):
        edit = outcome.task.edit
        if edit is None and outcome.found:
            names = ", ".join(subject.name for subject in outcome.task.subjects)
            raise SystemExit(f"{names}: laws are broken without a fault ({outcome.found})")
        if edit is not None:
            outcomes.append(outcome)
            sys.stdout.write(f"{outcome.found or 'NOT FOUND':44} {edit}\n")
            sys.stdout.flush()
    whole = options.each == EACH and not (options.sample or options.only or options.of)
    text, failed = summary(results_of(outcomes), explained(), whole=whole)
    sys.stdout.write(text)
    return int(failed)


def _outcomes(options: argparse.Namespace) -> Iterator[Outcome]:
    """Each subject without a fault, then each fault with what finds it."""
    from laws.mutants.judge import prepare, subjects  # noqa: PLC0415
    from laws.mutants.living import lines_run_by  # noqa: PLC0415
    from laws.mutants.places import PACKAGE, chosen_edits, trees  # noqa: PLC0415
    from laws.mutants.run import Task, Workers, tasks_of  # noqa: PLC0415

    prepare()
    ready = {name: one for name, one in subjects().items() if any(part in name for part in options.of.split(","))}
    runs = lines_run_by({name: subject.run for name, subject in ready.items()}, str(PACKAGE))
    tasks = list(tasks_of(chosen_edits(options.each, options.only), dict(trees()), runs, ready))
    if options.sample:
        step = max(len(tasks) // options.sample, 1)
        tasks = tasks[step // 2 :: step][: options.sample]
    judges = {subject.name: subject for task in tasks for subject in task.subjects}
    yield from Workers(options.workers, options.cases).run([*(Task((subject,)) for subject in judges.values()), *tasks])


if __name__ == "__main__":
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        root = str(Path(__file__).parents[2])
        os.environ.update(NUMBA_DISABLE_JIT="1", PYTHONPATH=root)
        os.execv(sys.executable, [sys.executable, "-m", "laws.mutants", *sys.argv[1:]])
    sys.exit(main(sys.argv[1:]))
