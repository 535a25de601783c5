"""Random well-typed networks as source text, and the same networks with one size changed.

A network is made from the shape that it takes, layer by layer, so that it is right by construction. Each size in a
layer's arguments stands between marks, «d», by which one of them can be changed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

VALUES: Final = {"n": 7, "d": 11, "f": 13, "a": 17, "b": 5}
ACTIVATIONS: Final = ("ReLU", "Sigmoid", "Tanh", "SiLU", "GELU", "GELUErf")
LITERALS: Final = ("2", "3", "4", "6", "9")
MARKED: Final = re.compile("«([^»]*)»")
MOST_LAYERS: Final = 4
KEEP: Final = ("Id", "Softmax", "LogSoftmax", "RMSNorm", "LayerNorm")
"""Layers whose output has their input's shape: rows and columns."""


@dataclass(frozen=True)
class Matrix:
    """The shape of a matrix: its sizes as the source writes them."""

    rows: str
    columns: str

    @property
    def annotation(self) -> str:
        """The type: `Mat["N", "2 * D"]`."""
        return f'Mat["{self.rows.upper()}", "{self.columns.upper()}"]'


@dataclass(frozen=True)
class Tokens:
    """The shape of ids."""

    rows: str

    @property
    def annotation(self) -> str:
        """The type: `Ids["N"]`."""
        return f'Ids["{self.rows.upper()}"]'


Shape: TypeAlias = "Matrix | Tokens | tuple[()] | tuple[Shape, Shape]"
Made = tuple[str, Shape]


def annotation(shape: Shape) -> str:
    """The type of a value."""
    if isinstance(shape, (Matrix, Tokens)):
        return shape.annotation
    return f"tuple[{', '.join(map(annotation, shape))}]" if shape else "tuple[()]"


@dataclass(frozen=True)
class Network:
    """A network: its source with marked sizes, what it takes and gives, and the values of its symbols."""

    text: str
    takes: Shape
    gives: Shape
    symbols: tuple[str, ...]

    def source(self, name: str, changed: int | None = None) -> str:
        """A function that builds it; with the size of that number made one larger."""
        count = -1

        def plain(size: re.Match[str]) -> str:
            nonlocal count
            count += 1
            return f"{size[1]} + 1" if count == changed else size[1]

        parameters = ", ".join(f"{symbol}: Dim[{symbol.upper()}]" for symbol in self.symbols)
        result = f"Layer[Any, {annotation(self.takes)}, {annotation(self.gives)}, Any]"
        return f"def {name}({parameters}) -> {result}:\n    return {MARKED.sub(plain, self.text)}\n\n\n"

    @property
    def size_count(self) -> int:
        """How many sizes there are to change."""
        return len(MARKED.findall(self.text))

    @property
    def values(self) -> list[int]:
        """The arguments to build it with."""
        return [VALUES[symbol] for symbol in self.symbols]


def call(name: str, *sizes: str) -> str:
    """A call of a layer with marked sizes."""
    return f"{name}({', '.join(f'«{size}»' for size in sizes)})"


