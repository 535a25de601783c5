"""How numba finds the types of what is called."""
