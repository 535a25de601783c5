"""Kernels' functions as plain Python functions: the sources that are compiled, and what these call is plain as well."""

from __future__ import annotations

import importlib
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Final

KERNELS: Final = "bendtorch.kernels."
MODULES: Final = (
    "attention_backward",
    "attention_columns",
    "attention_forward",
    "attention_grid",
    "attention_rooms",
    "attention_tiles",
    "panels",
    "parallel",
    "products",
    "row_runs",
    "rows",
    "strips",
    "windows",
)


def plain_kernels() -> Any:
    """Copies, with plain functions, of the modules that have indices to prove: `plain_kernels().products.halved`."""
    made: dict[str, ModuleType] = {}
    return SimpleNamespace(**{name: _plain(KERNELS + name, made) for name in MODULES})


def _plain(name: str, made: dict[str, ModuleType]) -> ModuleType:
    """A copy of a module, whose functions take each other from it and from other copies."""
    if name not in made:
        shipped, copy = importlib.import_module(name), ModuleType(name)
        made[name] = copy
        vars(copy).update(vars(shipped))
        for key, value in vars(shipped).items():
            source = getattr(value, "py_func", value)
            if _is_ours(source):
                home = _plain(source.__module__, made)
                vars(copy)[key] = FunctionType(source.__code__, vars(home), source.__name__, source.__defaults__)
    return made[name]


def _is_ours(source: object) -> bool:
    return isinstance(source, FunctionType) and source.__module__.startswith(KERNELS) and source.__closure__ is None
