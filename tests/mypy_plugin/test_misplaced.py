"""What stands where a layer should, by the text of mypy's messages."""

from __future__ import annotations

import pytest

from bendtorch.mypy_plugin.messages import reword
from bendtorch.mypy_plugin.misplaced import instead, is_about_object, reword_misplaced

LAYER = "Layer[Unit, Mat[3, 4], Mat[3, 4], Unit]"
MAKER = f"Callable[[N, C], {LAYER}]"


@pytest.mark.parametrize(
    ("message", "begins"),
    [
        (f'Unsupported operand types for >> ("{LAYER}" and "{MAKER}")', ">>: the right side is a function"),
        (f'Unsupported operand types for >> ("{LAYER}" and "None")', ">>: the right side is None; leave it out"),
        (f'Unsupported operand types for >> ("{LAYER}" and overloaded function)', ">>: the right side is a function"),
        (f'Unsupported left operand type for >> ("{MAKER}")', ">>: the left side is a function"),
        ('Unsupported left operand type for >> ("object")', ">>: the left side is an object; a list or dict"),
        ('"object" has no attribute "fwd"', "the layer is an object; a list or dict"),
        (f'No overload variant of "Seq" matches argument types "{LAYER}", "None"', "Seq: the second layer is None"),
        (f'No overload variant of "Seq" matches argument type "list[{LAYER}]"', "Seq: the argument is a list"),
        (f'No overload variant of "Seq" matches argument type "{LAYER}"', "Seq: takes two or more layers"),
    ],
)
def test_a_message_is_one_line_with_the_remedy(message: str, begins: str) -> None:
    assert (reword_misplaced(message) or "").startswith(begins)


@pytest.mark.parametrize(
    "message",
    [
        'Unsupported operand types for >> ("int" and "str")',
        'Unsupported left operand type for >> ("str")',
        'Unsupported left operand type for + ("object")',
        '"object" has no attribute "append"',
        'No overload variant of "max" matches argument types "int", "str"',
    ],
)
def test_other_messages_are_left_alone(message: str) -> None:
    assert reword_misplaced(message) is None


def test_an_object_is_a_layer_only_where_there_are_layers() -> None:
    message = '"object" has no attribute "fwd"'
    assert is_about_object(message)
    assert reword(message) == message
    assert reword(message, has_layers=True) == reword_misplaced(message)


def test_other_values_are_named() -> None:
    assert instead("int") == "int; give a layer"
    assert instead("Loss[Mat[3, 4], Ids[3]]") == "Loss[Mat[3, 4], Ids[3]]; a loss is no layer"
