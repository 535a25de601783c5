"""Range checks of ids and labels, before a kernel reads memory by them."""

from __future__ import annotations

from bendtorch.kernels.arrays import Labels
from bendtorch.kernels.compile import kernel


@kernel
def first_outside(ids: Labels, bound: int) -> int:
    """The first place whose id is not in 0 to bound - 1; -1 when there is none."""
    for i in range(ids.size):
        if ids[i] < 0 or ids[i] >= bound:
            return i
    return -1
