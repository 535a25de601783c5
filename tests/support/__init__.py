"""What the tests share: generated arrays, float64 references, the checks of every layer."""
