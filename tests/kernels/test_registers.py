"""The wish for the widest vector registers."""

from __future__ import annotations

from typing import Any

import pytest

from bendtorch.kernels.compile import JIT, uncached_kernel
from bendtorch.kernels.registers import WISH, widest_registers


@uncached_kernel
def wishing(x: float) -> float:
    widest_registers()
    return x + 1


@uncached_kernel
def content(x: float) -> float:
    return x + 1


def test_it_changes_no_value() -> None:
    assert wishing(2.0) == content(2.0) == 3.0


@pytest.mark.skipif(not JIT, reason="there is no code to look at with the JIT off")
def test_the_code_carries_the_wish() -> None:
    for function, expected in ((wishing, True), (content, False)):
        made: Any = function
        made(2.0)
        assert any(WISH in text for text in made.inspect_llvm().values()) == expected
