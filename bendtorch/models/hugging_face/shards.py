"""The safetensors files of a folder: `model.safetensors`, or several and an index that says which tensor is in which.

As in `transformers`, `model.safetensors` comes first where both are there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bendtorch.checkpoint.format import Reader, Tensor, reading, write_tensors
from bendtorch.errors import CheckpointError
from bendtorch.models.hugging_face.json_file import read_object, write_object
from bendtorch.shapes.arguments import shown

SINGLE: Final = "model.safetensors"
INDEX: Final = "model.safetensors.index.json"
SUFFIX: Final = ".safetensors"
FIRST: Final = "model"  # of shards, as in transformers
SECOND: Final = "model-2"  # where as many shards of an older model have those names
USUAL_HEADER: Final = 1 << 22  # bytes, for models of few numbers and many names
METADATA: Final = {"format": "pt", "writer": "bendtorch-llama-1"}  # transformers asks for the former


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[Mapping[str, Reader]]:
    """Every tensor of a folder, with the open file that holds it.

    Raises `CheckpointError` for a damaged file, and where an index and its files contradict each other.
    """
    if (folder / SINGLE).exists():
        with reading(folder / SINGLE, USUAL_HEADER, foreign=True) as reader:
            yield dict.fromkeys(reader.names, reader)
        return
    if not (folder / INDEX).exists():
        raise CheckpointError(
            f"{folder}: has neither {SINGLE} nor {INDEX}; a model of other files is converted by "
            "save_pretrained of transformers"
        )
    places = _read_index(folder / INDEX)
    with contextlib.ExitStack() as stack:
        readers = {}
        for file in dict.fromkeys(places.values()):
            if not (folder / file).exists():
                raise CheckpointError(f"{folder}: {file} is missing, which {INDEX} names; the download is not complete")
            readers[file] = stack.enter_context(reading(folder / file, USUAL_HEADER, foreign=True))
        for file, reader in readers.items():
            _compare(reader, {name for name, place in places.items() if place == file})
        yield {name: readers[file] for name, file in places.items()}


def write_shards(folder: Path, tensors: Sequence[Tensor], most: int) -> None:
    """Write the tensors into one file, or into several of at most `most` bytes (or one tensor) and an index.

    Whenever it is stopped, the folder holds all of the older model or all of the new one: no file that is read is
    written again, the index goes over from one to the other, and then what the older one named is removed.
    """
    parts, old = _parts(tensors, most), _named_before(folder)
    if len(parts) == 1:
        write_tensors(folder / SINGLE, tensors, METADATA)  # it comes first, so what is older is read no more
        (folder / INDEX).unlink(missing_ok=True)
        _remove(folder, old, {SINGLE})
        return
    places: dict[str, str] = {}
    for file, part in zip(_free_names(old, len(parts)), parts, strict=True):
        write_tensors(folder / file, part, METADATA)
        places |= {tensor.name: file for tensor in part}
    total = sum(tensor.array.nbytes for tensor in tensors)
    write_object(folder / INDEX, {"metadata": {"total_size": total}, "weight_map": places})
    (folder / SINGLE).unlink(missing_ok=True)  # it would come first
    _remove(folder, old, set(places.values()))


def _free_names(taken: set[str], count: int) -> list[str]:
    """Names for so many shards, none of which is taken."""
    ends = [f"-{number:05}-of-{count:05}{SUFFIX}" for number in range(1, count + 1)]
    stem = SECOND if any(FIRST + end in taken for end in ends) else FIRST
    return [stem + end for end in ends]


def _named_before(folder: Path) -> set[str]:
    """The files that the index in a folder names; none where there is no index, or one that cannot be read."""
    if not (folder / INDEX).exists():
        return set()
    try:
        return set(_read_index(folder / INDEX).values())
    except CheckpointError:
        return set()


def _remove(folder: Path, old: set[str], new: set[str]) -> None:
    """Remove an older model's files, and what a save that was stopped left under names that are ours alone."""
    left = {path.name for path in folder.glob(f"{SECOND}-?????-of-?????{SUFFIX}")}
    for file in sorted((old | left) - new):
        (folder / file).unlink(missing_ok=True)


def _parts(tensors: Sequence[Tensor], most: int) -> list[list[Tensor]]:
    """The tensors in their order, cut into parts."""
    parts: list[list[Tensor]] = [[]]
    room = most
    for tensor in tensors:
        if tensor.array.nbytes > room and parts[-1]:
            parts.append([])
            room = most
        parts[-1].append(tensor)
        room -= tensor.array.nbytes
    return parts


def _read_index(path: Path) -> dict[str, str]:
    """Which file holds which tensor. A file is named by its bare name: an index reaches nothing outside its folder."""
    places: Any = read_object(path).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise CheckpointError(f"{path}: weight_map must be an object that says which file holds which tensor")
    for file in places.values():
        bare = isinstance(file, str) and file.endswith(SUFFIX) and not set(file) & set("/\\:\0") and file[0] != "."
        if not bare:
            raise CheckpointError(f"{path}: names the file {shown(file)}; only {SUFFIX} files beside it are read")
    return places


def _compare(reader: Reader, expected: set[str]) -> None:
    """Refuse a file that holds other tensors than the index says."""
    for name in sorted(expected ^ reader.names):
        if name in expected:
            raise CheckpointError(f"{reader.path}: tensor {name!r} is missing, which {INDEX} places in it")
        raise CheckpointError(f"{reader.path}: {INDEX} does not place tensor {name!r} in this file")
