"""The files of golden vectors: one a layer, readable, with each number to twelve digits. Needs no PyTorch.

{"name": "ReLU", "cases": [{"sizes": [3, 5], "options": {}, "roundings": 0, "input_names": ["x"],
"x": [[…]], "dy": [[…]], "y": [[…]], "dx": [[…]]}]}
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

FOLDER: Final = Path(__file__).parents[2] / "tests" / "golden"
DIGITS: Final = 12
SAME: Final = 1e-10  # of the largest number: float64 differs a little between processors

Content: TypeAlias = Mapping[str, Any]


def path_of(name: str) -> Path:
    """The file of a layer or loss."""
    return FOLDER / f"{name}.json"


def numbers(value: Any) -> Any:
    """An array as nested lists of numbers of twelve digits."""
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return array.tolist()
    rounded = np.array([float(f"{number:.{DIGITS}g}") for number in array.reshape(-1)])
    return (rounded + 0.0).reshape(array.shape).tolist()


def text_of(name: str, cases: Sequence[Content]) -> str:
    """The text of a file: one line for each quantity."""
    blocks = []
    for case in cases:
        lines = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in case.items()]
        blocks.append("   {\n" + ",\n".join(lines) + "\n   }")
    return f'{{"name": {json.dumps(name)}, "cases": [\n' + ",\n".join(blocks) + "\n]}\n"


def stale(text: str, cases: Sequence[Content]) -> str:
    """In what a file differs from these cases; empty where in nothing but the last digits."""
    kept = json.loads(text)["cases"]
    if len(kept) != len(cases):
        return f"{len(kept)} cases in the file, {len(cases)} now"
    for i, (old, new) in enumerate(zip(kept, cases, strict=True)):
        if list(old) != list(new):
            return f"case {i} has {', '.join(old)}, now {', '.join(new)}"
        for key, value in new.items():
            if not _same(old[key], value):
                return f"{key} of case {i} has changed"
    return ""


def _same(old: Any, new: Any) -> bool:
    """Whether two values are equal but for the rounding of float64."""
    if not (_is_array(old) and _is_array(new)):
        return bool(old == new)
    one, two = np.asarray(old, np.float64), np.asarray(new, np.float64)
    if one.shape != two.shape:
        return False
    scale = np.abs(two[np.isfinite(two)]).max(initial=0.0)
    return bool(np.allclose(one, two, rtol=0, atol=SAME * scale, equal_nan=True))


def _is_array(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, list) and not any(isinstance(part, str) for part in value))
