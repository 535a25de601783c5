"""What pools share: how their work is cut, and which cells the windows of some rows cover.

A cell is read from memory once, 4 bytes. `with_padding` copies the rows of a padded image in the cache, 8 bytes
a cell.

A window is reduced along its rows first, then along its columns. The first step goes through each row of the image
once, for all windows that cover it; the second works on whole rows of windows; both are vector loops. Where a row has
few windows, as in a pool over a whole image, they are gone through one after another.

A channel is worked on as a whole, and the channels of all images are one long image here.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat
from bendtorch.kernels.compile import helper
from bendtorch.kernels.copying import copy, fill
from bendtorch.kernels.windows import Window

CHUNK: Final = 1 << 16  # cells a chunk
FEW: Final = 4  # fewer windows in a row are gone through one by one
BLOCK: Final = 1 << 12  # cells reduced along their rows at a time: they stay in the nearest cache


@helper
def channels_of_chunk(w: Window) -> int:
    """How many channels are a chunk's."""
    return max(1, CHUNK // max(w.height * w.width, w.rows * w.columns))


@helper
def rows_of_block(w: Window) -> int:
    """How many rows of windows are worked on at a time."""
    return max(1, min(w.rows, (BLOCK // windows_across(w) - w.kh) // w.stride))


@helper
def lines_of_block(w: Window) -> int:
    """How many rows of the image these cover at most."""
    return min(w.height, (rows_of_block(w) - 1) * w.stride + w.kh)


@helper
def lines_inside(above: int, below: int, w: Window) -> tuple[int, int]:
    """The rows of the image that are covered by the rows `above` to `below` of windows."""
    return max(0, above * w.stride - w.padding), min(w.height, (below - 1) * w.stride + w.kh - w.padding)


@helper
def cells_inside(start: int, side: int, size: int) -> tuple[int, int]:
    """The cells on an axis of the image of a window that starts there (below 0 on padding)."""
    return max(0, start), min(start + side, size)


@helper
def windows_across(w: Window) -> int:
    """How many windows have room in a row of the image with its padding, and as many cells that windows run over."""
    return w.columns + (w.kw - 1) // w.stride


@helper
def room_of_block(w: Window) -> int:
    """How many numbers `with_padding` needs; none where the rows of the image are as one already."""
    return 0 if _is_seamless(w) else lines_of_block(w) * windows_across(w) * w.stride


@helper
def _is_seamless(w: Window) -> bool:
    return w.padding == 0 and windows_across(w) * w.stride == w.width


@helper
def with_padding(image: Flat, top: int, bottom: int, w: Window, blank: np.float32, room: Flat) -> Flat:
    """Some rows of the image with blanks beside them, as one long row in which every window is whole.

    Window number i begins at cell i·stride; of each row's `windows_across` the first `columns` are the image's.
    """
    if _is_seamless(w):
        return image[top * w.width : bottom * w.width]
    pitch = windows_across(w) * w.stride
    used = min(w.width, pitch - w.padding)
    for line in range(bottom - top):
        begin, start = line * pitch + w.padding, (top + line) * w.width
        fill(room[begin - w.padding : begin], blank)
        copy(image[start : start + used], room[begin : begin + used])
        fill(room[begin + used : (line + 1) * pitch], blank)
    return room
