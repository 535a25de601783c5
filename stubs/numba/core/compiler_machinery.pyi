from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

def register_pass(mutates_CFG: bool, analysis_only: bool) -> Callable[[T], T]: ...
