"""Windows of a text: t tokens each, and as targets the t tokens that follow them by one.

    text     h o w _ n o w _ b r o w n _ c o w
    x        h o w _ n o w _          t = 8
    target   o w _ n o w _ b

An epoch goes once through the text, cut into windows one behind the other. With a key it is cut at another place each
time, and the windows come in another order; both are functions of the key and the epoch's number alone. Fewer than 2·t
tokens at the ends are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.keys import Key
from bendtorch.shapes.arrays import Ids
from bendtorch.shapes.dims import Dim, M, T
from bendtorch.shapes.guard import INDEX
from bendtorch.train.batches import Batches, Numbers, expect_array, expect_size_and_key

CUT: Final = 0  # the stream of an epoch's key that says where the text is cut; the key itself gives the order


@dataclass(frozen=True)
class Windows(Batches[Any, Any]):
    """A text in windows of `t` tokens; made by `windows`."""

    text: Ids[int]
    t: int

    unit: ClassVar[str] = "tokens"

    @property
    def units(self) -> int:
        """The tokens of a window."""
        return self.t

    def first(self, epoch: int) -> int:
        """Where the first window of an epoch begins."""
        if self.key is None:
            return 0
        left = self.text.size - 1 - self.count * self.t
        return int(self.key.fold(epoch).fold(CUT).bits(1)[0] % np.uint64(left + 1))

    def take(self, epoch: int, rows: Numbers) -> tuple[Ids[int], Ids[int]]:
        """The tokens of some windows, one window behind the other, and those that follow."""
        places = (self.first(epoch) + rows * self.t)[:, None] + np.arange(self.t)
        flat = places.reshape(-1)
        return self.text[flat], self.text[flat + 1]

    def __str__(self) -> str:
        """What a run must be given again, in words."""
        return f"{self.count} windows of {self.t} of {self.text.size} tokens in batches of {self.size}, key {self.key}"


def windows(text: Ids[M], t: Dim[T], size: int, key: Key | None = None) -> Batches[Ids["int*T"], Ids["int*T"]]:
    """A text, as ids of its tokens, in windows of `t`, in batches of `size` of them; cut and shuffled anew with a key.

    A batch has any number of windows up to `size`, so the model and the loss are functions of how many sequences there
    are, `Layer[P, Ids["B*T"], ...]` of a `b: Dim[B]`. Raises `DtypeError` for other types than int32 and int64,
    `ShapeError` for a text too short for a window and the token that follows (with a key, for two windows), and
    `ConfigError` for a size or a window below 1.
    """
    expect_size_and_key("windows", size, key)
    if isinstance(t, bool) or not isinstance(t, int) or t < 1:
        raise ConfigError(f"windows: t must be an int of at least 1, got {t!r}")
    expect_array("windows", "text", text, INDEX)
    if text.ndim != 1:
        raise ShapeError(f"windows: text must be Ids[n], got an array of shape {list(text.shape)}")
    least = t + 1 if key is None else 2 * t
    if text.size < least:
        raise ShapeError(
            f"windows: text has {text.size} tokens; windows of {t}{' at any place' if key is not None else ''} need at "
            f"least {least}"
        )
    count = (text.size - 1) // t if key is None else (text.size - t) // t
    return Windows(count, size, key, text, t)
