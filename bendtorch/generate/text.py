"""Text from tokens as they come, never half a character.

A token of byte-pair encoding is a run of bytes, and a character of UTF-8 has up to four bytes, so a token may end in
the middle of one. What is printed waits for the rest of it.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator


class TextStream:
    """Turns tokens into text, one after another. `bytes_of` gives the bytes of a token.

    What is no UTF-8 becomes the replacement character, as `bytes.decode` with `errors="replace"` has it: the pieces put
    together are the text of all bytes put together.
    """

    def __init__(self, bytes_of: Callable[[int], bytes]) -> None:
        self._bytes_of = bytes_of
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def feed(self, token: int) -> str:
        """The characters that are whole with this token; an empty string where none is."""
        return self._decoder.decode(self._bytes_of(token))

    def finish(self) -> str:
        """What is left: a replacement character where the text ends in the middle of one."""
        return self._decoder.decode(b"", final=True)


def text_of(tokens: Iterable[int], bytes_of: Callable[[int], bytes]) -> Iterator[str]:
    """The text of tokens, piece by piece, as soon as each is whole."""
    stream = TextStream(bytes_of)
    for token in tokens:
        if piece := stream.feed(token):
            yield piece
    if piece := stream.finish():
        yield piece
