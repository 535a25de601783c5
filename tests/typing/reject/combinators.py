"""Every combinator, given layers or sizes that do not fit."""

from __future__ import annotations

from typing import Any, TypeVar

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
)
from bendtorch.shapes.dims import A, B, D, F, N

P = TypeVar("P")
S = TypeVar("S")


def forks(n: Dim[N], d: Dim[D], f: Dim[F]) -> None:
    Fork(Linear(64, 128, 3), Linear(64, 127, 3))  # E: Fork: the first layer takes Mat[64, 128], the second takes Mat[64, 127]; both must take the same input  [bend-shape]
    Fork(Linear(64, 128, 3), Linear(63, 128, 3))  # E: Fork: the first layer takes Mat[64, 128], the second takes Mat[63, 128]; both must take the same input  [bend-shape]
    Fork(Linear(n, d, f), Linear(n, f, d))  # E: Fork: the first layer takes Mat[N, D], the second takes Mat[N, F]; both must take the same input  [bend-shape]
    Fork(Linear(n, d, f), Split(n, d, f))  # E: Fork: the first layer takes Mat[N, D], the second takes Mat[N, D + F]; both must take the same input  [bend-shape]
    Fork(g=Linear(n, d, f), f=ReLU(n, f))  # E: Fork: the first layer takes Mat[N, F], the second takes Mat[N, D]; both must take the same input  [bend-shape]
    Fork(Linear(64, 128, 3), 3)  # E: Fork: "g" is int; give a layer  [arg-type]
    Fork(Linear(n, d, f))  # E: Missing positional argument "g" in call to "Fork"  [call-arg]


def both(n: Dim[N], d: Dim[D], f: Dim[F]) -> None:
    Copy(n, d) >> Both(Linear(n, d, f), Linear(n, f, d))  # E: >>: Copy gives tuple[Mat[N, D], Mat[N, D]], Both takes tuple[Mat[N, D], Mat[N, F]]  [bend-shape]
    Both(Linear(n, d, f), Id(n, f)) >> Add2(n, d)  # E: >>: Both gives tuple[Mat[N, F], Mat[N, F]], Add2 takes tuple[Mat[N, D], Mat[N, D]]  [bend-shape]
    Seq(Fork(Id(n, d), Linear(n, d, f)), Both(Id(n, f), Id(n, d)), Drop(n, d))  # E: Seq: the second layer takes and gives tuple[Mat[N, F], Mat[N, D]], but the first gives tuple[Mat[N, D], Mat[N, F]] and the third takes Mat[N, D]  [bend-shape]
    Linear(n, d, f) >> Both(Id(n, f), Id(n, f))  # E: >>: Linear gives Mat[N, F], Both takes tuple[Mat[N, F], Mat[N, F]]  [bend-shape]
    Both(Linear(n, d, f), 3)  # E: Both: "g" is int; give a layer  [arg-type]


def residuals(n: Dim[N], d: Dim[D], f: Dim[F]) -> None:
    Residual(Linear(64, 64, 65))  # E: Residual: the layer takes Mat[64, 64], gives Mat[64, 65]; a residual layer must keep its shape  [bend-shape]
    Residual(Linear(n, d, f))  # E: Residual: the layer takes Mat[N, D], gives Mat[N, F]; a residual layer must keep its shape  [bend-shape]
    Residual(Linear(n, d, f) >> ReLU(n, f))  # E: Residual: the layer takes Mat[N, D], gives Mat[N, F]; a residual layer must keep its shape  [bend-shape]
    Residual(Linear(n, d, f) >> Linear(n, f, d) >> Reshape(n, d, d, n))  # E: Residual: the layer takes Mat[N, D], gives Mat[D, N]; a residual layer must keep its shape  [bend-shape]
    Residual(Copy(n, d))  # E: Residual: the layer gives tuple[Mat[N, D], Mat[N, D]], expected Mat[_, _]  [arg-type]
    Residual(Fork(Id(n, d), Id(n, d)))  # E: Residual: the layer gives tuple[Mat[N, D], Mat[N, D]], expected Mat[_, _]  [arg-type]
    Residual(Linear(n, d, d)) >> ReLU(n, f)  # E: >>: Residual gives Mat[N, D], ReLU takes Mat[N, F]  [bend-shape]


