"""What would make one type another: `; turn it round with .T`, `; convert it with .astype(np.float32)`.

Works on types in words, and imports nothing of mypy. Each text is said only where it is true.
"""

from __future__ import annotations

import re
from typing import Final

from bendtorch.mypy_plugin.wording import split_arguments

_ARRAY: Final = re.compile(r"(Mat|Ids|FlatF32|array|bool|u?int\d+|float\d+)\[(.*)\]")
_NUMBERS: Final = re.compile(r"(u?int|float)\d+")


def conversion(got: str, want: str) -> str:
    """What to do with a value of one type where another is wanted; empty where nothing short is true."""
    if got.startswith("Layer[") and re.match(r"Callable\[\[int\], Layer\[", want):
        return "; give a function that makes it for a number of rows, as in lambda n: model(n)"
    if got.startswith("tuple[") and want.startswith("Batches["):
        return "; make them with batches(x, target, size)"
    found, wanted = _ARRAY.fullmatch(got), _ARRAY.fullmatch(want)
    if found is None or wanted is None or wanted[1] not in ("Mat", "Ids"):
        return ""
    sizes, needed = split_arguments(found[2]), split_arguments(wanted[2])
    stating = "mat(n, c, array)" if wanted[1] == "Mat" else "ids(n, array)"
    if sizes == ["..."]:
        return f"; its shape is not static, state it with {stating}"
    if sizes == needed:
        return _of_numbers(found[1], wanted[1])
    if found[1] == wanted[1] and _only_ints_differ(sizes, needed):
        return f"; a size of it is not static, state it with {stating}"
    if found[1] == "Mat" and _is_turned(sizes, needed):
        return "; turn it round with .T"
    return _of_vector(sizes, needed) if found[1] == "float32" and wanted[1] == "Mat" else ""


def turning(one: str, other: str) -> str:
    """What to do with two arrays that must have one shape."""
    first, second = _ARRAY.fullmatch(one), _ARRAY.fullmatch(other)
    if first is None or second is None:
        return ""
    return "; turn one of them round with .T" if _is_turned(*map(split_arguments, (first[2], second[2]))) else ""


def _is_turned(sizes: list[str], needed: list[str]) -> bool:
    return len(sizes) == 2 and sizes == needed[::-1] and sizes != needed


def _only_ints_differ(sizes: list[str], needed: list[str]) -> bool:
    """Whether two shapes are the same but for sizes of the first that are only known to be ints."""
    return len(sizes) == len(needed) and all(a in (b, "int") for a, b in zip(sizes, needed, strict=True))


def _of_numbers(found: str, wanted: str) -> str:
    """The right shape, and perhaps the wrong type of numbers."""
    if found == wanted or not _NUMBERS.fullmatch(found):
        return ""
    return f"; convert it with .astype(np.{'float32' if wanted == 'Mat' else 'int64'})"


def _of_vector(sizes: list[str], needed: list[str]) -> str:
    """A vector where a matrix is wanted."""
    if len(sizes) != 1 or len(needed) != 2:
        return ""
    if needed == [sizes[0], "1"]:
        return "; make it a column with [:, None]"
    if needed == ["1", sizes[0]]:
        return "; make it a row with [None]"
    return "; give a matrix, a row for each example" if sizes[0] == needed[1] else ""
