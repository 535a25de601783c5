"""Broken copies of the digits example: each is rejected where it is wrong, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.typing.broken import Broken, reports
from tests.typing.harness import Reports

EXAMPLE = Path(__file__).parents[2] / "examples" / "digits.py"
STATIC = 'bind it to a name first, as in "n = len(pixels)"'
PARAMETERS = "tuple[tuple[Lin[64, 64], Unit], Lin[64, {}]]"


COPIES = [
    Broken(
        "a_wrong_width",
        "Linear(n, HIDDEN, DIGITS)",
        "Linear(n, HIDDEN + 1, DIGITS)",
        ">>: ReLU gives Mat[N, 64], Linear takes Mat[N, 65]  [bend-shape]",
    ),
    Broken(
        "swapped_widths",
        "Linear(n, HIDDEN, DIGITS)",
        "Linear(n, DIGITS, HIDDEN)",
        ">>: ReLU gives Mat[N, 64], Linear takes Mat[N, 10]  [bend-shape]",
    ),
    Broken(
        "swapped_rows_and_pixels",
        "LinearFirst(n, PIXELS, HIDDEN)",
        "LinearFirst(PIXELS, n, HIDDEN)",
        ">>: LinearFirst gives Mat[64, 64], ReLU takes Mat[N, 64]  [bend-shape]",
    ),
    Broken(
        "too_many_classes",
        "Linear(n, HIDDEN, DIGITS)",
        "Linear(n, HIDDEN, DIGITS + 1)",
        f"the returned value has parameters {PARAMETERS.format(11)}, declared {PARAMETERS.format(10)};"
        " gives Mat[N, 11], declared Mat[N, 10]  [return-value]",
    ),
    Broken(
        "a_loss_of_the_wrong_width",
        "CrossEntropy(n, DIGITS)",
        "CrossEntropy(n, HIDDEN)",
        "the returned value is Loss[Mat[N, 64], Ids[N]], declared Loss[Mat[N, 10], Ids[N]]  [return-value]",
    ),
    Broken(
        "a_loss_for_one_batch_size",
        "CrossEntropy(n, DIGITS)",
        "CrossEntropy(BATCH, DIGITS)",
        "the returned value is Loss[Mat[32, 10], Ids[32]], declared Loss[Mat[N, 10], Ids[N]]  [return-value]",
    ),
    Broken(
        "labels_of_the_wrong_type",
        "ids(TRAINING, data.target[:TRAINING])",
        "mat(TRAINING, 1, pixels[:TRAINING, :1])",
        'fit: "loss" gives Loss[Mat[int, 10], Ids[int]], "data" is Batches[Mat[int, 64], Mat[int, 1]]  [bend-shape]',
        at="fit(train",
    ),
    Broken(
        "data_of_the_wrong_width",
        "mat(TRAINING, PIXELS, pixels[:TRAINING])",
        "mat(TRAINING, PIXELS + 1, pixels[:TRAINING])",
        'fit: the model takes Mat[int, 64], "data" is Batches[Mat[int, 65], Ids[int]]  [bend-shape]',
        at="batches(x, labels",
    ),
    Broken(
        "float64_data",
        "mat(TRAINING, PIXELS, pixels[:TRAINING])",
        "np.zeros((TRAINING, PIXELS))",
        'batches: "x" is float64[1437, 64], expected Mat[1437, 64]; convert it with .astype(np.float32)  [arg-type]',
        at="batches(x, labels",
    ),
    Broken(
        "a_transposed_batch",
        "mlp(TEST).fwd(train.p, test_x)",
        "mlp(TEST).fwd(train.p, test_x.T)",
        'Layer.fwd: "x" is Mat[64, 360], the layer takes Mat[360, 64]; turn it round with .T  [arg-type]',
    ),
    Broken(
        "labels_of_other_data",
        ".y, test_labels)",
        ".y, labels)",
        'accuracy: "logits" is Mat[360, 10], "labels" is Ids[1437]  [bend-shape]',
    ),
    Broken(
        "parameters_of_another_model",
        "mlp(BATCH).init(initial)",
        "Linear(BATCH, PIXELS, DIGITS).init(initial)",
        f'Train.new: the model has parameters {PARAMETERS.format(10)}, "p" is Lin[64, 10]  [bend-shape]',
    ),
    Broken(
        "a_size_that_is_not_static",
        "mat(TRAINING, PIXELS, pixels[:TRAINING])",
        "mat(len(pixels), PIXELS, pixels[:TRAINING])",
        f'mat: dimension "n" is not static; {STATIC}  [bend-dim]',
    ),
]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The reports on the example and all its copies, of one run."""
    return reports(tmp_path_factory.mktemp("digits"), EXAMPLE, COPIES)


def test_the_example_is_accepted(checked: Reports) -> None:
    assert EXAMPLE.name not in checked


@pytest.mark.parametrize("copy", COPIES, ids=lambda copy: copy.name)
def test_a_broken_copy_is_rejected(copy: Broken, checked: Reports) -> None:
    assert checked[copy.file] == copy.expected(EXAMPLE)
