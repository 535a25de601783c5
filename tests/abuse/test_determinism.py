"""The same bits in every run, at any number of threads, with kernels compiled now or long ago."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendtorch.kernels.compile import JIT
from tests.support import programs
from tests.support.process import run_python

pytestmark = pytest.mark.skipif(not JIT, reason="with the JIT off a training run takes minutes")


def test_two_runs_and_one_and_two_threads_have_equal_bits() -> None:
    runs = {run_python(programs.TRAIN, BENDTORCH_NUM_THREADS=n, PYTHONHASHSEED=h) for n, h in ("10", "20", "21")}
    assert len(runs) == 1


EXP_FIRST = """
import numpy as np
from bendtorch.kernels.vecmath import exp
exp(np.float32(1))
"""


def test_bits_do_not_depend_on_what_was_compiled_first(tmp_path: Path) -> None:
    """Each run has a cache of its own; one compiles a helper by itself before the kernels that it is inlined into."""
    programs_of_one_loss = (programs.LOSS, EXP_FIRST + programs.LOSS)
    results = [
        run_python(program, BENDTORCH_CACHE_DIR=str(tmp_path / str(place)))
        for place, program in enumerate(programs_of_one_loss)
    ]
    assert results[0] == results[1]
