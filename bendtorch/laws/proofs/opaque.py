"""Opaque layers: nothing is known of them but their names, so what holds of them holds of every layer.

`f.fwd(p, x)` is the term `f(p, x)`, what it saves is `f.s(p, x)`; `f.bwd(p, s, dy, g)` gives `f.dx(p, s, dy)` and adds
`f.dp(p, s, dy)` into g in place, as the contract of a layer asks. The functions over parameters build terms as well.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from bendtorch.laws.proofs.terms import ZERO, Sum, Term, Value, one, total
from bendtorch.laws.proofs.world import NoTermError, World
from bendtorch.laws.trial import AnyLayer
from bendtorch.layer import Bwd, Fwd, Info, Leaf, make_layer, zeros_init
from bendtorch.layer.params import Params, Step, check_room
from bendtorch.layer.variant import Mode
from bendtorch.optim.state import OptState, PackedMoments
from bendtorch.shapes.spec import Spec


class Held:
    """Parameters, a gradient or saved values of an opaque layer: an object that only the layer looks into."""

    __slots__ = ("value",)

    def __repr__(self) -> str:
        return str(self.value)

    def __init__(self, value: Sum) -> None:
        self.value = value


def _value(name: str, what: str, given: Any) -> Sum:
    """What stands in what a layer is given of its own."""
    if isinstance(given, Held):
        return given.value
    raise NoTermError(f"{name} was given {given!r} as its {what}")


CELLS: Final = 2  # numbers of an opaque layer's parameters


def opaque(
    world: World,
    name: str,
    takes: Spec,
    gives: Spec,
    *,
    cells: int = CELLS,
    linear: bool = False,
    in_place: bool = True,
    vary: Callable[[Mode], AnyLayer] | None = None,
) -> AnyLayer:
    """A layer of which nothing is known; if `linear`, that its backward pass is linear in dy (L24).

    Its optimizer steps are `in_place`, or give back new parameters, gradients and moments.
    """

    def fwd(p: Held, x: Any) -> Fwd[Any, Held]:
        read = _value(name, "parameters", p), world.read(x)
        return Fwd(world.write(gives, name, *read), Held(one(f"{name}.s", *read)))

    def gradient(head: str, p: Sum, s: Sum, dy: Value) -> Sum:
        if not linear:
            return one(head, p, s, dy)
        assert isinstance(dy, Sum)
        return total((Term(head, (p, s, one(d.head, *d.arguments))), count) for d, count in dy.parts)

    def bwd(p: Held, s: Held, dy: Any, g: Held) -> Bwd[Held, Any]:
        seen = _value(name, "parameters", p), _value(name, "saved values", s), world.read(dy)
        g.value = _value(name, "a gradient", g) + gradient(f"{name}.dp", *seen)
        if isinstance(takes, tuple):
            return Bwd(world.write(takes, f"{name}.dx", *seen), g)
        return Bwd(world.array(takes, gradient(f"{name}.dx", *seen)), g)

    return make_layer(
        parameters(world, name, cells, in_place=in_place), fwd, bwd, Info(name, takes=takes, gives=gives), vary=vary
    )


def zero(world: World, name: str, spec: Spec) -> AnyLayer:
    """A layer that gives zero, whose gradients are zero."""

    def fwd(p: Held, x: Any) -> Fwd[Any, Held]:
        world.read(x)
        return Fwd(world.array(spec, ZERO), Held(ZERO))

    def bwd(p: Held, s: Held, dy: Any, g: Held) -> Bwd[Held, Any]:
        world.read(dy)
        return Bwd(world.array(spec, ZERO), g)

    return make_layer(parameters(world, name, CELLS), fwd, bwd, Info(name, takes=spec, gives=spec))


def parameters(world: World, name: str, cells: int, *, in_place: bool = True) -> Params[Held]:
    """The functions over an opaque layer's parameters, of which only L46 is known: load of a dump gives them back."""

    def numbers(p: Held) -> list[Sum]:
        return [one(f"{name}.cell {i}", p.value) for i in range(cells)]

    def store(p: Held, flat: Any, offset: int) -> int:
        check_room(flat, offset, cells)
        flat[offset : offset + cells] = [world.cell(number) for number in numbers(p)]
        return offset + cells

    def dump(p: Held) -> Any:
        flat = np.zeros(cells, np.float32)
        store(p, flat, 0)
        return flat

    def view(flat: Any, offset: int) -> Held:
        check_room(flat, offset, cells)
        return Held(_loaded(name, world.cells(flat[offset : offset + cells])))

    def load(p: Held, flat: Any, offset: int) -> int:
        p.value = view(flat, offset).value
        return offset + cells

    def step(opt: Any, p: Held, g: Held, st: OptState[Any]) -> Step[Held]:
        if not in_place:
            p, g, st = copy.deepcopy((p, g, st))
        return Step(p, g, _stepped(world, name, one(str(opt)), p, g, st))

    return Params(
        zeros=lambda: Held(ZERO),
        step=step,
        dump=dump,
        load=load,
        store=store,
        count=lambda: cells,
        view=view,
        leaves=(Leaf("weight", (1, cells), zeros_init),),
        matrices=lambda p: [dump(p).reshape(1, cells)],
    )


def _loaded(name: str, read: tuple[Sum, ...]) -> Sum:
    """What these numbers are as parameters: those whose numbers they are (L46), if they are all of one."""
    first = read[0].parts[0][0] if read and read[0].parts else None
    known = first.arguments[0] if first is not None and first.arguments else None
    if isinstance(known, Sum) and read == tuple(one(f"{name}.cell {i}", known) for i in range(len(read))):
        return known
    return one(f"{name}.of", *read)


def _stepped(world: World, name: str, opt: Sum, p: Held, g: Held, st: OptState[Any]) -> OptState[Any]:
    """One step in place: parameters and moments become unknown functions of all that a step sees, the gradient zero."""
    kind = type(st)
    moments = {slot: getattr(st, slot) for slot in kind.__slots__}
    packed = kind is PackedMoments
    seen = (opt, p.value, g.value, *(world.cells(m) if packed else m.value for m in moments.values()))
    for slot, moment in moments.items():
        if packed:
            moment[:] = [world.cell(one(f"{name}.{slot} {i}", *seen)) for i in range(len(moment))]
        else:
            moment.value = one(f"{name}.{slot}", *seen)
    p.value, g.value = one(f"{name}.stepped", *seen), ZERO
    return st
