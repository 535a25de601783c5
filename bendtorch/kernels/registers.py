"""A wish for the widest vector registers.

Where a processor has registers of 512 bits, LLVM uses half of them unless it is told otherwise, because of processors
that lowered their clock for full ones. For a loop of dozens of instructions a number, full ones are a third faster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from numba import types
from numba.extending import intrinsic

from bendtorch.kernels.compile import JIT

WISH: Final = '"prefer-vector-width"="512"'


@intrinsic
def _widest_registers(typing: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        set.add(builder.function.attributes, WISH)  # past llvmlite's list of the attributes without a value
        return context.get_dummy_value()

    return types.void(), generate


def _as_it_is() -> None:
    """With the JIT off there is nothing to wish for."""


widest_registers: Final[Callable[[], None]] = _widest_registers if JIT else _as_it_is
"""Called in a kernel: its loops may use the widest registers that there are."""
