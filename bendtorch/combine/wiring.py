"""Wiring: layers without parameters that only move values, forwards and, in reverse, their gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

import numpy as np

from bendtorch.combine.gradients import add_gradients
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.layer.given import guard_pair
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import A, B, C, Dim, N
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import Spec, check_sizes, mat_spec

X = TypeVar("X")
Y = TypeVar("Y")


def wire(
    name: str, sizes: Mapping[str, int], takes: Spec, gives: Spec, forward: Callable[[X], Y], back: Callable[[Y], X]
) -> Layer[Unit, X, Y, Unit]:
    """A layer that moves its input with `forward`, and its gradient with `back`; it saves nothing."""

    def fwd(p: Unit, x: X) -> Fwd[Y, Unit]:
        return Fwd(forward(x), ())

    def bwd(p: Unit, s: Unit, dy: Y, g: Unit) -> Bwd[Unit, X]:
        return Bwd(back(dy), g)

    return make_layer(no_params(), fwd, bwd, Info(name, sizes, takes, gives, ()))


def Id(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Unit]:
    """y = x of n × c, and dx = dy.

    Laws: L2, L6, L24 to L29, L31, L33 to L35, L46 to L48, L51, L52, L66, L69.
    """
    name, spec = f"Id({n}, {c})", mat_spec(n, c)
    check_sizes(name, n=n, c=c)

    def keep(x: Mat[N, C]) -> Mat[N, C]:
        return guard_mat(x, (n, c), name, "x")

    def back(dy: Mat[N, C]) -> Mat[N, C]:
        return guard_mat(dy, (n, c), name, "dy")

    return wire("Id", {"n": n, "c": c}, spec, spec, keep, back)


def Copy(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], tuple[Mat[N, C], Mat[N, C]], Unit]:
    """y = (x, x) of n × c, and dx = the sum of the two gradients.

    Laws: L11 to L16, L24 to L29, L31, L33 to L35, L46 to L48, L51, L52, L69.
    """
    name, spec = f"Copy({n}, {c})", mat_spec(n, c)
    check_sizes(name, n=n, c=c)

    def copy(x: Mat[N, C]) -> tuple[Mat[N, C], Mat[N, C]]:
        x = guard_mat(x, (n, c), name, "x")
        return x, x

    def add(dy: tuple[Mat[N, C], Mat[N, C]]) -> Mat[N, C]:
        guard_pair(dy, name, "dy")
        return add_gradients(guard_mat(dy[0], (n, c), name, "dy"), guard_mat(dy[1], (n, c), name, "dy"), name)

    return wire("Copy", {"n": n, "c": c}, spec, (spec, spec), copy, add)


def Swap(
    n: Dim[N], a: Dim[A], b: Dim[B]
) -> Layer[Unit, tuple[Mat[N, A], Mat[N, B]], tuple[Mat[N, B], Mat[N, A]], Unit]:
    """(u, v) becomes (v, u), for u of n × a and v of n × b.

    Laws: L9, L10, L13, L22, L24 to L29, L31, L33 to L35, L46 to L48, L51, L52, L66, L69.
    """
    name, one, two = f"Swap({n}, {a}, {b})", mat_spec(n, a), mat_spec(n, b)
    check_sizes(name, n=n, a=a, b=b)

    def swap(x: tuple[Mat[N, A], Mat[N, B]]) -> tuple[Mat[N, B], Mat[N, A]]:
        guard_pair(x, name, "x")
        return guard_mat(x[1], (n, b), name, "the second of x"), guard_mat(x[0], (n, a), name, "the first of x")

    def back(dy: tuple[Mat[N, B], Mat[N, A]]) -> tuple[Mat[N, A], Mat[N, B]]:
        guard_pair(dy, name, "dy")
        return guard_mat(dy[1], (n, a), name, "the second of dy"), guard_mat(dy[0], (n, b), name, "the first of dy")

    return wire("Swap", {"n": n, "a": a, "b": b}, (one, two), (two, one), swap, back)


def Drop(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Unit, Unit]:
    """y = () whatever the n × c input, and dx = 0 (read-only, of no memory).

    Laws: L14, L15, L24 to L29, L31, L33 to L35, L46 to L48, L51, L52, L69.
    """
    name = f"Drop({n}, {c})"
    check_sizes(name, n=n, c=c)

    def drop(x: Mat[N, C]) -> Unit:
        guard_mat(x, (n, c), name, "x")
        return ()

    def zeros(dy: Unit) -> Mat[N, C]:
        return cast("Mat[N, C]", np.broadcast_to(np.float32(0), (n, c)))

    return wire("Drop", {"n": n, "c": c}, mat_spec(n, c), (), drop, zeros)


def Assoc(
    n: Dim[N], a: Dim[A], b: Dim[B], c: Dim[C]
) -> Layer[Unit, tuple[tuple[Mat[N, A], Mat[N, B]], Mat[N, C]], tuple[Mat[N, A], tuple[Mat[N, B], Mat[N, C]]], Unit]:
    """((u, v), w) becomes (u, (v, w)), for matrices of n rows and a, b, c columns.

    Laws: L8, L12, L24 to L29, L31, L33 to L35, L46 to L48, L51, L52, L66, L69.
    """
    name = f"Assoc({n}, {a}, {b}, {c})"
    one, two, three = mat_spec(n, a), mat_spec(n, b), mat_spec(n, c)
    check_sizes(name, n=n, a=a, b=b, c=c)

    def right(
        x: tuple[tuple[Mat[N, A], Mat[N, B]], Mat[N, C]],
    ) -> tuple[Mat[N, A], tuple[Mat[N, B], Mat[N, C]]]:
        (u, v), w = guard_pair(guard_pair(x, name, "x", "((u, v), w)")[0], name, "the first of x"), x[1]
        u, v = guard_mat(u, (n, a), name, "u"), guard_mat(v, (n, b), name, "v")
        return u, (v, guard_mat(w, (n, c), name, "w"))

    def left(
        dy: tuple[Mat[N, A], tuple[Mat[N, B], Mat[N, C]]],
    ) -> tuple[tuple[Mat[N, A], Mat[N, B]], Mat[N, C]]:
        u, (v, w) = dy[0], guard_pair(guard_pair(dy, name, "dy", "(u, (v, w))")[1], name, "the second of dy")
        v, w = guard_mat(v, (n, b), name, "dv"), guard_mat(w, (n, c), name, "dw")
        return (guard_mat(u, (n, a), name, "du"), v), w

    sizes: dict[str, int] = {"n": n, "a": a, "b": b, "c": c}
    return wire("Assoc", sizes, ((one, two), three), (one, (two, three)), right, left)
