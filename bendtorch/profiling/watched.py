"""A model whose passes are measured: the same layers, each with a clock around its two passes.

A combinator is built again from its watched parts (`rebuild`), a layer is given passes that read the clock and call its
own. Nothing else changes: parameters, shapes, bits. The model that was given is not touched, so what is not watched
costs nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Generic, TypeAlias, TypeVar

from bendtorch.laws.nest import arrays_in
from bendtorch.layer.arguments import expect_layer
from bendtorch.layer.chain import CHAIN
from bendtorch.layer.protocol import Bwd, Fwd, Layer
from bendtorch.losses.loss import Loss, LossOut
from bendtorch.profiling.flops import LOSSES, Formula, expect_formulas, numbers
from bendtorch.profiling.limits import machine_limits
from bendtorch.profiling.node import Clock, Node, Pass, node_of
from bendtorch.profiling.report import Profile
from bendtorch.profiling.traffic import backward_traffic, forward_traffic, memory_of

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
S = TypeVar("S")
Target = TypeVar("Target")

AnyLayer: TypeAlias = Layer[Any, Any, Any, Any]
NONE: Final[Mapping[str, Formula]] = {}


class Watch(Generic[P, X, Y, S]):
    """A watched model: `layer` stands in for it, `root` is the tree of what was measured.

    Each forward pass of `layer` begins a step. `forget()` drops the times so far, as after a step that compiled.
    """

    def __init__(self, model: Layer[P, X, Y, S], flops: Mapping[str, Formula] = NONE) -> None:
        expect_layer("watch", model)
        expect_formulas("watch", flops)
        self.clock = Clock()
        self.flops = flops
        layer, self.root = self._watched(model)
        self.layer: Layer[P, X, Y, S] = layer
        self.root.begins_step = True
        self.rest: dict[str, Pass] = {}

    def loss(self, loss: Loss[Y, Target]) -> Loss[Y, Target]:
        """A loss whose gradient is measured, too."""
        found = self.rest.setdefault(str(loss), Pass(self.clock))
        per_number = LOSSES.get(loss.name.partition("(")[0])
        outputs = numbers(self.root.info.gives)
        found.flops = None if per_number is None else per_number * outputs

        def grad(y: Y, target: Target) -> LossOut[Y]:
            started = time.perf_counter()
            out = loss.grad(y, target)
            found.add(time.perf_counter() - started)
            found.traffic = memory_of(arrays_in((y, target, out.dy)))
            return out

        return replace(loss, grad=grad)

    def profile(self) -> Profile:
        """What was measured so far."""
        return Profile(self.root, self.rest, machine_limits())

    def forget(self) -> None:
        """Drop the times so far."""
        self.clock.step = 0
        for one in [each for node in self.root.every() for each in (node.forward, node.backward)]:
            one.forget()
        for one in self.rest.values():
            one.forget()

    def _watched(self, layer: AnyLayer) -> tuple[AnyLayer, Node]:
        inside, parts = self._rebuilt(layer) if layer.rebuild is not None and layer.info.parts else (layer, ())
        node = node_of(layer.info, layer.count(), parts, self.clock, self.flops)
        if layer.info.parts and not parts:  # a combinator that does not say how it is built: one piece
            node.forward.flops = node.backward.flops = None
        return timed(inside, node), node

    def _rebuilt(self, layer: AnyLayer) -> tuple[AnyLayer, tuple[Node, ...]]:
        """A combinator of watched parts; the parts of a chain in a chain are parts of the whole."""
        nodes: list[Node] = []

        def change(part: AnyLayer) -> AnyLayer:
            if part.info.name == layer.info.name == CHAIN and part.rebuild is not None:
                inside, found = self._rebuilt(part)
                nodes.extend(found)
                return inside
            watched, node = self._watched(part)
            nodes.append(node)
            return watched

        assert layer.rebuild is not None
        return layer.rebuild(change), tuple(nodes)


def timed(layer: AnyLayer, node: Node) -> AnyLayer:
    """A layer, and all its variants, whose passes are measured into a node."""
    vary, rebuild = layer.vary, layer.rebuild

    def fwd(p: Any, x: Any) -> Fwd[Any, Any]:
        if node.begins_step:
            node.forward.clock.step += 1
        started = time.perf_counter()
        out = layer.fwd(p, x)
        node.forward.add(time.perf_counter() - started)
        if node.forward.traffic is None:
            node.forward.traffic = forward_traffic(node.info, p, x, out.y, out.s)
        return out

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Bwd[Any, Any]:
        started = time.perf_counter()
        out = layer.bwd(p, s, dy, g)
        node.backward.add(time.perf_counter() - started)
        if node.backward.traffic is None:
            node.backward.traffic = backward_traffic(node.info, p, s, dy, out.dx, out.g)
        return out

    return replace(
        layer,
        fwd=fwd,
        bwd=bwd,
        vary=None if vary is None else lambda mode: timed(vary(mode), node),
        rebuild=None if rebuild is None else lambda change: timed(rebuild(change), node),
    )


def watch(model: Layer[P, X, Y, S], *, flops: Mapping[str, Formula] = NONE) -> Watch[P, X, Y, S]:
    """A model to be used in the place of `model`, and measured layer by layer.

    `flops` gives formulas for layers of one's own, by name: `{"Scale": lambda info: (forward, backward)}`, from the
    sizes in the layer's `Info`.
    """
    return Watch(model, flops)
