"""Every combinator, with numbers and with parameters as sizes."""

from __future__ import annotations

from typing import Any, TypeVar

from typing_extensions import assert_type

from bendtorch import (
    Add2,
    Assoc,
    Both,
    Concat,
    Copy,
    Dim,
    Drop,
    Fork,
    Id,
    Layer,
    Lin,
    Linear,
    LinearNB,
    Mat,
    Mul2,
    Permute,
    ReLU,
    Repeat,
    Reshape,
    Residual,
    Seq,
    Split,
    Swap,
    Tie,
    Unit,
)
from bendtorch.shapes.dims import A, B, D, F, I, N, O

P = TypeVar("P")
S = TypeVar("S")

# ---- numbers
assert_type(Id(3, 4), Layer[Unit, Mat[3, 4], Mat[3, 4], Unit])
assert_type(Copy(3, 4), Layer[Unit, Mat[3, 4], tuple[Mat[3, 4], Mat[3, 4]], Unit])
assert_type(Split(3, 4, 5), Layer[Unit, Mat[3, 9], tuple[Mat[3, 4], Mat[3, 5]], Unit])
assert_type(Concat(3, 4, 5), Layer[Unit, tuple[Mat[3, 4], Mat[3, 5]], Mat[3, 9], Unit])
assert_type(Reshape(6, 4, 8, 3), Layer[Unit, Mat[6, 4], Mat[8, 3], Unit])
assert_type(Permute(3, 4, 5), Layer[Unit, Mat[12, 5], Mat[12, 5], Unit])
assert_type(Drop(3, 4), Layer[Unit, Mat[3, 4], Unit, Unit])
assert_type(Add2(3, 4), Layer[Unit, tuple[Mat[3, 4], Mat[3, 4]], Mat[3, 4], Unit])
assert_type(
    Fork(Linear(3, 4, 5), LinearNB(3, 4, 6)),
    Layer[tuple[Lin[4, 5], Mat[6, 4]], Mat[3, 4], tuple[Mat[3, 5], Mat[3, 6]], tuple[Mat[3, 4], Mat[3, 4]]],
)
assert_type(
    Residual(Linear(3, 4, 4)),
    Layer[tuple[tuple[Unit, Lin[4, 4]], Unit], Mat[3, 4], Mat[3, 4], tuple[tuple[Unit, Mat[3, 4]], Unit]],
)
assert_type(
    Tie(LinearNB(3, 4, 5), ReLU(3, 5) >> Linear(3, 5, 4), LinearNB(3, 4, 5)).zeros(),
    tuple[Mat[5, 4], tuple[Unit, Lin[5, 4]]],
)
assert_type(
    Repeat(12, Linear(3, 4, 4)), Layer[tuple[Lin[4, 4], ...], Mat[3, 4], Mat[3, 4], tuple[Mat[3, 4], ...]]
)
assert_type(Repeat(2, Repeat(3, ReLU(3, 4))).zeros(), tuple[tuple[Unit, ...], ...])
Reshape(6, 4, 8, 3) >> Linear(8, 3, 2)
Fork(Linear(3, 4, 5), Linear(3, 4, 6)) >> Concat(3, 5, 6) >> ReLU(3, 11)


# ---- parameters
def wired(n: Dim[N], d: Dim[D], f: Dim[F], a: Dim[A], b: Dim[B]) -> None:
    assert_type(Both(Linear(n, d, f), ReLU(n, a)).zeros(), tuple[Lin[D, F], Unit])
    assert_type(
        Repeat(n, Residual(Linear(n, d, d))).zeros(), tuple[tuple[tuple[Unit, Lin[D, D]], Unit], ...]
    )
    Copy(n, d) >> Both(Linear(n, d, f), Linear(n, d, f)) >> Add2(n, f)
    Fork(Linear(n, d, a), Linear(n, d, b)) >> Swap(n, a, b) >> Both(ReLU(n, b), ReLU(n, a)) >> Concat(n, b, a)
    Linear(n, d, 3 * f) >> Split(n, f, 2 * f) >> Both(ReLU(n, f), Drop(n, f * 2))
    Fork(Fork(Id(n, d), Linear(n, d, b)), Linear(n, d, f)) >> Assoc(n, d, b, f) >> Both(ReLU(n, d), Concat(n, b, f))
    Reshape(n, 4 * d, 2 * n, 2 * d) >> ReLU(2 * n, d + d)
    Permute(n, d, f) >> ReLU(n * d, f) >> Permute(d, n, f)
    Seq(Split(n, a, b), Concat(n, a, b), ReLU(n, b + a))
    Repeat(f=ReLU(c=d, n=n), k=3) >> Id(n, d)


def gated(n: Dim[N], d: Dim[D], f: Dim[F]) -> Layer[Any, Mat[N, D], Mat[N, D], Any]:
    gate = Linear(n, d, f) >> ReLU(n, f)
    return Fork(gate, LinearNB(n, d, f)) >> Mul2(n, f) >> LinearNB(n, f, d)


def mixer(n: Dim[N], d: Dim[D]) -> Layer[Any, Mat[N, D], Mat[N, D], Any]:
    return Fork(LinearNB(n, d, d), Fork(LinearNB(n, d, d), LinearNB(n, d, d))) >> Both(Id(n, d), Add2(n, d)) >> Mul2(n, d)


def llama_like(k: int, n: Dim[N], d: Dim[D], f: Dim[F]) -> Layer[Any, Mat[N, D], Mat[N, D], Any]:
    return Repeat(k, Residual(mixer(n, d)) >> Residual(gated(n, d, f)))


def perceptron(
    n: Dim[N], i: Dim[I], d: Dim[D], o: Dim[O], depth: int
) -> Layer[
    tuple[tuple[tuple[Lin[I, D], tuple[tuple[tuple[Unit, tuple[Lin[D, D], Unit]], Unit], ...]], Unit], Lin[D, O]],
    Mat[N, I],
    Mat[N, O],
    Any,
]:
    block = Residual(Linear(n, d, d) >> ReLU(n, d))
    return Linear(n, i, d) >> Repeat(depth, block) >> ReLU(n, d) >> Linear(n, d, o)


def tied(n: Dim[N], v: Dim[I], d: Dim[D]) -> Layer[Any, Mat[N, I], Mat[N, D], Any]:
    return Tie(LinearNB(n, v, d), perceptron(n, d, d, v, 3), LinearNB(n, v, d))


assert_type(llama_like(12, 32, 64, 256), Layer[Any, Mat[32, 64], Mat[32, 64], Any])
assert_type(tied(32, 100, 8).zeros(), Any)


# ---- of the user's own
def twice(f: Layer[P, Mat[N, D], Mat[N, D], S]) -> Layer[tuple[P, P], Mat[N, D], Mat[N, D], tuple[S, S]]:
    return f >> f


assert_type(twice(Linear(3, 4, 4)).zeros(), tuple[Lin[4, 4], Lin[4, 4]])
