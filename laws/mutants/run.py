"""Plant faults one by one, each in a process of its own, and see which law finds it.

A process is forked from one that has everything loaded, takes the code of one function from a changed syntax tree, and
asks the judge. It may take so much time and memory and no more: a fault that makes a pass endless is found as well.
"""

from __future__ import annotations

import ast
import inspect
import os
import resource
import select
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from laws.mutants.edits import Edit
from laws.mutants.judge import Subject, meant_for, verdict
from laws.mutants.living import living, plant
from laws.registry import OPTIMIZERS

SECONDS: Final = 100  # of a processor, for one fault
MEMORY: Final = 4 << 30
MOST: Final = 4  # subjects that judge one fault
STOPPED: Final = "stopped"  # what is said of a process that did not end by itself


@dataclass(frozen=True)
class Task:
    """A fault, and what to judge it by. Without a fault, a subject must break no law."""

    subjects: tuple[Subject, ...]
    edit: Edit | None = None
    tree: ast.Module | None = None

    def judged(self, cases: int) -> str:
        """The verdict, in this process; empty where nothing is broken."""
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if self.edit is None or self.tree is None:
            return verdict("", self.subjects, cases)
        plant(self.edit, self.tree)
        return verdict(self.edit.module, self.subjects, cases)


@dataclass(frozen=True)
class Outcome:
    """A task and what found its fault: laws, and the subject that showed it; empty where nothing did."""

    task: Task
    found: str


class Workers:
    """Forked processes, so many at a time."""

    def __init__(self, count: int, cases: int) -> None:
        self.count, self.cases = count, cases
        self.busy: dict[int, tuple[Task, int]] = {}  # by the pipe that they answer through: task and process

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """The outcome of every task, as they come."""
        for task in tasks:
            while len(self.busy) >= self.count:
                yield from self._collect()
            self._start(task)
        while self.busy:
            yield from self._collect()

    def _start(self, task: Task) -> None:
        answer, end = os.pipe()
        process = os.fork()
        if process:
            os.close(end)
            self.busy[answer] = task, process
            return
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            os.write(end, f"={task.judged(self.cases)}".encode())
        finally:
            os._exit(0)

    def _collect(self) -> Iterator[Outcome]:
        ready, _, _ = select.select([*self.busy], [], [])
        for answer in ready:
            task, process = self.busy.pop(answer)
            said = os.read(answer, 1000).decode()
            os.close(answer)
            _, status = os.waitpid(process, 0)
            yield Outcome(task, _found(said, status))


def _found(said: str, status: int) -> str:
    if said.startswith("="):
        return said[1:]
    return f"{STOPPED}, {signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else 'without an answer'}"


def tasks_of(
    edits: Iterable[Edit],
    trees: Mapping[str, ast.Module],
    runs: Mapping[tuple[str, int], list[str]],
    subjects: Mapping[str, Subject],
) -> Iterator[Task]:
    """The faults in functions that some subject runs, each with its subjects.

    Of those that run its line, these are first those that are meant for its module, then those that run least besides.
    Optimizers, whose laws need some layer to step, judge what no layer runs.
    """
    load = Counter(name for names in runs.values() for name in names)
    for edit in edits:
        function = living(edit.module, edit.function)
        lines = [] if function is None else [*lines_of(function)]
        names = runs.get((function.__code__.co_filename, edit.line), []) if lines else []
        names = names or sorted({name for line in lines for name in runs.get(line, [])})
        if names:
            meant = meant_for(edit.module)
            judges = sorted(names, key=lambda name: (name not in meant, name in OPTIMIZERS, load[name]))[:MOST]
            yield Task(tuple(subjects[name] for name in judges), edit, trees[edit.module])


def lines_of(function: Any) -> Iterator[tuple[str, int]]:
    """The lines of a function's body, with its file; a decorator's and the head are run where it is defined."""
    lines, first = inspect.getsourcelines(function)
    head = function.__code__.co_firstlineno
    yield from ((function.__code__.co_filename, line) for line in range(head + 1, first + len(lines)))
