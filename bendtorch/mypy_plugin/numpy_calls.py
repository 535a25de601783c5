"""Which of numpy's functions and methods is answered by what, and an honest answer for all others.

numpy's own types lose the shape of most results: `np.exp(x)` is an array of any shape to mypy, `x.sum(axis=0)` is
`Any`, and both would fit every `Mat`. Here a result either has its exact shape, or one that fits no `Mat`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy.types import Type

from bendtorch.mypy_plugin import broadcasting, indexing, joining, making, reductions, updates
from bendtorch.mypy_plugin.array_types import AnyCall, ArrayCall
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.fitting import into_out
from bendtorch.mypy_plugin.sealing import together

Answer = Callable[[ArrayCall], Type]

METHODS_OF: Final = ("numpy.ndarray.", "numpy._ArrayOrScalarCommon.", "numpy.floating.", "numpy.integer.")
UFUNCS: Final = "numpy._typing._ufunc."
GENERATOR: Final = "numpy.random."
BITWISE: Final = tuple(f"__{side}{name}__" for name in ("and", "or", "xor") for side in ("", "r"))
LIKE: Final = ("zeros_like", "ones_like", "empty_like", "full_like", "asarray", "ascontiguousarray", "array")
SAME_SHAPE: Final = ("sort", "argsort", "cumsum", "cumprod", "copy", "round")
SAME_SHAPE_FUNCTIONS: Final = ("nan_to_num", "flip", "fliplr", "flipud", "roll", "triu", "tril", "around")
SAME_SHAPE_METHODS: Final = (
    *("__neg__", "__pos__", "__abs__", "__invert__", "__copy__", "__deepcopy__", "conj", "conjugate", "byteswap"),
)
ONE_AXIS: Final = ("fromfile", "frombuffer", "bincount", "flatnonzero")
ARITHMETIC: Final = tuple(
    f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod") for side in ("", "r")
)

UPDATES: Final = tuple(
    f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
)


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
    **dict.fromkeys((*ARITHMETIC, *BITWISE, *broadcasting.COMPARISONS, "__pow__"), broadcasting.on_operator),
    **dict.fromkeys(UPDATES, updates.on_update),
    "__setitem__": updates.on_assignment,
    "resize": updates.on_resize,
    "clip": _of_clip,
    "astype": making.on_astype,
    **dict.fromkeys((*SAME_SHAPE, *SAME_SHAPE_METHODS), indexing.on_same_shape),
    "__iter__": indexing.on_iteration,
    "repeat": making.on_repeat,
    "view": making.on_view,
}
FUNCTIONS: Final[dict[str, tuple[Answer, tuple[str, ...]]]] = {
    "dot": (joining.on_product, ("a", "b", "out")),
    "copyto": (updates.on_copy, ("dst", "src")),
    "einsum": (joining.on_einsum, ()),
    "where": (_of_where, ()),
    "clip": (_of_clip, ()),
    **dict.fromkeys(SAME_SHAPE, (indexing.on_same_shape, ("a", "axis"))),
    **dict.fromkeys(SAME_SHAPE_FUNCTIONS, (indexing.on_same_shape, ("a",))),
    **dict.fromkeys(ONE_AXIS, (making.on_one_axis, ())),
    "moveaxis": (indexing.on_transpose, ("a", "source", "destination")),
    "norm": (reductions.on_reduction, reductions.NORM),
    "eye": (making.on_eye, ()),
    "identity": (making.on_eye, ()),
    "broadcast_to": (making.on_broadcast, ("a", "shape")),
    "expand_dims": (making.on_expand, ("a", "axis")),
    "repeat": (making.on_repeat, ("a", "repeats", "axis")),
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
        context = context._replace(default_return_type=together(context.default_return_type))
        if fullname.startswith(GENERATOR):
            call = ArrayCall(name, context, self.reader)
            return call.answered(making.on_random(call))
        answer, parameters = FUNCTIONS.get(name, (None, ()))
        call = ArrayCall(name, context, self.reader, parameters)
        return call.unanswered() if answer is None else call.answered(answer(call))

    def on_method(self, fullname: str, context: AnyCall) -> Type:
        """A method of an array's, of a ufunc's, or of a random generator's."""
        name = fullname.rsplit(".", 1)[-1]
        call = ArrayCall(name, context, self.reader, _parameters_of_method(name))
        answer = _answer_of_method(fullname, name)
        return call.unanswered() if answer is None else call.answered(answer(call))


def _parameters_of_method(name: str) -> tuple[str, ...]:
    if name in reductions.REDUCTIONS:
        return reductions.parameters_of(name, is_method=True)
    return {"astype": ("dtype",), "view": ("dtype",), "repeat": ("repeats", "axis")}.get(name, ())


def _answer_of_method(fullname: str, name: str) -> Answer | None:
    if fullname.startswith(UFUNCS):
        if name != "__call__":
            return None  # np.add.reduce and its like
        return _of_product if fullname.startswith(f"{UFUNCS}_GUFunc") else broadcasting.on_ufunc
    if fullname.startswith(GENERATOR):
        return making.on_random
    return METHODS.get(name) if fullname.startswith(METHODS_OF) else None


def _of_product(call: ArrayCall) -> Type:
    """`np.matmul`."""
    call.name = "matmul"
    return joining.on_product(call)
