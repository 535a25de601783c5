"""Reports: a line for each law, a paragraph for each failure, an error that CI shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bendtorch import ReLU
from bendtorch.errors import BendError, LawError
from bendtorch.laws import examine
from tests.support.mutants import affine, mutant

relu: Any = ReLU
BROKEN = examine(mutant("a product is transposed"), only=["L24", "L25", "L27", "L33"])


def test_a_line_says_of_each_law_what_was_found() -> None:
    text = str(examine(affine(2, 3, 4)))
    assert text.splitlines()[0] == "laws of Affine(2, 3, 4)"
    assert "L24  close  the backward pass is linear in dy          holds on 100 cases" in text
    assert "L31  close  the batch may be split                     does not apply: no other batch size" in text
    assert "L27  close  gradients agree with central differences   FAILED" in str(BROKEN)


def test_a_paragraph_says_which_law_which_side_and_where() -> None:
    (failure,) = BROKEN.failures
    text = str(failure)
    assert "\n" not in text
    assert text.startswith("Affine(1, 2, 2) breaks L27 (gradients agree with central differences; close): ")
    assert "What to look for: a factor or a term is missing, a product is transposed, " in text
    assert "Here at dx[0, " in text
    assert "B(x, dy) gives 0.0 and F's difference gives 0.76159" in text
    assert "p = Lin(weight=[[" in text
    assert "x2" not in text
    assert text.endswith(f'Repeat it with check(..., only="L27", seed={failure.seed}, cases=1).')


def test_the_seed_repeats_the_failure() -> None:
    (failure,) = BROKEN.failures
    again = examine(mutant("a product is transposed"), only="L27", seed=failure.seed, cases=1)
    assert str(again.failures[0]) == str(failure)


def test_what_the_layer_raises_is_the_cause() -> None:
    report = examine(lambda n, c: affine(n, c, c + 1, "a product is transposed"), only="L27")
    with pytest.raises(LawError, match="Here the layer raises ValueError: matmul") as raised:
        report.raise_if_failed()
    assert isinstance(raised.value.__cause__, ValueError)


def raising(n: int, c: int) -> Any:
    """A layer whose backward pass has a name that is not there."""
    layer: Any = relu(n, c)
    return replace(layer, bwd=lambda p, s, dy, g: dy * slpoe)  # type: ignore[name-defined]  # noqa: F821


def test_an_error_is_said_once_with_its_place() -> None:
    report = examine(raising, cases=20)
    assert len(report.failures) > 5
    (told,) = report.told
    text = str(told)
    assert "Here the layer raises NameError: name 'slpoe' is not defined. It is raised at " in text
    assert f"{__file__}:" in text
    assert "dy * slpoe" in text
    assert "What to look for" not in text
    others = [failure.law.number for failure in report.failures[1:] if failure.law.number != "L26"]
    assert f"It keeps {', '.join(others)} from being compared too." in text
    with pytest.raises(LawError) as raised:
        report.raise_if_failed()
    assert str(raised.value) == text


def test_a_failed_report_raises_and_another_does_not() -> None:
    assert BROKEN.applied[0] == "L24"
    for kind in (LawError, BendError, AssertionError):
        with pytest.raises(kind, match="breaks L27"):
            BROKEN.raise_if_failed()
    fine = examine(affine(2, 3, 4))
    assert fine.raise_if_failed() is fine


def test_large_arrays_are_not_written_out() -> None:
    report = examine(affine(7, 9, 11, "a constant is added"), only="L24")
    assert "x = <float32 of shape [7, 9]>" in str(report.failures[0])


def test_l26_goes_without_saying_where_l27_names_the_place() -> None:
    both = examine(mutant("a product is transposed"), only=["L26", "L27"])
    assert [failure.law.number for failure in both.failures] == ["L27", "L26"]
    assert [failure.law.number for failure in both.told] == ["L27"]
    alone = examine(mutant("a product is transposed"), only="L26")
    with pytest.raises(LawError, match="breaks L26"):
        alone.raise_if_failed()
