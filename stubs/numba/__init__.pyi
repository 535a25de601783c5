"""The parts of numba that bendtorch uses."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import types as types
from numba.core import config as config

__version__: str

F = TypeVar("F", bound=Callable[..., Any])

class Dispatcher:
    """A compiled function."""

    _cache: Any
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def compile(self, signature: tuple[Any, ...]) -> Any: ...

def carray(address: Any, shape: tuple[int, ...], dtype: Any = ...) -> Any: ...
def cfunc(signature: Any, *, error_model: str = ...) -> Callable[[Callable[..., Any]], Any]: ...
def prange(stop: int) -> range: ...
def set_num_threads(count: int) -> None: ...
def njit(
    *,
    nogil: bool = ...,
    error_model: str = ...,
    fastmath: bool | set[str] = ...,
    forceinline: bool = ...,
    no_cfunc_wrapper: bool = ...,
    boundscheck: bool | None = ...,
    parallel: bool = ...,
    pipeline_class: type[object] = ...,
) -> Callable[[Callable[..., Any]], Dispatcher]: ...
