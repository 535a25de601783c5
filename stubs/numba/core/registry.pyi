from typing import Any

from numba import Dispatcher

class CPUDispatcher(Dispatcher): ...

cpu_target: Any
