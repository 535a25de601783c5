"""mypy's own messages, put into one line of the user's words.

    Argument 2 to "fwd" of "Layer" has incompatible type "ndarray[tuple[Literal[64], Literal[63]], dtype[floating[...

becomes `Layer.fwd: "x" is Mat[64, 63], the layer takes Mat[64, 64]`. A message that names no type of this package and
no array stays as it is. Works on text alone, and imports nothing of mypy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from bendtorch.mypy_plugin.misplaced import instead, is_about_object, reword_misplaced
from bendtorch.mypy_plugin.remedies import conversion
from bendtorch.mypy_plugin.wording import in_words, split_arguments

FIELDS: Final = {
    "make_layer": ("params", "fwd", "bwd", "info"),
    "Layer.fwd": ("p", "x"),
    "Layer.bwd": ("p", "s", "dy", "g"),
    "Layer.step": ("opt", "p", "g", "st"),
    "Layer.dump": ("p",),
    "Layer.load": ("p", "flat", "offset"),
    "Layer.store": ("p", "flat", "offset"),
    "Loss": ("y", "target"),
    "Loss.grad": ("y", "target"),
    "Loss.value": ("y", "target"),
    "Train.new": ("model", "optimizer", "p"),
    "Train.step": ("model", "loss", "x", "target"),
}
"""The arguments of the package's own callables, some of which mypy knows by number only."""

EXPECTED: Final = {
    "Layer.fwd": {"x": "the layer takes"},
    "Layer.bwd": {"s": "the layer saves", "dy": "the layer gives"},
    "Loss": {"y": "the loss takes", "target": "the loss takes"},
}
"""What the other side of a mismatch is called, where "expected" says less."""

OF_ONE_LAYER: Final = {"Residual": "f", "Repeat": "f"}
"""Combinators of one layer, and what they call it."""

SLOTS: Final = ("has parameters", "takes", "gives", "saves")

STATE_IT: Final = "; state its shape with mat(n, c, array) or ids(n, array)"

Parameters = Mapping[str, Sequence[str | None]]
NO_PARAMETERS: Final[Parameters] = {}

_FIELD_NOTE: Final = re.compile(
    r'"(fwd|bwd|zeros|step|dump|load|store|count|view|grad|value)" is considered instance var'
)
_DETAIL: Final = re.compile(
    r"Unsupported operand types for |Possible overload variants:|    def |Invalid index type|"
    r'Argument \d+ to "einsum"|einsum: argument \d+ is '
)
_ANY_RETURNED: Final = re.compile(r'Returning Any from function declared to return "((?:Mat|Ids)\[.*\])"')
_RETURNS_ANY: Final = re.compile(r"Returning Any from function")
_NO_TYPE: Final = re.compile(r'Invalid type|Variable ".*" is not valid as a type|See https://.*#variables-vs-type-alia')
_SEQ_OF_LIST: Final = re.compile(r'No overload variant of "Seq" matches argument types? .*"list\[object\]"')
_OURS: Final = re.compile(
    r"_(8|16|32|64)Bit|bendtorch\.|\b(Mul|Add|Div|Lin|Layer|Loss|Bwd|Fwd|Params|Train)\[|"
    r"\b(?!Sequence|Iterable|Mapping|Union|Optional|Callable)[A-Z]\w*\[([^\[\]]*, )?Literal\[-?\d+\]"
)
_ARGUMENT: Final = re.compile(
    r'Argument (\d+|"\w+") (?:to "(\w+)"(?: of "(\w+)")? )?has incompatible type "(.*)"; expected "(.*)"'
)
_ASSIGNMENT: Final = re.compile(
    r'Incompatible types in assignment \(expression has type "(.*)", variable has type "(.*)"\)'
)
_RETURN: Final = re.compile(r'Incompatible return value type \(got "(.*)", expected "(.*)"\)')


def reword(message: str, parameters: Parameters = NO_PARAMETERS, *, has_layers: bool = False) -> str | None:
    """The message in the user's words; None when it says nothing that helps.

    `parameters` has the parameters' names of the functions that were called last; `has_layers` says that layers are
    made in the file, so that an `object` where a layer should be was one.
    """
    if _FIELD_NOTE.match(message):
        return None
    if _SEQ_OF_LIST.search(message):
        return None  # its unknown length has been reported
    if has_layers and is_about_object(message):
        return reword_misplaced(message)
    if not _OURS.search(message):
        return message
    message = re.sub(r"\bNever\b", "_", in_words(message))
    if found := _ARGUMENT.fullmatch(message):
        return _argument(*found.groups(), parameters=parameters)
    if found := _ASSIGNMENT.fullmatch(message):
        return difference("the value", found[1], found[2], "declared")
    if found := _RETURN.fullmatch(message):
        return difference("the returned value", found[1], found[2], "declared")
    if found := _ANY_RETURNED.fullmatch(message):
        return difference("the returned value", "Any", found[1], "declared") + STATE_IT
    return reword_misplaced(message) or message


