"""All seventy laws: each number once for each thing that it is a law of, and what is picked for what."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bendtorch.errors import ConfigError
from bendtorch.laws import COMPOSITION, ELSEWHERE, LAWS
from bendtorch.laws.catalogue import chosen, laws_of, place_of, shown_numbers
from bendtorch.laws.law import CLIP, CLOSE, EXACT, LAYER, LOSS, OPTIMIZER
from tests.support.broken import FAULTS
from tests.support.mutants import EXPECTED


def numbers(subject: str, name: str, only: object = None, skip: object = (), claims: object = ()) -> list[str]:
    return [law.number for law in chosen(subject, name, only, skip, claims)]  # type: ignore[arg-type]


def test_all_seventy_are_here_or_it_is_said_where_they_are() -> None:
    here, elsewhere = {law.number for law in LAWS}, {law.number for law in ELSEWHERE}
    assert here | elsewhere == {f"L{place}" for place in range(1, 71)}
    assert not here & elsewhere
    assert all(law.why and law.where for law in ELSEWHERE)


def test_each_law_says_what_it_says() -> None:
    for law in LAWS:
        assert law.strength in (EXACT, CLOSE)
        assert law.name
        assert law.statement
        assert law.subjects
        assert not law.of or law.subjects
        assert law.hint
    assert all(place_of(one.number) <= place_of(two.number) for one, two in pairwise(LAWS))
    of_one_thing = [(law.number, subject) for law in LAWS for subject in law.subjects]
    assert len(set(of_one_thing)) == len(of_one_thing)


def test_every_law_has_a_fault_that_it_must_find() -> None:
    found = {number.split()[0] for number in FAULTS} | set(EXPECTED.values())
    assert found == {law.number for law in LAWS}


def test_a_layer_has_the_laws_of_all_and_of_its_name() -> None:
    own, other = numbers(LAYER, "Softmax"), numbers(LAYER, "MyLayer")
    assert set(own) - set(other) == {"L52", "L53"}
    assert "L27" in other
    assert not {law.number for law in COMPOSITION} & set(other)
    assert {"L36", "L54"} <= set(numbers(LOSS, "CrossEntropy"))
    assert "L54" not in numbers(LOSS, "MyLoss")
    assert numbers(CLIP, "ClipNorm") == ["L43"]
    assert "L50" in numbers(OPTIMIZER, "PackedAdamW")


def test_laws_are_picked_by_number() -> None:
    assert numbers(LAYER, "A", only="L33") == ["L33"]
    assert numbers(LAYER, "A", only=["L48", "L24"]) == ["L24", "L48"]
    assert numbers(LAYER, "A", only=["L24", "L25"], skip=["L25"]) == ["L24"]
    assert numbers(LAYER, "A", only="L1") == ["L1"]
    assert "L24" not in numbers(LAYER, "A", skip="L24")
    assert "L52" in numbers(LAYER, "A", claims="L52")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("L99", "there is no law 'L99' to check on a layer; there are L1, L2, "),
        ("24", "there is no law '24'"),
        ("L54", "L54 is a law of loss, not of a layer"),
        (ELSEWHERE[-1].number, f"cannot be checked here, because {ELSEWHERE[-1].why}; see "),
    ],
)
def test_numbers_that_are_not_there_are_refused(number: str, text: str) -> None:
    for given in ({"only": number}, {"skip": number}, {"claims": number}):
        with pytest.raises(ConfigError, match=text):
            numbers(LAYER, "A", **given)


@pytest.mark.parametrize("given", [27, [27], ["L27", None], b"L27", True])
def test_what_is_no_number_of_a_law_is_refused(given: object) -> None:
    for option in ("only", "skip", "claims"):
        with pytest.raises(ConfigError, match=rf'^laws: {option}: expected a law\'s number like "L27", .* got '):
            numbers(LAYER, "A", **{option: given})


@pytest.mark.parametrize("options", [{"only": []}, {"only": "L27", "skip": "L27"}, {"skip": laws_of("A")}])
def test_at_least_one_law_must_be_left(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"^laws: no law is left to check on A \(layer; "):
        numbers(LAYER, "A", **options)


def test_numbers_are_written_in_runs() -> None:
    assert shown_numbers(["L33", "L31", "L24", "L32", "L9"]) == "L9, L24, L31 to L33"
    assert shown_numbers(["L1", "L2"]) == "L1, L2"
    assert shown_numbers([]) == ""
