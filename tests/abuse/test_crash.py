"""Saves that are killed at any moment: the old file or the new one always loads."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bendtorch import Adam, Key, Linear, Train, load_train, save_train
from tests.support.files import names
from tests.support.process import LIMIT, environment

KILLS = 200 if os.environ.get("BENDTORCH_LONG") else 10
MODEL: Any = Linear(1, 300, 400)

SAVER = """
import sys
from bendtorch import Adam, Key, Linear, Train, save_train
model = Linear(1, 300, 400)
train = Train.new(model, Adam(), model.init(Key(1)))
print("ready", flush=True)
while True:
    train.t += 1
    train.flat.w.fill(train.t)
    save_train(sys.argv[1], model, train)
"""


def killed_after(path: Path, seconds: float) -> None:
    """Run a program that saves again and again, and kill it."""
    saver = subprocess.Popen([sys.executable, "-c", SAVER, str(path)], env=environment(), stdout=subprocess.PIPE)
    try:
        assert saver.stdout is not None
        assert saver.stdout.readline() == b"ready\n"
        time.sleep(seconds)
    finally:
        saver.send_signal(signal.SIGKILL)
        saver.communicate(timeout=LIMIT)


@pytest.mark.skipif(os.name != "posix", reason="a process cannot be killed by a signal elsewhere")
@pytest.mark.parametrize("existing", [True, False])
def test_a_save_is_the_old_file_or_the_new_one(tmp_path: Path, existing: bool) -> None:
    """Each kill at another moment, of the first save or of an overwrite; nothing is left behind by the next save."""
    moments = random.Random(int(existing))
    for number in range(KILLS):
        path = tmp_path / f"run-{number}"
        if existing:
            train = Train.new(MODEL, Adam(), MODEL.init(Key(0)))
            train.t = 10**6
            save_train(path, MODEL, train)
        killed_after(path, moments.random() * 0.02)
        if path.exists():
            again = load_train(path, MODEL, Adam())
            weights = MODEL.dump(again.p)
            assert np.all(weights == again.t) or (existing and again.t == 10**6)
        else:
            assert not existing
        save_train(path, MODEL, Train.new(MODEL, Adam(), MODEL.init(Key(0))))
        assert names(tmp_path) == sorted(f"run-{i}" for i in range(number + 1))
