"""Forked children and Python threads compute what their parent does, and nobody waits for ever."""

from __future__ import annotations

import os

import pytest

from bendtorch.kernels.compile import JIT
from tests.support import programs
from tests.support.process import run_python

FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
COMPILED = pytest.mark.skipif(not JIT, reason="with the JIT off there are no threads of our own")
LIMIT = 60.0  # seconds


@FORKS
@COMPILED
@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("parent", ["idle", "busy"])
def test_a_forked_child_computes(parent: str, threads: str) -> None:
    out = run_python(programs.FORK, parent, limit=LIMIT, BENDTORCH_NUM_THREADS=threads)
    assert out.strip() == f"{[0] * 6} True"


@FORKS
@COMPILED
def test_a_childs_child_computes() -> None:
    assert run_python(programs.GRANDCHILD, limit=LIMIT, BENDTORCH_NUM_THREADS="2").strip() == "0"


@FORKS
@COMPILED
def test_a_pool_of_processes() -> None:
    assert run_python(programs.POOL, limit=LIMIT, BENDTORCH_NUM_THREADS="2").strip() == "True"


@COMPILED
@pytest.mark.parametrize("threads", ["1", "2"])
def test_eight_python_threads(threads: str) -> None:
    assert run_python(programs.THREADS, limit=LIMIT, BENDTORCH_NUM_THREADS=threads).strip() == "[]"


@COMPILED
def test_eight_python_threads_that_compile_the_same_kernel_at_once() -> None:
    assert run_python(programs.COLD_THREADS, cold=True, limit=LIMIT, BENDTORCH_NUM_THREADS="2").strip() == "True"
