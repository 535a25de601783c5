"""Numbers that differ from one turn of a loop to the next."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from bendtorch import Layer, Linear, ReLU


# ---- within a turn, other numbers
def one_turn(sizes: list[int]) -> None:
    for k in sizes:
        m = k + 1
        ReLU(3, k) >> ReLU(3, m)  # E: >>: the left ReLU gives Mat[3, k], the right ReLU takes Mat[3, k + 1]  [bend-shape]
        for c in sizes:
            Linear(3, k, c) >> ReLU(3, k)  # E: >>: Linear gives Mat[3, c], ReLU takes Mat[3, k]  [bend-shape]


# ---- uses that may see another turn's number
def before_and_after(sizes: list[int], flag: bool) -> None:
    for k in sizes:
        if flag:
            ReLU(3, m)  # E: Cannot determine type of "m"  [has-type]
        m = k + 1
        if flag:
            h = 2 * k
        else:
            ReLU(3, h)  # E: ReLU: dimension "c" is not static: "h" is another number in each turn of the loop; use it in the loop, after it is bound  [bend-dim]
        ReLU(3, h)  # E: ReLU: dimension "c" is not static: "h" is another number in each turn of the loop; use it in the loop, after it is bound  [bend-dim]
    ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; use it in the loop, after it is bound  [bend-dim]
    ReLU(3, m)  # E: ReLU: dimension "c" is not static: "m" is another number in each turn of the loop; use it in the loop, after it is bound  [bend-dim]
    while flag:
        try:
            n = len(sizes)
        except ValueError:
            ReLU(3, n)  # E: ReLU: dimension "c" is not static: "n" is another number in each turn of the loop; use it in the loop, after it is bound  [bend-dim]


def in_functions(sizes: list[int], calls: list[Callable[[], object]]) -> None:
    for k in sizes:

        def later() -> object:
            return ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; use it in the loop itself, not in a function, which may run in a later turn  [bend-dim]

        calls.append(lambda: ReLU(3, k))  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; use it in the loop itself, not in a function, which may run in a later turn  [bend-dim]
        calls.append(later)


def in_generators(sizes: list[int]) -> None:
    for k in sizes:
        made = (ReLU(3, k) for _ in sizes)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; use it in the loop itself, not in a function, which may run in a later turn  [bend-dim]
        print(made)


# ---- layers of one turn that meet those of another
def in_a_list(sizes: list[int]) -> None:
    layers = []
    for k in sizes:
        layers.append(ReLU(3, k))  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "layers", which outlives a turn  [bend-dim]
        layers[0] >> layers[-1]


def in_a_name(sizes: list[int]) -> None:
    before = None
    for k in sizes:
        layer = ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "before", which outlives a turn  [bend-dim]
        if before is not None:
            before >> layer
        before = layer


def in_a_branch(sizes: list[int], flag: bool) -> None:
    for k in sizes:
        if flag:
            old = ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "old", which outlives a turn  [bend-dim]
        else:
            old >> ReLU(3, k)


def in_a_block(sizes: list[int]) -> None:
    for k in sizes:
        with contextlib.suppress(ValueError):
            old = ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "old", which outlives a turn  [bend-dim]
        old >> ReLU(3, k)


def in_a_closure(sizes: list[int], calls: list[Callable[[], object]]) -> None:
    for k in sizes:
        for call in calls:
            call()
        one = ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "one", which outlives a turn  [bend-dim]
        other = ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "other", which outlives a turn  [bend-dim]
        calls.append(lambda: one >> other)


def by_a_tuple(sizes: list[int]) -> None:
    for k in sizes:
        first, second = ReLU(3, k), ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "kept", which outlives a turn  [bend-dim]
        kept, _ = first, second
    kept >> kept


def in_a_dict(sizes: list[int]) -> None:
    layers = {}
    for k in sizes:
        layers[k] = ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "layers", which outlives a turn  [bend-dim]


def in_a_default_dict(sizes: list[int]) -> None:
    layers = defaultdict(list)
    for k in sizes:
        layers[0].append(ReLU(3, k))  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "layers", which outlives a turn  [bend-dim]
        layers[0][0] >> layers[0][-1]


def in_a_capture(sizes: list[int], flag: bool) -> None:
    for k in sizes:
        net = ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "old", which outlives a turn  [bend-dim]
        if flag:
            match net:
                case old:
                    print(old)
        else:
            old >> net


def in_an_outer_turn(sizes: list[int]) -> None:
    for n in sizes:
        layers = []
        for k in sizes:
            layers.append(ReLU(n, k))  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; declare the type of "layers", which outlives a turn  [bend-dim]
            layers[0] >> layers[-1]


def in_a_class(sizes: list[int]) -> None:
    classes: list[Any] = []
    for k in sizes:

        class Made:
            net = ReLU(3, k)

        Made.net >> ReLU(3, k)  # E: >>: net gives Mat[3, int], ReLU takes Mat[3, k]  [bend-shape]
        classes.append(Made)


def by_a_comprehension(sizes: list[int]) -> None:
    [ReLU(3, k) for k in sizes]  # E: ReLU: dimension "c" is not static: "k" is another number each time in a comprehension; write a loop  [bend-dim]


class Stack:
    """Layers of several turns."""

    def __init__(self, sizes: list[int]) -> None:
        self.layers = []
        for k in sizes:
            self.layers.append(ReLU(3, k))  # E: list.append: argument 1 takes Mat[3, k], expected Mat[3, int]; gives Mat[3, k], expected Mat[3, int]; saves Mat[3, k], expected Mat[3, int]  [arg-type]
        self.layers[0] >> self.layers[1]  # E: >>: the left layer gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]


for number in [3, 4]:
    last = ReLU(number, 4)  # E: ReLU: dimension "n" is not static: "number" is another number in each turn of the loop; declare the type of "last", which outlives a turn  [bend-dim]
last >> last
ReLU(number, 4)  # E: ReLU: dimension "n" is not static: "number" is another number in each turn of the loop; use it in the loop, after it is bound  [bend-dim]


def typed(sizes: list[int]) -> list[Layer[Any, Any, Any, Any]]:
    return [ReLU(3, k) for k in sizes]  # E: ReLU: dimension "c" is not static: "k" is another number each time in a comprehension; write a loop  [bend-dim]
