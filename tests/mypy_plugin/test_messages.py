"""mypy's messages in the user's words."""

from __future__ import annotations

import pytest

from bendtorch.mypy_plugin.messages import is_about_a_type, is_consequence, is_detail, reword
from bendtorch.mypy_plugin.remedies import conversion
from bendtorch.mypy_plugin.wording import array_in_words, in_words, ordinal, split_arguments

F32 = "dtype[floating[_32Bit]]"
IDS = "dtype[signedinteger[_32Bit] | signedinteger[_64Bit] | signedinteger[_32Bit | _64Bit]]"
MAT = f"ndarray[tuple[Literal[64], Literal[10]], {F32}]"
FULL = "numpy.ndarray[tuple[Literal[3], N`-1], numpy.dtype[numpy.floating[numpy._typing._nbit_base._32Bit]]]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (MAT, "Mat[64, 10]"),
        (f"ndarray[tuple[N, Mul[Literal[4], D]], {F32}]", "Mat[N, 4*D]"),
        (f"ndarray[tuple[Add[N, Literal[1]], Div[D, Mul[Literal[2], H]]], {F32}]", "Mat[N + 1, D//(2*H)]"),
        (f"ndarray[tuple[Mul[Literal[2], Add[N, M]], Literal[1]], {F32}]", "Mat[2*(N + M), 1]"),
        (f"ndarray[tuple[Add[N, Mul[Literal[-1], M]], Add[N, Literal[-2]]], {F32}]", "Mat[N - M, N - 2]"),
        (f"ndarray[tuple[Literal['pack.model.12:hidden'], Literal[3]], {F32}]", "Mat[hidden, 3]"),
        (f"ndarray[tuple[Literal['0any.1f2e.0:2*int'], Literal['m.1:(a + b)//c']], {F32}]", "Mat[2*int, (a + b)//c]"),
        (f"ndarray[tuple[Literal[64]], {IDS}]", "Ids[64]"),
        ("ndarray[tuple[int], dtype[signedinteger[_64Bit]]]", "Ids[int]"),
        ("ndarray[tuple[Literal[3], Literal[4]], dtype[float64]]", "float64[3, 4]"),
        ("ndarray[tuple[Literal[3], Literal[4]], dtype[floating[_64Bit]]]", "float64[3, 4]"),
        (f"ndarray[tuple[Any, ...], {F32}]", "float32[...]"),
        (f"ndarray[tuple[int], {F32}]", "FlatF32"),
        ("ndarray[tuple[Literal[3], Literal[4]], dtype[Any]]", "array[3, 4]"),
        ("bendtorch.layers.linear.Lin[Literal[3], Literal[4]?]", "Lin[3, 4]"),
        ("Layer[tuple[()], tuple[Literal[3], str], Any, None]", "Layer[Unit, tuple[3, str], Any, None]"),
        ("Callable[[Mul[Literal[2], N]], list[int]]", "Callable[[2*N], list[int]]"),
        ("tuple[Literal['bendtorch-pack:5b5d'], Lin[N, M], N, M]", "Lin[N, M]"),
        ('Module "bendtorch.layers" has no attribute "Lim"', 'Module "bendtorch.layers" has no attribute "Lim"'),
        ("Literal['4*D']", "Literal['4*D']"),
        ("unclosed[", "unclosed["),
    ],
)
def test_types(text: str, words: str) -> None:
    assert in_words(text) == words


def test_full_names() -> None:
    assert in_words(FULL.replace("N`-1", "N")) == "Mat[3, N]"


def test_arguments_are_split_at_their_own_commas() -> None:
    assert split_arguments("A[1, 2], [B, (C, D)], E") == ["A[1, 2]", "[B, (C, D)]", "E"]
    assert split_arguments("") == []


