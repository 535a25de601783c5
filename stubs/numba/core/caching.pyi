"""numba's cache of compiled functions (its own, not public, interface)."""

from typing import Any, ClassVar

class _CacheLocator:
    def ensure_cache_path(self) -> None: ...

class CompileResultCacheImpl:
    _locator_classes: ClassVar[list[Any]]

class NullCache:
    def load_overload(self, sig: Any, target_context: Any) -> Any: ...

class FunctionCache:
    _impl_class: ClassVar[Any]
    _py_func: Any
    def __init__(self, function: Any) -> None: ...
    def load_overload(self, sig: Any, target_context: Any) -> Any: ...
    def flush(self) -> None: ...
    def save_overload(self, sig: Any, data: Any) -> None: ...
