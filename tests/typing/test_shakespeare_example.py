"""Broken copies of the language model's example: each is rejected where it is wrong, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.typing.broken import Broken, reports
from tests.typing.harness import Reports

EXAMPLE = Path(__file__).parents[2] / "examples" / "shakespeare.py"

COPIES = [
    Broken(
        "windows_of_another_length",
        "windows(text[:-HELD_OUT], WINDOW, ",
        "windows(text[:-HELD_OUT], WINDOW - 1, ",
        'fit: the model takes Ids[128*int], "data" is Batches[Ids[127*int], Ids[127*int]]  [bend-shape]',
        at="fit(train",
    ),
    Broken(
        "one_letter_too_many",
        "CrossEntropy(b * WINDOW, LETTERS)",
        "CrossEntropy(b * WINDOW, LETTERS + 1)",
        "the returned value is Loss[Mat[128*B, 78], Ids[128*B]], declared Loss[Mat[128*B, 77], Ids[128*B]]"
        "  [return-value]",
    ),
    Broken(
        "a_loss_of_one_window",
        "CrossEntropy(b * WINDOW, LETTERS)",
        "CrossEntropy(WINDOW, LETTERS)",
        "the returned value is Loss[Mat[128, 77], Ids[128]], declared Loss[Mat[128*B, 77], Ids[128*B]]  [return-value]",
    ),
    Broken(
        "letters_and_window_swapped",
        "Llama(b, WINDOW, LETTERS, d, ",
        "Llama(b, LETTERS, WINDOW, d, ",
        "the returned value takes Ids[77*B], declared Ids[128*B]; gives Mat[77*B, 128], declared Mat[128*B, 77]"
        "  [return-value]",
    ),
    Broken(
        "a_text_that_is_longer_than_the_window",
        "ids(WINDOW, encoded(",
        "ids(WINDOW + 1, encoded(",
        'Layer.fwd: "x" is Ids[129], the layer takes Ids[128]  [arg-type]',
    ),
]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The reports on the example and all its copies, of one run."""
    return reports(tmp_path_factory.mktemp("shakespeare"), EXAMPLE, COPIES)


def test_the_example_is_accepted(checked: Reports) -> None:
    assert EXAMPLE.name not in checked


@pytest.mark.parametrize("copy", COPIES, ids=lambda copy: copy.name)
def test_a_broken_copy_is_rejected(copy: Broken, checked: Reports) -> None:
    assert checked[copy.file] == copy.expected(EXAMPLE)
