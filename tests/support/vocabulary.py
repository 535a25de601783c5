"""A small vocabulary of bytes, joined pairs and marks, and byte-pair encoding in the plainest way."""

from __future__ import annotations

import itertools
import re
from typing import Final

from bendtorch.models.gguf import TokenList

MARKS: Final = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
JOINED: Final = ("h e", "Ġ t", "l l", "he ll", "Ġt he", "hell o", "1 2", "Ã ¤", "w Ã¤", "Ċ Ċ", "Ġ Ġ", "' l")
WHOLE: Final = "##"
WORDS: Final = re.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
)  # GPT-2's, of letters and digits as `re` knows them


def characters() -> dict[int, str]:
    """The character that stands for each byte: printed ones for themselves, others from 256 on, as they come."""
    shown = {byte for byte in range(256) if 33 <= byte <= 126 or (161 <= byte <= 255 and byte != 173)}
    table, following = {}, 256
    for byte in range(256):
        table[byte] = chr(byte if byte in shown else following)
        following += byte not in shown
    return table


def tokens(pre: str = "smollm", template: str | None = "<|im_start|><|im_end|>") -> TokenList:
    """Marks, the bytes, what pairs make, and a run of text that is never cut."""
    made = [pair.replace(" ", "") for pair in JOINED]
    pieces = [*MARKS, *characters().values(), *made, WHOLE]
    kinds = [3] * len(MARKS) + [1] * (len(pieces) - len(MARKS) - 1) + [4]
    return TokenList("gpt2", pre, tuple(pieces), tuple(kinds), JOINED, template)


def encoded(text: str, listed: TokenList) -> list[int]:
    """The tokens of a text without `WHOLE`: words, bytes of each, then the earliest pair again and again."""
    table, found = characters(), list[int]()
    for run in re.split(r"(\d)", text) if listed.pre == "smollm" else [text]:
        for word in WORDS.findall(run):
            parts = [table[byte] for byte in word.encode()]
            while pairs := {pair for pair in map(" ".join, itertools.pairwise(parts)) if pair in JOINED}:
                parts = _joined(parts, min(pairs, key=JOINED.index))
            found += [listed.pieces.index(part) for part in parts]
    return found


def _joined(parts: list[str], pair: str) -> list[str]:
    out, i = list[str](), 0
    while i < len(parts):
        is_pair = " ".join(parts[i : i + 2]) == pair
        out.append("".join(parts[i : i + 2]) if is_pair else parts[i])
        i += 1 + is_pair
    return out
