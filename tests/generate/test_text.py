"""Text from tokens as they come: never half a character, and all of it in the end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bendtorch.generate import TextStream, text_of

CUTS = st.lists(st.integers(0, 5), max_size=30)
BYTES = st.binary(max_size=40)
TEXTS = st.text(st.sampled_from("aä€🐋\n"), max_size=20)


def pieces_of(data: bytes, cuts: list[int]) -> list[bytes]:
    """The bytes cut into tokens, some of them empty."""
    pieces = []
    for count in cuts:
        pieces.append(data[:count])
        data = data[count:]
    return [*pieces, data]


@given(data=BYTES, cuts=CUTS)
def test_the_pieces_are_the_whole(data: bytes, cuts: list[int]) -> None:
    tokens = pieces_of(data, cuts)
    assert "".join(text_of(range(len(tokens)), tokens.__getitem__)) == data.decode(errors="replace")


@given(text=TEXTS, cuts=CUTS)
def test_each_character_comes_as_soon_as_it_is_whole(text: str, cuts: list[int]) -> None:
    tokens, seen, shown = pieces_of(text.encode(), cuts), b"", ""
    stream = TextStream(tokens.__getitem__)
    for token, piece in enumerate(tokens):
        seen += piece
        shown += stream.feed(token)
        assert shown == seen.decode(errors="ignore")
    assert stream.finish() == ""


def test_nothing_is_given_for_nothing() -> None:
    whale = "🐋".encode()
    assert list(text_of([0, 1, 2, 3], [whale[:1], whale[1:3], whale[3:], b""].__getitem__)) == ["🐋"]
    assert list(text_of([0], [whale[:2]].__getitem__)) == ["\ufffd"]
    assert list(text_of([], [whale].__getitem__)) == []


def test_it_does_not_wait_for_the_next_token() -> None:
    read = []

    def tokens() -> object:
        for token in (0, 1):
            read.append(token)
            yield token

    stream = text_of(tokens(), [b"a", b"b"].__getitem__)  # type: ignore[arg-type]
    assert next(stream) == "a"
    assert read == [0]
