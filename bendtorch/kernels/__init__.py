"""Kernels: numba functions on raw arrays. They know nothing of layers and check nothing: callers guard their arrays.

- `compile`, `cache`: the one wrapper that makes a kernel, and where compiled code is kept
- `pool`, `parallel`: threads of our own, and `parallel_for` over chunks that the sizes alone decide
- `blas`, `products`: matrix products on a fixed grid of tiles
- `memory`: large buffers, reused
- the rest: one file for each family of computations
"""
