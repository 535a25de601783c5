"""Kernels ask for the widest vectors; what else is compiled in the process does not."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from bendtorch.kernels.compile import JIT, helper, reduction, uncached_kernel
from bendtorch.kernels.pipeline import WIDE

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled with the JIT off")


def total(x: Any) -> float:
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return s


def attributes(dispatcher: Any) -> str:
    """The attributes of a function in LLVM's language."""
    dispatcher(np.ones(3))
    (text,) = dispatcher.inspect_llvm().values()
    return str(text)


@pytest.mark.parametrize("wrapper", [uncached_kernel, helper, reduction])
def test_every_kind_of_function_asks_for_wide_vectors(wrapper: Any) -> None:
    # Not a cached one: numba does not show the code that it has read from a file.
    assert WIDE in attributes(wrapper(total))


def test_functions_of_others_are_left_alone() -> None:
    assert WIDE not in attributes(numba.njit(error_model="python")(total))