def ties(n: Dim[N], d: Dim[D], f: Dim[F]) -> None:
    Tie(LinearNB(3, 64, 1000), Linear(3, 1000, 64), LinearNB(3, 64, 999))  # E: Tie: the first layer has parameters Mat[1000, 64], the third has parameters Mat[999, 64]; tied layers share one set of parameters  [bend-shape]
    Tie(LinearNB(n, d, f), ReLU(n, f), LinearNB(n, f, d))  # E: Tie: the first layer has parameters Mat[F, D], the third has parameters Mat[D, F]; tied layers share one set of parameters  [bend-shape]
    Tie(LinearNB(n, d, f), ReLU(n, f), Linear(n, f, d))  # E: Tie: the first layer has parameters Mat[F, D], the third has parameters Lin[F, D]; tied layers share one set of parameters  [bend-shape]
    Tie(LinearNB(n, d, f), ReLU(n, d), LinearNB(n, d, f))  # E: Tie: the first layer gives Mat[N, F], the second takes Mat[N, D]  [bend-shape]
    Tie(LinearNB(n, d, f), Linear(n, f, f), LinearNB(n, d, f))  # E: Tie: the second layer gives Mat[N, F], the third takes Mat[N, D]  [bend-shape]
    Tie(LinearNB(n, d, f), LinearNB(n, d, f))  # E: Missing positional argument "last" in call to "Tie"  [call-arg] # E: Tie: the first layer gives Mat[N, F], the second takes Mat[N, D]  [bend-shape]


def repeats(n: Dim[N], d: Dim[D], f: Dim[F]) -> None:
    Repeat(3, Linear(3, 4, 5))  # E: Repeat: the layer takes Mat[3, 4], gives Mat[3, 5]; a repeated layer must keep its shape  [bend-shape]
    Repeat(3, Linear(n, d, f))  # E: Repeat: the layer takes Mat[N, D], gives Mat[N, F]; a repeated layer must keep its shape  [bend-shape]
    Repeat(k=3, f=Linear(n, d, f) >> ReLU(n, f))  # E: Repeat: the layer takes Mat[N, D], gives Mat[N, F]; a repeated layer must keep its shape  [bend-shape]
    Repeat(3, Fork(ReLU(n, d), ReLU(n, d)))  # E: Repeat: the layer takes Mat[N, D], gives tuple[Mat[N, D], Mat[N, D]]; a repeated layer must keep its shape  [bend-shape]
    Repeat(3, Reshape(6, 4, 4, 6))  # E: Repeat: the layer takes Mat[6, 4], gives Mat[4, 6]; a repeated layer must keep its shape  [bend-shape]
    Repeat(3, Linear(n, d, d)) >> ReLU(n, f)  # E: >>: Repeat gives Mat[N, D], ReLU takes Mat[N, F]  [bend-shape]
    Repeat(Linear(3, 4, 4), 3)  # E: Repeat: "k" is Layer[Lin[4, 4], Mat[3, 4], Mat[3, 4], Mat[3, 4]], expected int  [arg-type] # E: Repeat: the layer is int; give a layer  [arg-type]
    Repeat(2.5, Linear(3, 4, 4))  # E: Argument 1 to "Repeat" has incompatible type "float"; expected "int"  [arg-type]


def wiring(n: Dim[N], d: Dim[D], f: Dim[F], a: Dim[A], b: Dim[B]) -> None:
    Fork(Linear(n, d, a), Linear(n, d, b)) >> Swap(n, b, a)  # E: >>: Fork gives tuple[Mat[N, A], Mat[N, B]], Swap takes tuple[Mat[N, B], Mat[N, A]]  [bend-shape]
    Swap(n, a, b) >> Swap(n, a, b)  # E: >>: the left Swap gives tuple[Mat[N, B], Mat[N, A]], the right Swap takes tuple[Mat[N, A], Mat[N, B]]  [bend-shape]
    Fork(Linear(n, d, a), Linear(n, d, b)) >> Add2(n, a)  # E: >>: Fork gives tuple[Mat[N, A], Mat[N, B]], Add2 takes tuple[Mat[N, A], Mat[N, A]]  [bend-shape]
    Fork(Linear(n, d, a), Linear(n, d, b)) >> Mul2(n, b)  # E: >>: Fork gives tuple[Mat[N, A], Mat[N, B]], Mul2 takes tuple[Mat[N, B], Mat[N, B]]  [bend-shape]
    Linear(n, d, f) >> Add2(n, f)  # E: >>: Linear gives Mat[N, F], Add2 takes tuple[Mat[N, F], Mat[N, F]]  [bend-shape]
    Drop(n, d) >> ReLU(n, d)  # E: >>: Drop gives Unit, ReLU takes Mat[N, D]  [bend-shape]
    Copy(n, d) >> ReLU(n, d)  # E: >>: Copy gives tuple[Mat[N, D], Mat[N, D]], ReLU takes Mat[N, D]  [bend-shape]
    Id(n, d) >> Id(d, n)  # E: >>: the left Id gives Mat[N, D], the right Id takes Mat[D, N]  [bend-shape]
    Fork(Fork(Linear(n, d, a), Linear(n, d, b)), Linear(n, d, f)) >> Assoc(n, a, f, b)  # E: >>: Fork gives tuple[tuple[Mat[N, A], Mat[N, B]], Mat[N, F]], Assoc takes tuple[tuple[Mat[N, A], Mat[N, F]], Mat[N, B]]  [bend-shape]
    Fork(Linear(n, d, a), Fork(Linear(n, d, b), Linear(n, d, f))) >> Assoc(n, a, b, f)  # E: >>: Fork gives tuple[Mat[N, A], tuple[Mat[N, B], Mat[N, F]]], Assoc takes tuple[tuple[Mat[N, A], Mat[N, B]], Mat[N, F]]  [bend-shape]


