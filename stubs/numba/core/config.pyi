"""Settings that come from the environment."""

DISABLE_JIT: int
