"""What stands where a layer should, in one line with what to do: `>> ReLU`, `Seq([a, b])`, `Residual(None)`.

Works on the text of mypy's messages, types in it already in words.
"""

from __future__ import annotations

import re
from typing import Final

from bendtorch.mypy_plugin.wording import ordinal, split_arguments

KEEP: Final = "a list or dict of different layers forgets their types; use a tuple, a >> b, or Repeat for equal ones"

_OPERANDS: Final = re.compile(r'Unsupported operand types for >> \("(?P<left>.*)" and (?P<right>.*)\)')
_LEFT: Final = re.compile(r'Unsupported left operand type for >> \("(.*)"\)')
_SEQ: Final = re.compile(r'No overload variant of "Seq" matches argument types? (.*)')
_FIELD: Final = re.compile(r'"object" has no attribute "(?:fwd|bwd|init|zeros|step|dump|load|store|count|eval|info)"')


def reword_misplaced(message: str) -> str | None:
    """The line for a message that something is no layer; None for any other message."""
    if (found := _OPERANDS.fullmatch(message)) is not None and found["left"].startswith("Layer["):
        return f">>: the right side is {instead(found['right'].strip(chr(34)))}"
    if (found := _LEFT.fullmatch(message)) is not None and _is_misplaced(found[1]):
        return f">>: the left side is {instead(found[1])}"
    if (found := _SEQ.fullmatch(message)) is not None:
        return _in_seq([t.strip('"') for t in split_arguments(found[1])])
    return f"the layer is {instead('object')}" if _FIELD.fullmatch(message) else None


def is_about_object(message: str) -> bool:
    """Whether a message is of something whose type was lost, which only a file with layers shows to be one."""
    return '"object"' in message and reword_misplaced(message) is not None


def _is_misplaced(t: str) -> bool:
    """Whether a type on the left of `>>` says that a layer was meant."""
    return t == "object" or makes_layers(t) or bool(re.match(r"(list|tuple|dict)\[.*\bLayer\[", t))


def makes_layers(t: str) -> bool:
    """Whether it is a function that makes layers."""
    return t.startswith("Callable[") and re.search(r"\], Layer\[.*\]\]$", t) is not None


def instead(t: str) -> str:
    """Something that is no layer, and what to do."""
    if makes_layers(t):
        return "a function that makes a layer; call it with its sizes"
    if t == "None":
        return "None; leave it out, or use Id for a layer that changes nothing"
    if t == "object":
        return f"an object; {KEEP}"
    if t == "overloaded function":
        return "a function; call it"
    if t.startswith("Loss["):
        return f"{t}; a loss is no layer"
    if t.startswith("tuple[") and "Layer[" in t:
        return "a tuple; chain its layers with Seq(*layers)"
    if t.startswith("list[") and "Layer[" in t:
        return "a list; use Repeat(k, layer) for equal layers, a >> b for others"
    return f"{t}; give a layer"


def _in_seq(given: list[str]) -> str:
    """The first argument of `Seq` that is no layer."""
    if len(given) == 1 and given[0].startswith("Layer["):
        return f"Seq: takes two or more layers, given {given[0]}"
    for place, t in enumerate(given):
        if not t.startswith("Layer["):
            which = f"the {ordinal(place)} layer" if len(given) > 1 else "the argument"
            listed = t.startswith(("list[", "tuple[")) and "Layer[" in t
            return f"Seq: {which} is {'a list or tuple; give the layers one by one' if listed else instead(t)}"
    return f"Seq: takes two or more layers, given {', '.join(given)}"