def seams(n: Dim[N], d: Dim[D], f: Dim[F], a: Dim[A], b: Dim[B]) -> None:
    Linear(3, 4, 9) >> Split(3, 4, 4)  # E: >>: Linear gives Mat[3, 9], Split takes Mat[3, 8]  [bend-shape]
    Linear(n, d, 3 * f) >> Split(n, f, f)  # E: >>: Linear gives Mat[N, 3*F], Split takes Mat[N, 2*F]  [bend-shape]
    Split(n, a, b) >> Concat(n, b, a)  # E: >>: Split gives tuple[Mat[N, A], Mat[N, B]], Concat takes tuple[Mat[N, B], Mat[N, A]]  [bend-shape]
    Fork(Linear(n, d, a), Linear(n, d, b)) >> Concat(n, a, a + b)  # E: >>: Fork gives tuple[Mat[N, A], Mat[N, B]], Concat takes tuple[Mat[N, A], Mat[N, A + B]]  [bend-shape]
    Concat(n, a, b) >> ReLU(n, a * b)  # E: >>: Concat gives Mat[N, A + B], ReLU takes Mat[N, A*B]  [bend-shape]
    Concat(3, 4, 5) >> ReLU(3, 8)  # E: >>: Concat gives Mat[3, 9], ReLU takes Mat[3, 8]  [bend-shape]
    Permute(n, d, f) >> ReLU(n, f)  # E: >>: Permute gives Mat[D*N, F], ReLU takes Mat[N, F]  [bend-shape]
    Permute(3, 4, 5) >> Linear(3, 4, 5)  # E: >>: Permute gives Mat[12, 5], Linear takes Mat[3, 4]  [bend-shape]
    Reshape(n, 4 * d, 2 * n, 2 * d) >> ReLU(n, d + d)  # E: >>: Reshape gives Mat[2*N, 2*D], ReLU takes Mat[N, 2*D]  [bend-shape]


def equations(n: Dim[N], d: Dim[D], f: Dim[F]) -> None:
    Reshape(6, 4, 8, 2)  # E: Reshape: i*n = 4*6 = 24 but m*o = 8*2 = 16  [bend-proof]
    Reshape(n, d, n, f)  # E: Reshape: i*n = D*N but m*o = F*N  [bend-proof]
    Reshape(n, 2 * d, 2 * n, 2 * d)  # E: Reshape: i*n = 2*D*N but m*o = 4*D*N  [bend-proof]
    Reshape(n, d + 1, n + 1, d)  # E: Reshape: i*n = D*N + N but m*o = D*N + D  [bend-proof]


def returned(n: Dim[N], d: Dim[D], f: Dim[F]) -> Layer[Any, Mat[N, D], Mat[N, F], Any]:
    return Repeat(3, Linear(n, d, d))  # E: the returned value gives Mat[N, D], declared Mat[N, F]  [return-value]


def twice(f: Layer[P, Mat[N, D], Mat[N, D], S]) -> Layer[tuple[P, P], Mat[N, D], Mat[N, D], tuple[S, S]]:
    return f >> f


twice(Linear(3, 4, 5))  # E: twice: the layer takes Mat[3, 4], gives Mat[3, 5]  [bend-shape]
twice(Fork(Id(3, 4), Id(3, 4)))  # E: twice: "f" gives tuple[Mat[3, 4], Mat[3, 4]], expected Mat[_, _]  [arg-type]


def thrice(f: Layer[P, Mat[N, D], Mat[N, F], S]) -> Layer[Any, Mat[N, D], Mat[N, F], Any]:
    return f >> f  # E: >>: the left f gives Mat[N, F], the right f takes Mat[N, D]  [bend-shape]
