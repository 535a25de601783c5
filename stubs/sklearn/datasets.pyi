"""The data set that the examples learn from."""

import numpy as np

class _Digits:
    data: np.ndarray[tuple[int, int], np.dtype[np.float64]]
    target: np.ndarray[tuple[int], np.dtype[np.int64]]

def load_digits() -> _Digits: ...
