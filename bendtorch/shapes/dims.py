"""Dimension variables, and how a size parameter is declared.

    def Linear(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Lin[I, O], Mat[N, I], Mat[N, O], Mat[N, I]]: ...

`n: Dim[N]` says that the *value* of the argument `n` is the size `N`: in a call, the type checker replaces `N` by the
size that the argument denotes (a number, a `Final`, arithmetic of them, or a size variable of the caller's own).
At run time `Dim[N]` is a plain `int`.

Any `TypeVar` bound to `int` is a dimension variable; the ones here are those that the package itself uses. A size
parameter that may be left out has a variable with a default (of `typing_extensions` before Python 3.13), which is its
size then: `padding: Dim[PAD] = 0`.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Generic, Literal, TypeAlias, final

from typing_extensions import TypeVar

A = TypeVar("A", bound=int)
B = TypeVar("B", bound=int)  # sequences in a batch
C = TypeVar("C", bound=int)  # columns, channels, classes
D = TypeVar("D", bound=int)  # model width
F = TypeVar("F", bound=int)  # hidden width of a feed-forward block
G = TypeVar("G", bound=int)  # query heads per key/value head
H = TypeVar("H", bound=int)  # heads, height
HALF = TypeVar("HALF", bound=int)  # half a head's width
HD = TypeVar("HD", bound=int)  # a head's width
I = TypeVar("I", bound=int)  # noqa: E741  inputs of a layer; the field's letter
K = TypeVar("K", bound=int)
KH = TypeVar("KH", bound=int)  # a window's height
KV = TypeVar("KV", bound=int)  # key/value heads
KW = TypeVar("KW", bound=int)  # a window's width
M = TypeVar("M", bound=int)
N = TypeVar("N", bound=int)  # rows: examples in a batch
O = TypeVar("O", bound=int)  # noqa: E741  outputs of a layer
PAD = TypeVar("PAD", bound=int, default=Literal[0])  # rows and columns of padding
R = TypeVar("R", bound=int)
STEP = TypeVar("STEP", bound=int, default=K)  # from one window to the next; windows side by side by default
STRIDE = TypeVar("STRIDE", bound=int, default=Literal[1])  # from one window to the next
T = TypeVar("T", bound=int)  # positions in a sequence
V = TypeVar("V", bound=int)  # vocabulary
W = TypeVar("W", bound=int)  # width

Dim: TypeAlias = Annotated[A, "size"]


@final
class Eq(Generic[A, B]):
    """A proof that the sizes `A` and `B` are equal: a parameter that the checker fills in.

        def Reshape(n: Dim[N], i: Dim[I], m: Dim[M], o: Dim[O], proof: Eq["N*I", "M*O"] = PROVE) -> ...

    Every call that leaves `proof` out, or gives `PROVE`, asks the mypy plugin to decide the equation for the sizes of
    that call; a false one is an error there. A function that has such a parameter may use the equation in its own body.
    """

    __slots__ = ()


# `PROVE` fits every `Eq[...]`, which no type but Any can say; it holds nothing, the plugin decides the equation.
PROVE: Final[Any] = Eq()
