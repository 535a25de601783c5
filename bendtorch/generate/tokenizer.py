"""Tokens of a text and back, by byte-pair encoding, with the library `tokenizers`.

    tokenizer = Tokenizer.of(load_gguf(path).tokens)
    ids = tokenizer.encode("once upon")
    text = tokenizer.decode(ids)

A token is a run of bytes: any text has tokens, and the tokens' bytes are the text's. Tokens that mark something (the
end of a text, whose turn it is) have no text; `token` finds them by name, and what looks like one in a text is ordinary
text.
Needs the package `tokenizers` (`pip install "bendtorch[chat]"`).
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from bendtorch.errors import CheckpointError, ConfigError, IndexRangeError
from bendtorch.models.gguf import TokenList
from bendtorch.shapes.arguments import as_path, expect, shown

BYTE_LEVEL: Final = "gpt2"
DIGITS_APART: Final = {"smollm", "starcoder", "refact", "command-r"}
PLAIN: Final = {"gpt-2"}
CONTROL: Final = 3  # the kind of tokens that mark something
WHOLE: Final = 4  # of those that are text, which is never cut
MOST: Final = 1 << 32


class Tokenizer:
    """A tokenizer of the byte-level kind."""

    def __init__(self, library: Any) -> None:
        """Of a `tokenizers.Tokenizer`. Raises `ConfigError` when it is not byte-level."""
        self._library = library
        kind = json.loads(library.to_str())
        if (kind.get("decoder") or {}).get("type") != "ByteLevel":
            raise ConfigError("Tokenizer: only byte-level tokenizers are supported (decoder ByteLevel)")
        added = kind["added_tokens"]
        self._marks = {str(token["content"]): int(token["id"]) for token in added if token["special"]}
        self._added = {int(token["id"]): b"" if token["special"] else token["content"].encode() for token in added}
        self._bytes = {character: bytes([byte]) for byte, character in _characters().items()}

    @staticmethod
    def of(tokens: TokenList | None) -> Tokenizer:
        """The tokenizer of a GGUF file.

        Raises `ConfigError` when the file lists no tokens, or has a tokenizer of another kind, by its name.
        """
        expect("Tokenizer.of", "tokens", tokens, TokenList, "the tokens of a GGUF file that lists them")
        assert tokens is not None
        if tokens.model != BYTE_LEVEL:
            raise ConfigError(f"Tokenizer: only tokenizers of the kind gpt2 are supported, got {tokens.model}")
        if tokens.pre not in DIGITS_APART | PLAIN:
            known = ", ".join(sorted(DIGITS_APART | PLAIN))
            raise ConfigError(f"Tokenizer: words are cut as {known}; {tokens.pre} is not supported")
        return Tokenizer(_build(_tokenizers(), tokens))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Tokenizer:
        """The tokenizer of a file `tokenizer.json`. Raises `CheckpointError` when it cannot be read."""
        file = as_path("Tokenizer.load", path)
        try:
            return Tokenizer(_tokenizers().Tokenizer.from_file(str(file)))
        except ConfigError:
            raise
        except Exception as error:  # the library raises Exception itself
            raise CheckpointError(f"{file} is no tokenizer that can be read: {error}") from error

    def encode(self, text: str) -> list[int]:
        """The tokens of a text. Raises `ConfigError` for what is none."""
        expect("Tokenizer.encode", "text", text, str, "a str")
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise ConfigError(
                f"Tokenizer.encode: text has half of a surrogate pair, which is no character: {shown(text)}"
            )
        self._library.encode_special_tokens = True  # what looks like a mark is text
        return list(self._library.encode(text, add_special_tokens=False).ids)

    def bytes_of(self, token: int) -> bytes:
        """The bytes of a token; none of a mark. Raises `IndexRangeError` when there is no such token."""
        if isinstance(token, bool) or not isinstance(token, (int, np.integer)):
            raise ConfigError(f"Tokenizer: a token is an int, got {shown(token)}")
        token = int(token)
        if token in self._added:
            return self._added[token]
        piece: str | None = self._library.id_to_token(token) if 0 <= token < MOST else None
        if piece is None:
            raise IndexRangeError(f"Tokenizer: there is no token {token}")
        if all(character in self._bytes for character in piece):
            return b"".join(self._bytes[character] for character in piece)
        return piece.encode()  # as the library has it: no characters of bytes, so text

    def decode(self, ids: Iterable[int]) -> str:
        """The text of tokens, without the marks; a replacement character for what is no UTF-8."""
        expect("Tokenizer.decode", "ids", ids, Iterable, "tokens, such as [1, 2]")
        return b"".join(map(self.bytes_of, ids)).decode(errors="replace")

    def token(self, mark: str) -> int:
        """The number of a mark, such as "<|im_end|>". Raises `ConfigError` when the model has no such."""
        if mark not in self._marks:
            raise ConfigError(f"Tokenizer: there is no mark {shown(mark)}; there are: {', '.join(self._marks)}")
        return self._marks[mark]


def _tokenizers() -> Any:
    try:
        return importlib.import_module("tokenizers")
    except ImportError as error:
        raise ConfigError('Tokenizer needs the package tokenizers: pip install "bendtorch[chat]"') from error


def _build(library: Any, tokens: TokenList) -> Any:
    """The library's tokenizer: digits one by one where the model wants that, words as GPT-2 cuts them, merges."""
    numbers = {piece: number for number, piece in enumerate(tokens.pieces)}
    merges = [tuple(merge.split(" ")) for merge in tokens.merges]
    tokenizer = library.Tokenizer(library.models.BPE(vocab=numbers, merges=merges))
    bytes_apart = library.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    digits = [library.pre_tokenizers.Digits(individual_digits=True)] if tokens.pre in DIGITS_APART else []
    tokenizer.pre_tokenizer = library.pre_tokenizers.Sequence([*digits, bytes_apart])
    tokenizer.decoder = library.decoders.ByteLevel()
    for piece, kind in zip(tokens.pieces, tokens.kinds, strict=True):
        if kind in (CONTROL, WHOLE):
            tokenizer.add_tokens([library.AddedToken(piece, special=kind == CONTROL, normalized=False)])
    return tokenizer


def _characters() -> dict[int, str]:
    """GPT-2's character for each byte: itself where it is printed, else the next one from 256 on."""
    printed = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {byte: chr(256 + i) for i, byte in enumerate(others)}
