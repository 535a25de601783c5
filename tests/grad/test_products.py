"""Products of matrices: all transposes, shared matrices, sizes of nothing; a transposed factor is not copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import grad
from bendtorch.errors import DtypeError, ShapeError
from bendtorch.grad.products import OUTER, product
from tests.support.grad import Case, Operation, check_operations, normal, of_sizes

sizes = st.integers(0, 4)
flags = st.booleans()


def _matmul(lead: list[int], m: int, k: int, n: int, seed: int) -> Case:
    return Case(grad.matmul, np.matmul, (normal(seed, (*lead, m, k)), normal(seed + 1, (k, n))))


def _stored(b: int, m: int, k: int, ta: bool) -> tuple[int, ...]:
    return (b, k, m) if ta else (b, m, k)


def _batch(b: int, m: int, k: int, n: int, ta: bool, tb: bool, shared: bool, seed: int) -> Case:
    right = _stored(b, k, n, tb)[1 if shared else 0 :]

    def exact(x: Any, y: Any) -> Any:
        return np.matmul(np.swapaxes(x, -1, -2) if ta else x, np.swapaxes(y, -1, -2) if tb else y)

    inputs = (normal(seed, _stored(b, m, k, ta)), normal(seed + 1, right))
    return Case(lambda x, y: grad.batch_matmul(x, y, ta, tb), exact, inputs)


def _turned(m: int, k: int, n: int, ta: bool, tb: bool, seed: int) -> Case:
    inputs = (normal(seed, (k, m) if ta else (m, k)), normal(seed + 1, (n, k) if tb else (k, n)))
    return Case(
        lambda x, y: (grad.transpose(x) if ta else x) @ (grad.transpose(y) if tb else y),
        lambda x, y: (x.T if ta else x) @ (y.T if tb else y),
        inputs,
    )


test_operation = check_operations(
    Operation("matmul", of_sizes(_matmul, st.lists(sizes, max_size=2), sizes, sizes, sizes)),
    Operation("batch_matmul", of_sizes(_batch, sizes, sizes, sizes, sizes, flags, flags, flags)),
    Operation("transposed factors", of_sizes(_turned, sizes, sizes, sizes, flags, flags)),
    Operation(
        "outer",
        of_sizes(
            lambda lead, m, n, seed: Case(
                lambda x, y: x.graph.record2(OUTER, x, y),
                lambda x, y: np.matmul(x.reshape(-1, m).T, y.reshape(-1, n)),
                (normal(seed, (*lead, m)), normal(seed + 1, (*lead, n))),
            ),
            st.lists(sizes, min_size=1, max_size=3),
            st.integers(1, 4),
            st.integers(1, 4),
        ),
    ),
    Operation(
        "x with its transpose",
        of_sizes(
            lambda m, n, seed: Case(lambda x: x @ grad.transpose(x), lambda x: x @ x.T, (normal(seed, (m, n)),)),
            sizes,
            sizes,
        ),
    ),
)


def test_larger_products_are_close_to_float64() -> None:
    g = grad.graph()
    x, w = normal(0, (3, 40, 300)), normal(1, (300, 70))
    wanted = np.matmul(x.astype(np.float64), w)
    bound = 40 * 2.0**-24 * np.matmul(np.abs(x), np.abs(w))
    assert np.all(np.abs(g.value(g.input(x) @ w) - wanted) <= bound)
    batch = normal(2, (3, 300, 70))
    wanted = np.matmul(x.astype(np.float64), batch)
    bound = 40 * 2.0**-24 * np.matmul(np.abs(x), np.abs(batch))
    assert np.all(np.abs(g.value(g.input(x) @ batch) - wanted) <= bound)


def test_a_product_has_the_bits_of_its_parts() -> None:
    """A batch of products is one product after another, and a transposed factor changes nothing in its sum."""
    g = grad.graph()
    x, y = normal(0, (5, 33, 65)), normal(1, (5, 65, 34))
    whole = g.value(grad.batch_matmul(g.input(x), g.input(y)))
    for i in range(5):
        assert np.array_equal(whole[i], g.value(grad.batch_matmul(g.input(x[i : i + 1]), g.input(y[i : i + 1])))[0])


def test_one_matrix_for_the_rows_of_all_leading_axes() -> None:
    """Its gradient is one product over all of them, whichever way it is stored, and can be differentiated again."""
    x, w, d = normal(0, (2, 3, 5, 4)), normal(1, (4, 6)), normal(2, (2, 3, 5, 6))
    for stored in (False, True):
        g = grad.graph()
        matrix = g.input(np.ascontiguousarray(w.T) if stored else w)
        grads = g.backward_from(g.input(x) @ (grad.transpose(matrix) if stored else matrix), d)
        wanted = x.reshape(-1, 4).T @ d.reshape(-1, 6)
        assert np.allclose(grads.of(matrix), wanted.T if stored else wanted, atol=1e-5)


def test_a_transposed_factor_is_not_copied() -> None:
    g = grad.graph()
    x, w = g.input(normal(0, (4, 5))), g.input(normal(1, (3, 5)))
    turned = grad.transpose(w)
    y = x @ turned
    assert y.inputs == (x, w)
    assert turned.lazy.value is None
    g.value(turned)
    assert (x @ turned).inputs == (x, turned)


def test_operators_take_arrays_on_either_side() -> None:
    g = grad.graph()
    a, b = normal(0, (2, 3)), normal(1, (3, 4))
    assert np.allclose(g.value(g.input(a) @ b), a @ b)
    assert np.allclose(g.value(a @ g.input(b)), a @ b)
    assert np.allclose(g.value(grad.matmul(a, g.input(b))), a @ b)


@pytest.mark.parametrize(
    ("x", "y"), [((2, 3), (4, 2)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 2, 3), (3, 3, 2)), ((2, 3), (2, 3, 2))]
)
def test_shapes_that_do_not_fit_are_refused(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    g = grad.graph()
    with pytest.raises(ShapeError, match=r"^(matmul|batch_matmul): .*\[.*\] and \[.*\]"):
        _ = g.input(normal(0, x)) @ g.input(normal(1, y))


def test_batch_matmul_names_the_transposes() -> None:
    g = grad.graph()
    x, y = g.input(normal(0, (2, 3, 4))), g.input(normal(1, (2, 3, 4)))
    with pytest.raises(
        ShapeError, match=r"^batch_matmul: the shapes \[2, 3, 4\] transposed and \[2, 3, 4\] transposed do not fit"
    ):
        grad.batch_matmul(x, y, ta=True, tb=True)
    with pytest.raises(DtypeError, match=r"^batch_matmul: expected a Var, got ndarray"):
        grad.batch_matmul(x, normal(0, (2, 4, 3)))
    with pytest.raises(DtypeError, match=r"^matmul: expected a Var, got ndarray"):
        grad.matmul(normal(0, (2, 3)), normal(0, (3, 3)))


def test_product_takes_one_matrix_on_the_left_for_a_batch() -> None:
    g = grad.graph()
    x, y = normal(0, (3, 2)), normal(1, (4, 3, 5))
    assert np.allclose(g.value(product(g.input(x), g.input(y), True, False)), x.T @ y, atol=1e-6)
