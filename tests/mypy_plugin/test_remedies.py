"""What is said about making one type another."""

from __future__ import annotations

import pytest

from bendtorch.mypy_plugin.remedies import conversion, turning


@pytest.mark.parametrize(
    ("got", "want", "remedy"),
    [
        ("Mat[N, C]", "Mat[C, N]", "; turn it round with .T"),
        ("Mat[3, int]", "Mat[3, 4]", "; a size of it is not static, state it with mat(n, c, array)"),
        ("Ids[int]", "Ids[N]", "; a size of it is not static, state it with ids(n, array)"),
        ("float32[...]", "Mat[3, 4]", "; its shape is not static, state it with mat(n, c, array)"),
        ("float32[N]", "Mat[N, 1]", "; make it a column with [:, None]"),
        ("float32[C]", "Mat[1, C]", "; make it a row with [None]"),
        ("float32[C]", "Mat[N, C]", "; give a matrix, a row for each example"),
        ("float64[N, C]", "Mat[N, C]", "; convert it with .astype(np.float32)"),
        ("float32[N]", "Ids[N]", "; convert it with .astype(np.int64)"),
        (
            "Layer[P, X, Y, S]",
            "Callable[[int], Layer[P, X, Y, S]]",
            "; give a function that makes it for a number of rows, as in lambda n: model(n)",
        ),
        ("tuple[Mat[3, 4], Ids[3]]", "Batches[_, _]", "; make them with batches(x, target, size)"),
        ("Mat[N, C]", "Mat[N, D]", ""),
        ("Mat[N, N]", "Mat[N, N]", ""),
        ("Mat[3, int]", "Mat[4, 4]", ""),
        ("float64[C, N]", "Mat[N, C]", ""),
        ("float64[N]", "Mat[N, 1]", ""),
        ("float32[D]", "Mat[N, C]", ""),
        ("str", "Mat[N, C]", ""),
        ("Lin[3, 4]", "Lin[4, 3]", ""),
    ],
)
def test_only_what_is_true_is_said(got: str, want: str, remedy: str) -> None:
    assert conversion(got, want) == remedy


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("Mat[I, O]", "Mat[O, I]", True),
        ("bool[3, 4]", "Mat[4, 3]", True),
        ("Mat[I, O]", "Mat[I, I]", False),
        ("Mat[I, I]", "Mat[I, I]", False),
        ("float32[I]", "Mat[I, O]", False),
        ("int", "Mat[I, O]", False),
    ],
)
def test_a_turned_array_is_noticed(one: str, other: str, said: bool) -> None:
    assert bool(turning(one, other)) == said
