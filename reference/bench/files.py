"""Checkpoints beside the plainest way to put the same bytes on the disk and back, and beside PyTorch's.

Ours and the plain side write beside the file of the round before and rename; all wait for the disk (fsync). Ours also
hashes what it writes, on another thread, while the disk begins; reading, it hashes everything before it uses anything.
The files lie in the system's directory for temporary files; TMPDIR names another disk.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import torch

from bendtorch import Key, LinearNB, Repeat, load_params, save_params
from reference.bench.registry import Contest, Row

TENSORS: Final = 20
WIDTHS: Final = {50: 800, 500: 2500}  # of square matrices, by megabytes of all


def rows() -> Iterator[Row]:
    """A write and a read; the large file only without --quick."""
    for size, width in WIDTHS.items():
        for name, prepare in (("write", _write), ("read", _read)):
            moved = 4 * TENSORS * width * width
            contest = partial(prepare, width)
            yield Row(f"{name} {size} MB", contest, traffic=moved, whole_process=True, long=size > 50)


class _Files:
    """A model's parameters, and where each side keeps them; the directory goes when nobody needs it any more."""

    def __init__(self, width: int) -> None:
        layer: Any = LinearNB
        self.directory = tempfile.TemporaryDirectory(prefix="bendtorch-bench-")
        self.model: Any = Repeat(TENSORS, layer(1, width, width))
        self.p = self.model.init(Key(0))
        self.tensors = {str(i): torch.from_numpy(array) for i, array in enumerate(self.p)}

    def path(self, name: str) -> Path:
        """A file in the directory."""
        return Path(self.directory.name) / name

    def save(self) -> None:
        """Ours."""
        save_params(self.path("ours"), self.model, self.p)

    def save_plainly(self) -> None:
        """The same bytes, and nothing else; into a new file, as ours: pages new to the system cost the most."""
        with self.path("new").open("wb") as file:
            for array in self.p:
                file.write(array.data)
            _sync(file)
        self.path("new").replace(self.path("plain"))

    def save_by_torch(self) -> None:
        """PyTorch's own format."""
        with self.path("torch").open("wb") as file:
            torch.save(self.tensors, file)
            _sync(file)

    def load_plainly(self) -> object:
        """The numbers in one array."""
        return np.fromfile(self.path("plain"), np.float32)

    def load_by_torch(self) -> object:
        """PyTorch's own format."""
        return torch.load(self.path("torch"), weights_only=True)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _write(width: int) -> Contest:
    files = _Files(width)
    return Contest(files.save, {"plain": files.save_plainly, "torch.save": files.save_by_torch})


def _read(width: int) -> Contest:
    """From the system's cache: what a run that is resumed at once finds."""
    files = _Files(width)
    for save in (files.save, files.save_plainly, files.save_by_torch):
        save()
    ours = partial(load_params, files.path("ours"), files.model)
    return Contest(ours, {"plain": files.load_plainly, "torch.load": files.load_by_torch})
