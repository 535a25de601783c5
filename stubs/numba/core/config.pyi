"""Settings that come from the environment."""

DISABLE_JIT: int
NUMBA_NUM_THREADS: int
