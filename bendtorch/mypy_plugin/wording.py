"""Types as text, in the user's words: `ndarray[tuple[N, Literal[4]], dtype[floating[_32Bit]]]` is `Mat[N, 4]`.

mypy formats types by itself before a plugin can see them, so this works on its text and imports nothing of mypy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from bendtorch.mypy_plugin.poly import in_parentheses

SCALARS: Final = {
    "bool[bool]": "bool",
    "bool[Any]": "bool",
    "bool_": "bool",
    "floating[_16Bit]": "float16",
    "floating[_32Bit]": "float32",
    "floating[_64Bit]": "float64",
    "signedinteger[_8Bit]": "int8",
    "signedinteger[_16Bit]": "int16",
    "signedinteger[_32Bit]": "int32",
    "signedinteger[_64Bit]": "int64",
    "signedinteger[_32Bit | _64Bit]": "intp",
    "unsignedinteger[_8Bit]": "uint8",
    "unsignedinteger[_16Bit]": "uint16",
    "unsignedinteger[_32Bit]": "uint32",
    "unsignedinteger[_64Bit]": "uint64",
}
ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ID_TYPES: Final = {"int32", "int64", "intp"}

_HEAD: Final = re.compile(r"[A-Za-z_][\w.@]*\[")
_FULL_NAME: Final = re.compile(r"\bbendtorch\.(\w+\.)*(?=[A-Z])")
_RUN_TIME: Final = re.compile(r"'[\w.]+\.\d+:([\w.+*/() -]+)'")


def in_words(text: str) -> str:
    """The text with every type in it written as a user writes it."""
    result, done = "", 0
    for head in _HEAD.finditer(text):
        if head.start() < done:
            continue  # inside of a type that is already rewritten
        end = _closing(text, head.end())
        if end is None:
            break
        arguments = [in_words(part) for part in split_arguments(text[head.end() : end])]
        result += text[done : head.start()] + _generic_in_words(head.group()[:-1], arguments)
        done = end + 1
        if head.group() == "Literal[" and text[done : done + 1] == "?":
            done += 1  # mypy's mark of a value that it remembers
    return _FULL_NAME.sub("", result + text[done:])


def split_arguments(text: str) -> list[str]:
    """The parts between the commas that stand in no bracket."""
    parts, depth, current = [], 0, ""
    for char in text:
        depth += (char in "[(") - (char in "])")
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [*parts, current.strip()] if current.strip() else parts


def _closing(text: str, start: int) -> int | None:
    """Where the bracket that was opened just before `start` closes."""
    depth = 1
    for position in range(start, len(text)):
        depth += (text[position] == "[") - (text[position] == "]")
        if depth == 0:
            return position
    return None


def _generic_in_words(name: str, arguments: list[str]) -> str:
    """`name[arguments]`, its arguments already in words."""
    match name.rsplit(".", 1)[-1], arguments:
        case "Literal", [value] if re.fullmatch(r"-?\d+", value):
            return value
        case "Literal", [value] if (size := _RUN_TIME.fullmatch(value)) is not None:
            return size[1]
        case "Mul", ["-1", right]:
            return f"-{in_parentheses(right, '+-')}"
        case "Mul", [left, right]:
            return "*".join(_factor(part) for part in (left, right))
        case "Add", [left, right]:
            return f"{left} + {right}".replace("+ -", "- ")
        case "Div", [left, right]:
            return f"{in_parentheses(left, '+-')}//{in_parentheses(right, '+-*/')}"
        case "tuple", ["()"]:
            return "Unit"
        case "tuple", [mark, inside, *_] if mark.startswith("Literal['bendtorch-pack:"):
            return inside
        case "ndarray", [shape, dtype] if (scalar := re.fullmatch(r"(?:numpy\.)?dtype\[(.*)\]", dtype)) is not None:
            return array_in_words(_sizes(shape), scalar[1])
    short = name.rsplit(".", 1)[-1] if name.startswith("bendtorch.") else name
    return f"{short}[{', '.join(arguments)}]"


def _factor(text: str) -> str:
    """A size as a factor: a sum or a quotient in parentheses, unless it stands in some already."""
    outside = text
    while outside != (outside := re.sub(r"\([^()]*\)", "", outside)):
        pass
    return text if re.fullmatch(r"-?\d+", text) else f"({text})" if re.search(r"[+-]|//", outside) else text


def _sizes(shape: str) -> list[str] | None:
    """The sizes in `tuple[...]`; None when their number is not known."""
    if not shape.startswith("tuple[") or shape.endswith(", ...]"):
        return [] if shape == "Unit" else None
    return split_arguments(shape[len("tuple[") : -1])


def array_in_words(sizes: Sequence[str] | None, scalar: str) -> str:
    """An array type by its sizes (None: of any shape) and its scalar type as mypy writes it."""
    scalar = re.sub(r"\b\w+\.", "", scalar)
    kinds = sorted({_scalar_name(part) for part in re.split(r" \| (?![^\[]*\])", scalar)})
    shape = "..." if sizes is None else ", ".join(sizes)
    if sizes is not None and len(sizes) == 1 and set(kinds) <= ID_TYPES:
        return f"Ids[{shape}]"
    if sizes is not None and kinds == ["float32"] and len(sizes) == 2:
        return f"Mat[{shape}]"
    if sizes == ["int"] and kinds == ["float32"]:
        return "FlatF32"
    return f"{'array' if kinds == ['Any'] else ' | '.join(kinds)}[{shape}]"


def _scalar_name(scalar: str) -> str:
    return SCALARS.get(scalar, scalar)


def ordinal(index: int) -> str:
    """`first` for 0, and so on; `11th` and the like beyond the words."""
    if index < len(ORDINALS):
        return ORDINALS[index]
    number = index + 1
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
