"""Safetensors files with a checksum, written in a stream: no second copy of what is saved, every write observable.

Reading and validating is the safetensors library's work, after our own checks of the header. The checksum is the
SHA-256 of the header, with zeros in the place of the checksum itself, and of the payload. A file of another program has
none: it is read as unchecked, with a warning.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np
from safetensors import SafetensorError, safe_open

from bendtorch.checkpoint.atomic import replacing
from bendtorch.errors import CheckpointError
from bendtorch.shapes.arrays import FlatF32

AnyArray: TypeAlias = np.ndarray[Any, np.dtype[Any]]

OURS: Final = "bendtorch-"  # what the formats of our files begin with
METADATA: Final = "__metadata__"
CHECKSUM: Final = "sha256"
BLANK: Final = "0" * 64
ALIGN: Final = 8
PIECE: Final = 1 << 23  # bytes written, read and hashed at a time
UNUSUAL: Final = 1 << 19  # bytes that any header may have
LONGEST_HEADER: Final = 100_000_000  # the library's own limit
to_disk: Final = getattr(os, "fdatasync", os.fsync)
FLOATS: Final = ("F32", "BF16", "F16")  # what every float32 array can take


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor to write: its name, type and shape in the file, and its numbers in any array of as many bytes."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    array: AnyArray


def write_tensors(path: Path, tensors: Sequence[Tensor], metadata: Mapping[str, str]) -> None:
    """Write a file whole or not at all. Raises `OSError` when writing fails; the old file is then as it was."""
    header = _header(tensors, {**metadata, CHECKSUM: BLANK})
    digest = hashlib.sha256(header)
    place = 8 + header.index(f'"{CHECKSUM}":"{BLANK}"'.encode()) + len(CHECKSUM) + 4
    with replacing(path) as file, ThreadPoolExecutor(1) as beside, ThreadPoolExecutor(1) as disk:
        file.write(len(header).to_bytes(8, "little"))
        file.write(header)
        hashed: Future[None] | None = None
        flushed: Future[None] | None = None
        for piece in _pieces(tensors):
            following = beside.submit(digest.update, piece)  # while the piece is written
            file.write(piece)
            if len(piece) == PIECE and (flushed is None or flushed.done()):
                flushed = disk.submit(_flush, file.fileno())
            if hashed is not None:
                hashed.result()
            hashed = following
        if hashed is not None:
            hashed.result()
        file.seek(place)
        file.write(digest.hexdigest().encode())


def _flush(descriptor: int) -> None:
    """Have what was written go to the disk now, while the rest is hashed; whether it arrives is asked at the end."""
    with contextlib.suppress(OSError):
        to_disk(descriptor)


def _pieces(tensors: Sequence[Tensor]) -> Iterator[memoryview]:
    """The payload, in pieces; at most one tensor is copied at a time, where it does not lie in one stretch."""
    for tensor in tensors:
        array = np.ascontiguousarray(tensor.array)
        little = array if array.dtype.newbyteorder("<") == array.dtype else array.astype(array.dtype.newbyteorder("<"))
        data = little.reshape(-1).view(np.uint8).data
        for start in range(0, len(data), PIECE):
            yield data[start : start + PIECE]


def _header(tensors: Sequence[Tensor], metadata: dict[str, str]) -> bytes:
    """Names, types, shapes and places, padded so that the numbers are aligned."""
    entries: dict[str, Any] = {METADATA: metadata}
    start = 0
    for tensor in tensors:
        end = start + tensor.array.nbytes
        entries[tensor.name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps(entries, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % ALIGN)


@dataclass(frozen=True, slots=True)
class Reader:
    """An open file whose header and checksum were found right."""

    path: Path
    file: BinaryIO
    entries: Mapping[str, Any]
    start: int
    metadata: Mapping[str, str]

    @property
    def names(self) -> frozenset[str]:
        """The tensors."""
        return frozenset(self.entries)

    def require(self, name: str, dtype: str, shape: tuple[int, ...]) -> None:
        """Refuse a tensor that is missing, or of another type or shape."""
        if name not in self.entries:
            raise CheckpointError(f"{self.path}: tensor {name!r} is missing; the file is of another model")
        found = self.entries[name]
        if found["dtype"] != dtype:
            raise CheckpointError(f"{self.path}: tensor {name!r} must be {dtype}, got {found['dtype']}")
        if tuple(found["shape"]) != shape:
            want = list(shape)
            raise CheckpointError(f"{self.path}: tensor {name!r} must have shape {want}, got {found['shape']}")

    def refuse_others(self, names: Iterable[str]) -> None:
        """Refuse a file with tensors besides these."""
        extra = sorted(self.names - frozenset(names))
        if extra:
            raise CheckpointError(
                f"{self.path}: tensor {extra[0]!r} is not part of the model; the file is of another model"
            )

    def read_into(self, name: str, target: AnyArray) -> None:
        """The numbers of a tensor that was required, into a contiguous array of the same size."""
        low, high = self.entries[name]["data_offsets"]
        data = target.reshape(-1).view(np.uint8).data
        self.file.seek(self.start + low)
        if high - low != len(data) or _fill(self.file, data) != len(data):
            raise CheckpointError(f"{self.path}: tensor {name!r} is cut short")
        if sys.byteorder == "big":
            target.byteswap(inplace=True)

    def read_floats_into(self, name: str, target: FlatF32) -> None:
        """The numbers of a tensor of any of the `FLOATS`, into as many float32: none of them changes by that."""
        entry = self.entries[name]
        if entry["dtype"] == "F32":
            self.read_into(name, target)
            return
        (low, high), stored = entry["data_offsets"], np.dtype("<u2")
        if high - low != target.size * stored.itemsize:
            raise CheckpointError(f"{self.path}: tensor {name!r} has another size than it is read into")
        piece = np.empty(min(target.size, PIECE // stored.itemsize), stored)
        self.file.seek(self.start + low)
        for start in range(0, target.size, piece.size):
            part = piece[: target.size - start]
            if _fill(self.file, part.view(np.uint8).data) != part.nbytes:
                raise CheckpointError(f"{self.path}: tensor {name!r} is cut short")
            _widen(part, entry["dtype"], target[start : start + part.size])


def _widen(stored: AnyArray, dtype: str, target: FlatF32) -> None:
    """Halves as float32: a bfloat16 is the upper half of its number's bits, a float16 is numpy's own."""
    if dtype == "BF16":
        np.left_shift(stored, 16, out=target.view(np.uint32), dtype=np.uint32)
    else:
        target[...] = stored.view("<f2")


@contextlib.contextmanager
def reading(path: Path, usual: int = 0, *, foreign: bool = False) -> Iterator[Reader]:
    """A file to read from. Raises `CheckpointError`, naming what is wrong, when it is damaged or not of this kind.

    A header grows twentyfold when it is read, so it may only have `usual` bytes and some in proportion to the file.
    A file without a checksum is no surprise where `foreign` ones are read.
    """
    require_file(path)
    with path.open("rb") as file:
        entries, header = _read_header(path, file, usual)
        _verify(path, file, entries, header, foreign)
        tensors = {name: entry for name, entry in entries.items() if name != METADATA}
        yield Reader(path, file, tensors, 8 + len(header), entries.get(METADATA, {}))


def require_file(path: Path) -> None:
    """Refuse a directory, a device, a pipe."""
    if path.is_dir():
        raise CheckpointError(f"{path}: a directory, not a regular file; latest(folder) is its newest checkpoint")
    if path.exists() and not path.is_file():
        raise CheckpointError(f"{path}: not a regular file")


def _validate(path: Path) -> None:
    """Let the library look for sizes that lie, overlaps, holes and unknown types."""
    try:
        with safe_open(path, framework="numpy"):
            pass
    except SafetensorError as problem:
        raise CheckpointError(f"{path}: not a complete safetensors file ({problem})") from None


def _read_header(path: Path, file: BinaryIO, usual: int) -> tuple[Mapping[str, Any], bytes]:
    """The header and its bytes."""
    size = int.from_bytes(file.read(8), "little")
    whole = os.fstat(file.fileno()).st_size
    if not 2 <= size <= min(LONGEST_HEADER, whole - 8):
        raise CheckpointError(f"{path}: not a complete safetensors file (a header of {size} bytes in {whole})")
    if size > usual + UNUSUAL + whole // 10:
        raise CheckpointError(f"{path}: has a header of {size} bytes in {whole}, more than tensors of their size need")
    _validate(path)
    header = file.read(size)
    try:
        entries: dict[str, Any] = json.loads(header, object_pairs_hook=_once)  # the library found an object
    except (ValueError, RecursionError) as problem:
        raise CheckpointError(f"{path}: not a complete safetensors file ({problem})") from None
    return entries, header


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of the header; a name that stands in it twice is a lie."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in the header")
    return found


def _verify(path: Path, file: BinaryIO, entries: Mapping[str, Any], header: bytes, foreign: bool) -> None:
    """Compare the checksum with the file."""
    metadata = entries.get(METADATA, {})
    if CHECKSUM not in metadata:
        if any(value.startswith(OURS) for value in metadata.values()):
            raise CheckpointError(f"{path}: has lost its checksum; the file is damaged")
        if not foreign:
            warnings.warn(f"{path}: has no checksum, as files of other programs; it is read unchecked", stacklevel=6)
        return
    written = f'"{CHECKSUM}":"{metadata[CHECKSUM]}"'.encode()
    if len(metadata[CHECKSUM]) != len(BLANK) or header.count(written) != 1:
        raise CheckpointError(f"{path}: its checksum is not one; the file is damaged")
    digest = hashlib.sha256(header.replace(written, f'"{CHECKSUM}":"{BLANK}"'.encode()))
    piece = bytearray(PIECE)
    while count := file.readinto(piece):  # type: ignore[attr-defined]
        digest.update(memoryview(piece)[:count])
    if digest.hexdigest() != metadata[CHECKSUM]:
        raise CheckpointError(f"{path}: its checksum is not that of its content; the file is damaged")


def _fill(file: BinaryIO, data: memoryview) -> int:
    """Read until `data` is full, or the file ends; how many bytes that were."""
    done = 0
    while done < len(data) and (count := file.readinto(data[done:])):  # type: ignore[attr-defined]
        done += count
    return done
