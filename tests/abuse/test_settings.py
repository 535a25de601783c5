"""The tests of kernels and layers with the JIT off, and with numba's own checks of bounds."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.process import ROOT, environment

PARTS = ["tests/kernels", "tests/layers"]


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_kernels_and_layers_under_another_setting(setting: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *PARTS],
        env=environment(**{setting: "1"}, PYTEST_ADDOPTS=None, PYTEST_XDIST_WORKER=None),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