class Generator:
    """Draws networks; the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.is_symbolic = bool(self.random.getrandbits(1))

    def network(self) -> Network:
        """A network of a few layers."""
        n, layers, symbols = (
            self.size("n"),
            self.random.randint(1, MOST_LAYERS),
            tuple(VALUES) if self.is_symbolic else (),
        )
        if self.random.random() < 0.15:
            d = self.size()
            text, gives = self.chain(Matrix(n, d), layers)
            return Network(f"Embedding(«{n}», 9, «{d}») >> ({text})", Tokens(n), gives, symbols)
        takes = Matrix(n, self.size())
        text, gives = self.chain(takes, layers, is_first=True)
        return Network(text, takes, gives, symbols)

    def size(self, *choices: str) -> str:
        """A size: a number, or a parameter, or arithmetic of one."""
        if not self.is_symbolic:
            return self.random.choice(LITERALS)
        return self.random.choice(choices or ("d", "f", "a", "b", "2 * d", "a + b", "3"))

    def activation(self, n: str, c: str) -> str:
        """A layer that changes every number by itself."""
        if self.random.random() < 0.2:
            return f"{self.random.choice(('ActIn', 'ActOut'))}(unary, binary, «{n}», «{c}»)"
        return call(self.random.choice(ACTIVATIONS), n, c)

    def chain(self, takes: Shape, layers: int, *, is_first: bool = False) -> Made:
        """Some layers in a row, by `>>` or by `Seq`."""
        texts: list[str] = []
        shape = takes
        for place in range(layers):
            if not can_go_on(shape):
                break
            starts = is_first and place == 0 and isinstance(shape, Matrix) and self.random.random() < 0.3
            text, shape = self.first(shape) if starts and isinstance(shape, Matrix) else self.step(shape)
            texts.append(text)
        if len(texts) > 1 and self.random.random() < 0.4:
            return f"Seq({', '.join(texts)})", shape
        return " >> ".join(texts), shape

    def first(self, x: Matrix) -> Made:
        """A layer that may only stand where no parameters come before."""
        o = self.size()
        return call("LinearFirst", x.rows, x.columns, o), Matrix(x.rows, o)

    def step(self, shape: Shape) -> Made:
        """One layer, or a few that belong together."""
        if isinstance(shape, Matrix):
            simple = (self.linear, self.widened, self.kept, self.copied, self.rotated, self.windowed)
            return self.random.choice((*simple, self.forked, self.tied, self.turned, self.split, self.attended))(shape)
        assert isinstance(shape, tuple)
        assert len(shape) == 2
        return self.random.choice(self.of_pairs(*shape))()

    def of_pairs(self, one: Shape, two: Shape) -> list[Callable[[], Made]]:
        """The layers that take a pair of these shapes."""
        able: list[Callable[[], Made]] = [lambda: self.both(one, two)]
        if isinstance(one, Matrix) and isinstance(two, Matrix) and one.rows == two.rows:
            n, a, b = one.rows, one.columns, two.columns
            able.append(lambda: (call("Concat", n, a, b), Matrix(n, f"({a}) + ({b})")))
            able.append(lambda: (call("Swap", n, a, b), (two, one)))
            if a == b:
                able += [lambda: (call("Add2", n, a), one), lambda: (call("Mul2", n, a), one)]
        if isinstance(one, tuple) and len(one) == 2 and isinstance(two, Matrix):
            u, v = one
            if isinstance(u, Matrix) and isinstance(v, Matrix) and u.rows == v.rows == two.rows:
                made: Made = (call("Assoc", u.rows, u.columns, v.columns, two.columns), (u, (v, two)))
                able += [lambda: made] * 3
        return able

    def both(self, one: Shape, two: Shape) -> Made:
        """A layer on each of a pair."""
        (f, y), (g, z) = self.chain(one, 1), self.chain(two, 1)
        return f"Both({f}, {g})", (y, z)

    def linear(self, x: Matrix) -> Made:
        """A linear layer."""
        o = self.size()
        return call(self.random.choice(("Linear", "LinearNB")), x.rows, x.columns, o), Matrix(x.rows, o)

    def rotated(self, x: Matrix) -> Made:
        """Heads, rotated by their positions."""
        h, half = self.size("a", "b", "2"), self.size("3", "b")
        width = f"2 * ({h}) * ({half})"
        text = f"{call('LinearNB', x.rows, x.columns, width)} >> RoPE(«{x.rows}», {x.rows}, «{h}», «{half}»)"
        return text, Matrix(x.rows, width)

    def widened(self, x: Matrix) -> Made:
        """A hidden layer."""
        h, o = self.size(), self.size()
        texts = (call("Linear", x.rows, x.columns, h), self.activation(x.rows, h), call("Linear", x.rows, h, o))
        return " >> ".join(texts), Matrix(x.rows, o)

    def kept(self, x: Matrix, depth: int = 2) -> Made:
        """Layers that keep their shape."""
        n, c, h = x.rows, x.columns, self.size()
        simple = [call(name, n, c) for name in KEEP] + [self.activation(n, c), call("Linear", n, c, c)]
        if depth == 0:
            return self.random.choice(simple), x
        f, g = self.kept(x, depth - 1)[0], self.kept(x, depth - 1)[0]
        pair = call(self.random.choice(("Add2", "Mul2")), n, c)
        deep = [
            f"Residual({f})",
            f"Repeat({self.random.randint(1, 3)}, {f})",
            f"Fork({f}, {g}) >> {pair}",
            f"{call('Copy', n, c)} >> Both({f}, {g}) >> {pair}",
            f"{call('Linear', n, c, h)} >> {call('ReLU', n, h)} >> {call('LinearNB', n, h, c)}",
        ]
        return self.random.choice(deep), x

    def copied(self, x: Matrix) -> Made:
        """A pair of the same."""
        return call("Copy", x.rows, x.columns), (x, x)

    def forked(self, x: Matrix) -> Made:
        """Two branches, of which the second may lead nowhere."""
        f, y = self.chain(x, self.random.randint(1, 2))
        if self.random.random() < 0.15:
            return f"Fork({f}, {call('Drop', x.rows, x.columns)})", (y, ())
        if self.random.random() < 0.3:
            o, q = self.size(), self.size()
            pair = f"Fork({call('Linear', x.rows, x.columns, o)}, {call('Linear', x.rows, x.columns, q)})"
            return f"Fork({pair}, {call('Id', x.rows, x.columns)})", ((Matrix(x.rows, o), Matrix(x.rows, q)), x)
        g, z = self.chain(x, 1)
        return f"Fork({f}, {g})", (y, z)

    def tied(self, x: Matrix) -> Made:
        """The same weights before and after."""
        n, c, f = x.rows, x.columns, self.size()
        outer = call("LinearNB", n, c, f)
        return f"Tie({outer}, {call('ReLU', n, f)} >> {call('Linear', n, f, c)}, {outer})", Matrix(n, f)

    def turned(self, x: Matrix) -> Made:
        """Other rows."""
        n, c = x.rows, x.columns
        if self.random.random() < 0.5:
            return call("Reshape", n, c, c, n), Matrix(c, n)
        rows = f"({n}) * ({c})"
        return f"{call('Reshape', n, c, rows, '1')} >> {call('Permute', n, c, '1')}", Matrix(rows, "1")

    def attended(self, x: Matrix) -> Made:
        """Attention with its projections; the rows are one sequence, or sequences of one position."""
        n, c, hd = x.rows, x.columns, self.size()
        kv, g = self.random.choice("123"), self.random.choice("123")
        b, t = self.random.choice(((n, "1"), ("1", n)))
        wide, narrow = f"{kv} * {g} * ({hd})", f"{kv} * ({hd})"
        q, k, v = (call("LinearNB", n, c, width) for width in (wide, narrow, narrow))
        return f"Fork({q}, Fork({k}, {v})) >> {call('Attention', b, t, kv, g, hd)}", Matrix(n, wide)

    def split(self, x: Matrix) -> Made:
        """A wide layer, taken apart."""
        n, a, b = x.rows, self.size(), self.size()
        wide = call("Linear", n, x.columns, f"{a} + {b}")
        return f"{wide} >> {call('Split', n, a, b)}", (Matrix(n, a), Matrix(n, b))

    def windowed(self, x: Matrix) -> Made:
        """Images, convolved and pooled. Windows and strides keep their sizes: another may leave as many windows."""
        n, (c, h, w, o) = x.rows, (self.size("b", "3", "4") for _ in range(4))
        images = call("Linear", n, x.columns, f"({c}) * ({h}) * ({w})")
        stride = self.random.choice(("", ", stride=1", ", padding=0"))
        conv = f"{call('Conv2d', n, c, h, w, o)[:-1]}, 2, 2{stride})"
        if self.random.random() < 0.5:
            return f"{images} >> {conv}", Matrix(n, f"({o}) * (({h}) - 1) * (({w}) - 1)")
        pool, padding = self.random.choice(("MaxPool2d", "AvgPool2d")), self.random.choice(("", ", padding=1"))
        across = [f"(({side}) {'+ 2 ' if padding else ''}) // 2" for side in (h, w)]
        return f"{images} >> {call(pool, n, c, h, w)[:-1]}, 2{padding})", Matrix(
            n, f"({c}) * ({across[0]}) * ({across[1]})"
        )


def can_go_on(shape: Shape) -> bool:
    """Whether a layer can take a value of that shape: none takes nothing."""
    if isinstance(shape, tuple):
        return len(shape) == 2 and all(map(can_go_on, shape))
    return isinstance(shape, Matrix)
