"""Which of numpy's functions and methods is answered by what, and an honest answer for all others.

numpy's own types lose the shape of most results: `np.exp(x)` is an array of any shape to mypy, `x.sum(axis=0)` is
`Any`, and both would fit every `Mat`. Here a result either has its exact shape, or one that fits no `Mat`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from mypy.checker import TypeChecker
from mypy.types import Type

from bendtorch.mypy_plugin import broadcasting, indexing, joining, making, reductions, updates
from bendtorch.mypy_plugin.array_types import AnyCall, ArrayCall, array_of
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.fitting import into_out
from bendtorch.mypy_plugin.types import poly_of

Answer = Callable[[ArrayCall], Type]

METHODS_OF: Final = ("numpy.ndarray.", "numpy._ArrayOrScalarCommon.", "numpy.floating.")
UFUNCS: Final = "numpy._typing._ufunc."
GENERATOR: Final = "numpy.random."
LIKE: Final = ("zeros_like", "ones_like", "empty_like", "asarray", "ascontiguousarray", "array")
SAME_SHAPE: Final = ("sort", "argsort", "cumsum", "cumprod")
ARITHMETIC: Final = tuple(f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv") for side in ("", "r"))

UPDATES: Final = ("__iadd__", "__isub__", "__imul__", "__itruediv__")


def _of_where(call: ArrayCall) -> Type:
    """`np.where(condition, x, y)`: the shape of all three, the numbers of the last two."""
    condition, *values = call.positional
    if len(values) != 2:
        return call.default
    arrays = [array for array in map(call.array, values) if array is not None]
    dtype = call.dtype_of(arrays) if arrays else None
    return broadcasting.of_parts(call, [condition, *values], call.honest(), dtype)


def _of_clip(call: ArrayCall) -> Type:
    """`np.clip(x, low, high)`, and the method, where x goes with its bounds."""
    if call.receiver is not None:
        return into_out(call, call.make(call.receiver.sizes, call.receiver.dtype))
    parts = [e for label, e in call.given.items() if label != "out"]
    return into_out(call, broadcasting.of_parts(call, parts, call.honest()), is_broadcast=True)


METHODS: Final[dict[str, Answer]] = {
    "__getitem__": indexing.on_index,
    "__matmul__": joining.on_product,
    "__rmatmul__": joining.on_product,
    "dot": joining.on_product,
    "reshape": indexing.on_reshape,
    "transpose": indexing.on_transpose,
    "swapaxes": indexing.on_transpose,
    "ravel": indexing.on_flat,
    "flatten": indexing.on_flat,
    **dict.fromkeys(reductions.REDUCTIONS, reductions.on_reduction),
    **dict.fromkeys((*ARITHMETIC, *broadcasting.COMPARISONS, "__pow__"), broadcasting.on_operator),
    **dict.fromkeys(UPDATES, updates.on_update),
    "__setitem__": updates.on_assignment,
    "resize": updates.on_resize,
    "clip": _of_clip,
    "astype": making.on_astype,
    **dict.fromkeys(SAME_SHAPE, indexing.on_same_shape),
}
FUNCTIONS: Final[dict[str, tuple[Answer, tuple[str, ...]]]] = {
    "dot": (joining.on_product, ("a", "b", "out")),
    "copyto": (updates.on_copy, ("dst", "src")),
    "einsum": (joining.on_einsum, ()),
    "where": (_of_where, ()),
    "clip": (_of_clip, ()),
    **dict.fromkeys(SAME_SHAPE, (indexing.on_same_shape, ("a", "axis"))),
    "reshape": (indexing.on_reshape, ("a", "shape")),
    "transpose": (indexing.on_transpose, ("a", "axes")),
    "swapaxes": (indexing.on_transpose, ("a", "axis1", "axis2")),
    "ravel": (indexing.on_flat, ("a", "order")),
    **dict.fromkeys(("concatenate", "hstack", "vstack", "stack"), (joining.on_concatenate, ("arrays", "axis", "out"))),
    **{
        name: (making.on_like, ("a", "fill_value", "dtype") if name == "full_like" else ("a", "dtype")) for name in LIKE
    },
    **{
        name: (reductions.on_reduction, reductions.parameters_of(name, is_method=False))
        for name in reductions.REDUCTIONS
    },
}


class NumpyHooks:
    """The hooks for calls into numpy."""

    def __init__(self, reader: SizeReader) -> None:
        self.reader = reader

    def on_function(self, fullname: str, context: AnyCall) -> Type:
        """A function of numpy's."""
        name = fullname.rsplit(".", 1)[-1]
        answer, parameters = FUNCTIONS.get(name, (_honest, ()))
        return answer(ArrayCall(name, context, self.reader, parameters))

    def on_method(self, fullname: str, context: AnyCall) -> Type:
        """A method of an array's, of a ufunc's, or of a random generator's."""
        name = fullname.rsplit(".", 1)[-1]
        if fullname.startswith(UFUNCS) and name != "__call__":
            return _honest(ArrayCall(name, context, self.reader))  # np.add.reduce and its like
        if fullname.startswith(UFUNCS):
            is_product = fullname.startswith(f"{UFUNCS}_GUFunc")
            call = ArrayCall("matmul" if is_product else name, context, self.reader)
            return joining.on_product(call) if is_product else broadcasting.on_ufunc(call)
        if fullname.startswith(GENERATOR):
            return making.on_sized(ArrayCall(name, context, self.reader))
        is_reduction = name in reductions.REDUCTIONS
        of_astype = ("dtype",) if name == "astype" else ()
        parameters = reductions.parameters_of(name, is_method=True) if is_reduction else of_astype
        return METHODS.get(name, _honest)(ArrayCall(name, context, self.reader, parameters))


def is_method(fullname: str) -> bool:
    """Whether a method of numpy's may give an array."""
    return fullname.startswith((*METHODS_OF, UFUNCS, GENERATOR))


def _honest(call: ArrayCall) -> Type:
    """No `Any` as a shape where a sized array goes in, or where one is expected."""
    given = [array_of(t) for types in call.context.arg_types for t in types]
    is_ours = any(array is not None and array.is_static for array in (call.receiver, *given))
    return call.honest() if is_ours or _is_sized_expected(call) else call.default


def _is_sized_expected(call: ArrayCall) -> bool:
    contexts = cast("TypeChecker", call.api).expr_checker.type_context
    expected = array_of(contexts[-1]) if contexts else None
    return expected is not None and all(poly_of(size) is not None for size in expected.sizes)
