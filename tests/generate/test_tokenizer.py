"""Tokens of texts: beside byte-pair encoding in the plainest way, and back to the same bytes."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import CheckpointError, ConfigError, IndexRangeError
from bendtorch.generate import Tokenizer
from tests.support.vocabulary import MARKS, WHOLE, characters, encoded, tokens

library = pytest.importorskip("tokenizers")

LISTED = tokens()
TOKENIZER = Tokenizer.of(LISTED)
ANY: Any = Tokenizer
PARTS = st.sampled_from(
    ["hello", " the", "hell", "1", "12", "wä", "ä", "\n\n", "  ", "'ll", "'", "🐋", "_", "#", *MARKS]
)
TEXTS = st.text(max_size=12) | st.lists(PARTS, max_size=12).map("".join)


@pytest.mark.parametrize("pre", ["smollm", "gpt-2"])
@given(text=st.lists(PARTS, max_size=12).map("".join))
def test_it_joins_as_byte_pair_encoding_does(pre: str, text: str) -> None:
    listed = tokens(pre)
    text = text.replace(WHOLE, "#")
    assert Tokenizer.of(listed).encode(text) == encoded(text, listed)


@given(text=TEXTS)
def test_tokens_are_the_text(text: str) -> None:
    ids = TOKENIZER.encode(text)
    assert b"".join(map(TOKENIZER.bytes_of, ids)) == text.encode()
    assert TOKENIZER.decode(ids) == text


def test_digits_stand_apart_where_the_model_wants_it() -> None:
    joined = LISTED.pieces.index("12")
    assert joined not in TOKENIZER.encode("a12")
    assert joined in Tokenizer.of(tokens("gpt-2")).encode("a12")


def test_what_is_never_cut() -> None:
    number = LISTED.pieces.index(WHOLE)
    assert TOKENIZER.encode(f"a{WHOLE}b")[1] == number
    assert TOKENIZER.bytes_of(number) == WHOLE.encode()
    with pytest.raises(ConfigError, match="there is no mark"):
        TOKENIZER.token(WHOLE)


def test_marks_are_named_and_never_typed() -> None:
    for number, mark in enumerate(MARKS):
        assert TOKENIZER.token(mark) == number
        assert TOKENIZER.bytes_of(number) == b""
        assert number not in TOKENIZER.encode(f"a{mark}b")
    assert TOKENIZER.decode([0, *TOKENIZER.encode("hello"), 2]) == "hello"
    with pytest.raises(ConfigError, match=r"there is no mark '<\|end\|>'; there are: <\|endoftext\|>, <\|im_start"):
        TOKENIZER.token("<|end|>")


def test_half_a_character_is_replaced() -> None:
    assert TOKENIZER.decode(TOKENIZER.encode("🐋")[:2] + TOKENIZER.encode("a")) == "\ufffda"


@pytest.mark.parametrize("token", [-1, len(LISTED.pieces), 2**31, 2**40])
def test_there_is_no_such_token(token: int) -> None:
    with pytest.raises(IndexRangeError, match=f"there is no token {token}"):
        TOKENIZER.bytes_of(token)


def test_a_piece_of_no_bytes_is_text() -> None:
    listed = dataclasses.replace(LISTED, pieces=(*LISTED.pieces, "→"), kinds=(*LISTED.kinds, 5))
    assert Tokenizer.of(listed).bytes_of(len(LISTED.pieces)) == "→".encode()


def test_the_bytes_have_gpt2s_characters() -> None:
    first = LISTED.pieces.index(characters()[0])
    assert [TOKENIZER.bytes_of(first + byte) for byte in range(256)] == [bytes([byte]) for byte in range(256)]


def test_files_of_the_library(tmp_path: Path) -> None:
    """A `tokenizer.json` as Hugging Face's models have it."""
    made = library.Tokenizer(
        library.models.BPE(vocab={piece: i for i, piece in enumerate(LISTED.pieces)}, merges=[("h", "e")])
    )
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = library.decoders.ByteLevel()
    made.add_special_tokens(list(MARKS))
    made.save(str(tmp_path / "tokenizer.json"))
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.encode("he ä") == [LISTED.pieces.index(piece) for piece in ("he", "Ġ", "Ã", "¤")]
    assert loaded.token(MARKS[1]) == 1


def test_files_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="is no tokenizer that can be read"):
        Tokenizer.load(tmp_path / "missing.json")
    (tmp_path / "half.json").write_text('{"version": "1.0", "model"')
    with pytest.raises(CheckpointError, match="is no tokenizer that can be read"):
        Tokenizer.load(tmp_path / "half.json")
    library.Tokenizer(library.models.BPE()).save(str(tmp_path / "plain.json"))
    with pytest.raises(ConfigError, match="only byte-level tokenizers are supported"):
        Tokenizer.load(tmp_path / "plain.json")
    with pytest.raises(ConfigError, match=r"Tokenizer.load: path must be the name of a file"):
        ANY.load(3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "llama"}, "only tokenizers of the kind gpt2 are supported, got llama"),
        ({"pre": "llama-bpe"}, "words are cut as .*; llama-bpe is not supported"),
        ({"pre": "default"}, "default is not supported"),
    ],
)
def test_other_kinds_are_refused_by_name(changes: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Tokenizer.of(dataclasses.replace(LISTED, **changes))  # type: ignore[arg-type]


def test_what_is_no_text_or_list() -> None:
    with pytest.raises(ConfigError, match="the tokens of a GGUF file that lists them, got None"):
        Tokenizer.of(None)
    with pytest.raises(ConfigError, match=r"Tokenizer.encode: text must be a str, got 3"):
        TOKENIZER.encode(3)  # type: ignore[arg-type]
    for text in ("\ud800", "a\udfff"):
        with pytest.raises(ConfigError, match=r"^Tokenizer.encode: text has half of a surrogate pair"):
            TOKENIZER.encode(text)
    wrong: Any = TOKENIZER
    for token in (1.5, "a", None, True):
        with pytest.raises(ConfigError, match=r"^Tokenizer: a token is an int, got "):
            wrong.decode([token])
        with pytest.raises(ConfigError, match=r"^Tokenizer: a token is an int, got "):
            wrong.bytes_of(token)
    with pytest.raises(ConfigError, match=r"^Tokenizer.decode: ids must be tokens, such as \[1, 2\], got 3"):
        wrong.decode(3)
    ids = TOKENIZER.encode("hello")
    assert wrong.decode(np.array(ids)) == "hello"


def test_the_library_is_asked_for_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ConfigError, match=r'needs the package tokenizers: pip install "bendtorch\[chat\]"'):
        Tokenizer.of(LISTED)
