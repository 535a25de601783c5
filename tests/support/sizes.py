"""Sizes that tests draw: none, one, odd ones, and some beyond a vector register. Smaller with the JIT off."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from bendtorch.kernels.compile import JIT

ROWS: Final = (0, 1, 2, 3, 5, 8, 33) if JIT else (0, 1, 2, 3)
WIDTHS: Final = (1, 2, 3, 5, 8, 17, 64, 67) if JIT else (1, 2, 3, 5)

rows: Final = st.sampled_from(ROWS)
some_rows: Final = st.sampled_from(ROWS[1:])
widths: Final = st.sampled_from(WIDTHS)
seeds: Final = st.integers(0, 2**32 - 1)


def shrunk(size: int, small: int) -> int:
    """A size for compiled code, or a small one where pure Python would take too long."""
    return size if JIT else small
