"""Reshaping: layers without parameters that regroup the numbers of matrices."""

from __future__ import annotations

from collections.abc import Callable

from bendtorch.combine.wiring import wire
from bendtorch.errors import ShapeError
from bendtorch.kernels.memory import empty_mat
from bendtorch.layer import Layer, Unit
from bendtorch.layer.given import guard_pair
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import PROVE, A, B, C, Dim, Eq, I, M, N, O
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec


def Split(n: Dim[N], a: Dim[A], b: Dim[B]) -> Layer[Unit, Mat[N, "A+B"], tuple[Mat[N, A], Mat[N, B]], Unit]:
    """The first `a` columns and the last `b` of n × (a + b); the gradients are put side by side again.

    Raises `ShapeError` when a size is not possible; its passes raise `ShapeError` or `DtypeError` for other arrays.

    Laws: L24 to L29, L31, L33 to L35, L46 to L48, L51, L52, L66, L69.
    """
    name = f"Split({n}, {a}, {b})"
    check_sizes(name, n=n, a=a, b=b)
    whole, parts = mat_spec(n, a + b), (mat_spec(n, a), mat_spec(n, b))
    there, back = _splitter(name, "x", n, a, b), _joiner(name, "dy", n, a, b)
    return wire("Split", {"n": n, "a": a, "b": b}, whole, parts, there, back)


def Concat(n: Dim[N], a: Dim[A], b: Dim[B]) -> Layer[Unit, tuple[Mat[N, A], Mat[N, B]], Mat[N, "A+B"], Unit]:
    """A pair of n × a and n × b side by side, n × (a + b); the gradient is cut where they met.

    Raises as `Split` does.

    Laws: L24 to L29, L31, L33 to L35, L46 to L48, L51, L52, L66, L69.
    """
    name = f"Concat({n}, {a}, {b})"
    check_sizes(name, n=n, a=a, b=b)
    whole, parts = mat_spec(n, a + b), (mat_spec(n, a), mat_spec(n, b))
    there, back = _joiner(name, "x", n, a, b), _splitter(name, "dy", n, a, b)
    return wire("Concat", {"n": n, "a": a, "b": b}, parts, whole, there, back)


def Reshape(
    n: Dim[N], i: Dim[I], m: Dim[M], o: Dim[O], proof: Eq["N*I", "M*O"] = PROVE
) -> Layer[Unit, Mat[N, I], Mat[M, O], Unit]:
    """The same numbers, in rows of another length: n × i becomes m × o, where n·i = m·o.

    The plugin decides the equation; at run time a false one raises `ShapeError`, as a size that is not possible does.

    Laws: L24 to L29, L31, L33 to L35, L46 to L48, L51, L66, L69.
    """
    name = f"Reshape({n}, {i}, {m}, {o})"
    check_sizes(name, n=n, i=i, m=m, o=o)
    if n * i != m * o:
        raise ShapeError(f"Reshape: n*i = {n}*{i} = {n * i} but m*o = {m}*{o} = {m * o}")

    def there(x: Mat[N, I]) -> Mat[M, O]:
        return guard_mat(x, (n, i), name, "x").reshape(m, o)

    def back(dy: Mat[M, O]) -> Mat[N, I]:
        return guard_mat(dy, (m, o), name, "dy").reshape(n, i)

    return wire("Reshape", {"n": n, "i": i, "m": m, "o": o}, mat_spec(n, i), mat_spec(m, o), there, back)


def Permute(a: Dim[A], b: Dim[B], c: Dim[C]) -> Layer[Unit, Mat["A*B", C], Mat["A*B", C], Unit]:
    """Rows that count through a, then b, put in the order that counts through b, then a.

    Row `p·b + q` of the input is row `q·a + p` of the output (p < a, q < b): sequences of a batch become steps of time.
    Raises as `Reshape` does.

    Laws: L24 to L29, L33 to L35, L46 to L48, L51, L66, L69.
    """
    name, spec = f"Permute({a}, {b}, {c})", mat_spec(a * b, c)
    check_sizes(name, rows=("a", "b"), a=a, b=b, c=c)

    def there(x: Mat["A*B", C]) -> Mat["A*B", C]:
        return _transposed(guard_mat(x, (a * b, c), name, "x"), a, b)

    def back(dy: Mat["A*B", C]) -> Mat["A*B", C]:
        return _transposed(guard_mat(dy, (a * b, c), name, "dy"), b, a)

    return wire("Permute", {"a": a, "b": b, "c": c}, spec, spec, there, back)


def _transposed(x: Mat[N, C], outer: int, inner: int) -> Mat[N, C]:
    """The rows of x, counted through `inner` first instead of last."""
    rows, columns = x.shape
    y = empty_mat(rows, columns)
    y.reshape(inner, outer, columns)[...] = x.reshape(outer, inner, columns).swapaxes(0, 1)
    return y


def _splitter(
    name: str, what: str, n: Dim[N], a: Dim[A], b: Dim[B]
) -> Callable[[Mat[N, "A+B"]], tuple[Mat[N, A], Mat[N, B]]]:
    """A matrix cut after its first `a` columns, into matrices of their own."""

    def split(x: Mat[N, "A+B"]) -> tuple[Mat[N, A], Mat[N, B]]:
        x = guard_mat(x, (n, a + b), name, what)
        left, right = empty_mat(n, a), empty_mat(n, b)
        left[...], right[...] = x[:, :a], x[:, a:]
        return left, right

    return split


def _joiner(
    name: str, what: str, n: Dim[N], a: Dim[A], b: Dim[B]
) -> Callable[[tuple[Mat[N, A], Mat[N, B]]], Mat[N, "A+B"]]:
    """Two matrices side by side."""

    def join(x: tuple[Mat[N, A], Mat[N, B]]) -> Mat[N, "A+B"]:
        guard_pair(x, name, what)
        whole = empty_mat(n, a + b)
        whole[:, :a] = guard_mat(x[0], (n, a), name, f"the first of {what}")
        whole[:, a:] = guard_mat(x[1], (n, b), name, f"the second of {what}")
        return whole

    return join