def test_an_array_of_unknown_kind() -> None:
    assert array_in_words(None, "Any") == "array[...]"
    assert array_in_words(["3"], "floating[_32Bit]") == "float32[3]"
    assert array_in_words(["3"], "float64 | floating[_32Bit]") == "float32 | float64[3]"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            f'Argument 2 to "fwd" of "Layer" has incompatible type "{MAT}"; expected "{MAT.replace("10", "9")}"',
            'Layer.fwd: "x" is Mat[64, 10], the layer takes Mat[64, 9]',
        ),
        (
            f'Argument "x" to "fwd" of "Layer" has incompatible type "{MAT}"; expected "{MAT.replace("10", "9")}"',
            'Layer.fwd: "x" is Mat[64, 10], the layer takes Mat[64, 9]',
        ),
        (
            f'Argument 1 has incompatible type "{MAT}"; expected "str"',
            "argument 1 is Mat[64, 10], expected str",
        ),
        (
            f'Argument 1 to "f" of "Cell" has incompatible type "{MAT}"; expected "str"',
            'Cell.f: "weights" is Mat[64, 10], expected str',
        ),
        (
            f'Argument 1 to "g" has incompatible type "{MAT}"; expected "str"',
            "g: argument 1 is Mat[64, 10], expected str",
        ),
        (
            f'Argument 1 to "__call__" of "Loss" has incompatible type "ndarray[tuple[N, C], dtype[float64]]";'
            f' expected "ndarray[tuple[N, C], {F32}]"',
            'Loss: "y" is float64[N, C], the loss takes Mat[N, C]; convert it with .astype(np.float32)',
        ),
        (
            'Argument 3 to "make_layer" has incompatible type "Callable[[P, S], Bwd[P, Lin[N, M]]]";'
            ' expected "Callable[[P, S], Bwd[P, Lin[M, N]]]"',
            "make_layer: bwd gives Bwd[P, Lin[N, M]], expected Bwd[P, Lin[M, N]]",
        ),
        (
            'Argument "bwd" to "Layer" has incompatible type "Callable[[Lin[N, M], S], R]";'
            ' expected "Callable[[Lin[M, N], S], R]"',
            "Layer: bwd takes Lin[N, M] as argument 1, expected Lin[M, N]",
        ),
        (
            'Argument "bwd" to "Layer" has incompatible type "Callable[[Lin[N, M]], R]";'
            ' expected "Callable[[Lin[M, N], S], R]"',
            "Layer: bwd takes 1 arguments, expected 2",
        ),
        (
            f'Incompatible types in assignment (expression has type "{MAT}", variable has type "Lin[N, M]")',
            "the value is Mat[64, 10], declared Lin[N, M]",
        ),
        (
            'Incompatible return value type (got "Layer[P, Lin[N, M], Y, S]", expected "Layer[P, X, Z, Any]")',
            "the returned value takes Lin[N, M], declared X; gives Y, declared Z",
        ),
        (
            'Incompatible types in assignment (expression has type "Layer[tuple[Lin[N, N], Unit], X, X, S]",'
            ' variable has type "Layer[Lin[N, N], X, X, T]")',
            "the value has parameters tuple[Lin[N, N], Unit], declared Lin[N, N]; a model that grows in a loop has no"
            " one type, use Repeat(k, layer)",
        ),
        (
            'No overload variant of "Seq" matches argument types "Layer[Any, Any, Any, Any]", "int"',
            "Seq: the second layer is int; give a layer",
        ),
        (f'"{MAT}" has no attribute "nope"', '"Mat[64, 10]" has no attribute "nope"'),
        (f'Need type of "{MAT}", got Never', 'Need type of "Mat[64, 10]", got _'),
    ],
)
def test_messages(message: str, words: str) -> None:
    assert reword(message, {"Cell.f": ("weights",)}) == words


@pytest.mark.parametrize(
    "message",
    [
        'Argument 1 to "f" has incompatible type "Literal[3]"; expected "str"',
        'Incompatible types in assignment (expression has type "int", variable has type "str")',
        'Incompatible return value type (got "list[Literal[3]]", expected "Sequence[Literal[4]]")',
        'Name "Never" is not defined',
    ],
)
def test_messages_about_other_things_stay(message: str) -> None:
    assert reword(message) == message


def test_a_note_about_fields_says_nothing_that_helps() -> None:
    assert reword('"fwd" is considered instance variable, to make it class variable use ClassVar[...]') is None
    other = '"width" is considered instance variable, to make it class variable use ClassVar[...]'
    assert reword(other) == other


def test_a_second_wording_changes_nothing() -> None:
    once = reword(f'Incompatible return value type (got "{MAT}", expected "Lin[N, M]")')
    assert once == "the returned value is Mat[64, 10], declared Lin[N, M]"
    assert reword(once) == once


def test_messages_that_follow_from_another() -> None:
    for detail in ("Unsupported operand types for @ (A and B)", "Possible overload variants:", "    def f()"):
        assert is_detail(detail)
        assert is_consequence(detail)
    returned = 'Incompatible return value type (got "A", expected "B")'
    assert is_consequence(returned)
    assert not is_detail(returned)
    assert not is_consequence('Name "x" is not defined')


def test_messages_about_types() -> None:
    assert is_about_a_type('Variable "digits.PIXELS" is not valid as a type')
    assert is_about_a_type("Invalid type comment or annotation")
    assert not is_about_a_type('Name "x" is not defined')


@pytest.mark.parametrize(
    ("got", "want", "hint"),
    [
        ("float64[3, 4]", "Mat[3, 4]", "; convert it with .astype(np.float32)"),
        ("int8[3]", "Ids[3]", "; convert it with .astype(np.int64)"),
        ("float32[...]", "Mat[3, 4]", "; its shape is not static, state it with mat(n, c, array)"),
        ("array[...]", "Ids[3]", "; its shape is not static, state it with ids(n, array)"),
        ("float32[...]", "Lin[3, 4]", ""),
        ("float64[3, 5]", "Mat[3, 4]", ""),
        ("Mat[3, 4]", "Mat[3, 4]", ""),
        ("Lin[3, 4]", "Mat[3, 4]", ""),
        ("str", "Mat[3, 4]", ""),
    ],
)
def test_how_to_convert(got: str, want: str, hint: str) -> None:
    assert conversion(got, want) == hint


def test_ordinals() -> None:
    numbers = [ordinal(index) for index in (0, 9, 10, 11, 12, 20, 21, 22, 110, 120)]
    assert numbers == ["first", "tenth", "11th", "12th", "13th", "21st", "22nd", "23rd", "111th", "121st"]
