"""No kernel reads or writes behind an array: every layer on arrays at the end of memory, products of many shapes.

Kernels load whole vectors, some of our own code without asking how long a row is; a page behind the array that may not
be touched stops the process of who goes too far.
"""

from __future__ import annotations

import sys

import pytest

from tests.support.process import run_python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="mprotect is POSIX's")

LAYERS = """if True:
    from bendtorch.laws.nest import mapped
    from bendtorch.laws.source import Source
    from laws import registry
    from tests.support.guarded import guarded
    count = 0
    for entry in (*registry.LAYERS.values(), *registry.VARIANTS.values(), *registry.LOSSES.values()):
        source = Source(entry.maker)
        for seed in range(12):
            trial = source.drawn(seed, ("ordinary",))
            p, x, dy, g = (mapped(guarded, part) for part in (trial.p, trial.x, trial.dy, trial.g))
            trial.layer.bwd(p, trial.layer.fwd(p, x).s, dy, g)
            count += 1
    print(count)
"""

PRODUCTS = """if True:
    import numpy as np
    from bendtorch.kernels import products
    from tests.support.guarded import guarded
    ones = lambda *shape: guarded(np.ones(shape, np.float32))
    sizes = [1, 3, 5, 15, 16, 17, 31, 33, 48, 97]
    for m in sizes:
        for n in sizes:
            for k in (1, 7, 16, 33, 300):
                products.matmul_nn(ones(m, k), ones(k, n), ones(m, n))
                products.matmul_nn_add(ones(m, k), ones(k, n), ones(m, n))
                products.matmul_nt(ones(m, k), ones(n, k), ones(m, n))
                products.matmul_tn(ones(k, m), ones(k, n), ones(m, n))
                products.matmul_tn_add(ones(k, m), ones(k, n), ones(m, n))
    print("untouched")
"""


def test_layers() -> None:
    assert int(run_python(LAYERS)) > 100


def test_products() -> None:
    assert run_python(PRODUCTS) == "untouched\n"
