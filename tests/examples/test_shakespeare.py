"""The language model's example: stopped by Ctrl-C and killed, it ends with the bits of a run that never stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from tests.support.files import names
from tests.support.process import LIMIT, ROOT, environment

EXAMPLE: Final = ROOT / "examples" / "shakespeare.py"
SIZES: Final = {"batch": 1, "width": 16, "heads": 1, "half": 4, "inner": 16, "depth": 1, "dropout": 0.1}
TINY: Final = ["--steps=800", *(f"--{name}={size}" for name, size in SIZES.items())]
FIRST: Final = "step-000100.safetensors"


def started(out: Path, *arguments: str) -> subprocess.Popen[str]:
    """The example in a process of its own."""
    return subprocess.Popen(
        [sys.executable, str(EXAMPLE), "--out", str(out), *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(out: Path, *arguments: str) -> str:
    """What it prints when nothing stops it."""
    process = started(out, *arguments)
    printed, errors = process.communicate(timeout=LIMIT)
    assert (process.returncode, errors) == (0, "")
    return printed


def refused(out: Path, *arguments: str) -> str:
    """What it says when it will not begin."""
    process = started(out, *arguments)
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 2
    return errors


def stopped(process: subprocess.Popen[str], saved: Path, number: signal.Signals) -> str:
    """Stop it by a signal when it has saved a file; what it says last."""
    end = time.monotonic() + LIMIT
    while not saved.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    process.send_signal(number)
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == (-number if number is signal.SIGKILL else 1), errors
    return errors


def end_of(printed: str) -> str:
    """The SHA-256 of weights, moments and counts."""
    found = re.search(r"SHA-256 of the end ([0-9a-f]{64})\n", printed)
    assert found is not None, printed
    return found[1]


@pytest.mark.skipif(os.name != "posix", reason="a process cannot be stopped by a signal elsewhere")
def test_a_run_that_is_stopped_and_killed_ends_as_one_that_is_not(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    expected = finished(whole, *TINY)
    assert "MACBETH." in expected
    said = stopped(started(parts, *TINY), parts / FIRST, signal.SIGINT)
    step = int(re.fullmatch(rf"stopped after step (\d+) of 800; go on with --resume --out {parts}\n", said)[1])  # type: ignore[index]
    assert f"step-{step:06d}.safetensors" in names(parts)
    following = parts / f"step-{(step // 100 + 1) * 100:06d}.safetensors"
    stopped(started(parts, "--resume"), following, signal.SIGKILL)
    assert end_of(finished(parts, "--resume")) == end_of(expected)
    assert "curve.png" in names(parts)
    logs = [(out / "log.jsonl").read_text(encoding="utf-8").splitlines() for out in (whole, parts)]
    one, other = ({line["step"]: line["loss"] for line in map(json.loads, log) if "loss" in line} for log in logs)
    assert one == other
    assert len(one) == 800
    assert "has a run; go on with --resume, or name another --out" in refused(parts, *TINY)
    assert "--resume goes on with the run's own settings; give no others" in refused(parts, "--resume", "--width", "8")
    assert f"{tmp_path} has no run" in refused(tmp_path, "--resume")
