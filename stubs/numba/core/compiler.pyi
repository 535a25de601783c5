from typing import Any

class CompilerBase:
    state: Any

class PassManager:
    passes: list[tuple[Any, str]]
    def finalize(self) -> None: ...

class DefaultPassBuilder:
    @staticmethod
    def define_nopython_pipeline(state: Any, name: str = ...) -> PassManager: ...
