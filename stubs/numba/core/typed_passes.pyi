from numba.core.lowering import Lower

class NativeLowering:
    @property
    def lowering_class(self) -> type[Lower]: ...