def is_detail(message: str) -> bool:
    """Whether a message only details a mistake that another message at its place has explained."""
    return bool(_DETAIL.match(message))


def is_consequence(message: str) -> bool:
    """Whether a message may be the consequence of an explained mistake earlier in the same statement."""
    return any(pattern.match(message) for pattern in (_DETAIL, _RETURN, _RETURNS_ANY, _ASSIGNMENT))


def is_about_a_type(message: str) -> bool:
    """Whether mypy says of something, a number or a constant perhaps, that it is no type."""
    return bool(_NO_TYPE.match(message))


def _argument(
    which: str, function: str | None, owner: str | None, got: str, want: str, *, parameters: Parameters
) -> str:
    callee = function or ""
    if owner is not None and function is not None:
        callee = owner if function == "__call__" else f"{owner}.{function}"
    names = FIELDS.get(callee) or parameters.get(callee, ())
    name = which.strip('"') if not which.isdigit() else ""
    if which.isdigit() and int(which) <= len(names):
        name = names[int(which) - 1] or ""
    what = f'"{name}"' if name else f"argument {which}"
    if callee in ("make_layer", "Layer"):
        what = name or what
    elif name == "model":
        what = "the model"
    elif name and OF_ONE_LAYER.get(callee) == name:
        what = "the layer"
    expected = EXPECTED.get(callee, EXPECTED.get(callee.split(".")[0], {}) if owner == "Loss" else {}).get(name)
    return (f"{callee}: " if callee else "") + difference(what, got, want, expected or "expected")


def difference(what: str, got: str, want: str, expected: str = "expected") -> str:
    """Where two types differ, in one line."""
    if want.startswith("Layer[") and not got.startswith(("Layer[", "Any")):
        return f"{what} is {instead(got)}"
    return (
        _between_callables(what, got, want, expected)
        or _between_layers(what, got, want, expected)
        or f"{what} is {got}, {expected} {want}{conversion(got, want)}"
    )


def _between_callables(what: str, got: str, want: str, expected: str) -> str | None:
    pair = _both("Callable", got, want)
    if pair is None or not len(pair[0]) == len(pair[1]) == 2:
        return None
    (got_takes, got_gives), (want_takes, want_gives) = pair
    if got_gives != want_gives:
        return f"{what} gives {got_gives}, {expected} {want_gives}"
    if "..." in (got_takes, want_takes):
        return None
    ours, theirs = split_arguments(got_takes[1:-1]), split_arguments(want_takes[1:-1])
    if len(ours) != len(theirs):
        return f"{what} takes {len(ours)} arguments, {expected} {len(theirs)}"
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), 1):
        if one != other:
            return f"{what} takes {one} as argument {number}, {expected} {other}"
    return None


def _between_layers(what: str, got: str, want: str, expected: str) -> str | None:
    pair = _both("Layer", got, want)
    if pair is None or not len(pair[0]) == len(pair[1]) == len(SLOTS):
        return None
    parts = [
        f"{verb} {one}, {expected} {other}"
        for verb, one, other in zip(SLOTS, *pair, strict=True)
        if one != other and "Any" not in (one, other)
    ]
    if _grows(*pair):
        return f"{what} {parts[0]}; a model that grows in a loop has no one type, use Repeat(k, layer)"
    return f"{what} {'; '.join(parts)}" if parts else None


def _grows(got: Sequence[str], want: Sequence[str]) -> bool:
    """Whether one layer's parameters are the other's and more, as `net = net >> layer` has it."""
    longer = (f"tuple[{want[0]}, ", f", {want[0]}]")
    return got[1:3] == want[1:3] and (got[0].startswith(longer[0]) or got[0].endswith(longer[1]))


def _both(head: str, got: str, want: str) -> tuple[list[str], list[str]] | None:
    """The arguments of two types of one head."""
    if not all(t.startswith(f"{head}[") and t.endswith("]") for t in (got, want)):
        return None
    return split_arguments(got[len(head) + 1 : -1]), split_arguments(want[len(head) + 1 : -1])
