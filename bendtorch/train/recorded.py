"""A step's passes as the list of kernel calls that they are, made again without the Python code between them.

The sizes of a model are static: on another batch of the same shapes the forward pass, the loss and the backward pass
call the same kernels, on arrays of the same sizes. So these calls are written down once, with their arrays, and made
again for each batch, with its arrays in the places of the inputs. There is no code of layers between them, no check but
those of the inputs, and nothing is allocated; the arrays between the calls take as little memory as they need. The bits
are the same.

Only what is known to do nothing but call kernels is written down (`KNOWN`); all else, and steps so large that Python
has no part in their time, are run as they are. A kernel that gives a number, as one that looks for ids out of range
does, must give the same again: otherwise the batch goes through the passes, which say what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.kernels.recording import Array, Recording, recording
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss

AnyLayer: TypeAlias = Layer[Any, Any, Any, Any]
AnyLoss: TypeAlias = Loss[Any, Any]
Kinds: TypeAlias = list[tuple[Any, Any]]
Written: TypeAlias = list[tuple[partial[Any], tuple[tuple[int, int], ...], Any]]
"""Calls of kernels: with its arguments; which of these are which inputs; what it must give."""

COMBINATORS: Final = "Seq Fork Both Residual Repeat Tie Id Copy Swap Assoc Add2 Mul2"
LAYERS: Final = "Linear LinearFirst LinearNB ReLU GELU GELUErf SiLU Sigmoid Tanh Softmax LogSoftmax LayerNorm RMSNorm"
SEQUENCES: Final = "Embedding RoPE Attention"
KNOWN: Final = frozenset(f"{COMBINATORS} {LAYERS} {SEQUENCES}".split())
OWN: Final = tuple(f"bendtorch.{part}." for part in ("layer", "layers", "combine", "rewrite"))
LOSSES: Final = "bendtorch.losses."
MOST_BYTES: Final = 1 << 25  # of all arrays that the passes make
MOST_STEPS: Final = 8  # pairs of a model and a loss that are kept
TRIES: Final = 4  # to write one down: what comes with other arrays every time is left


def is_known(layer: AnyLayer) -> bool:
    """Whether the passes of a layer, and of all inside, are known to do nothing but call kernels."""
    ours = all(getattr(f, "__module__", "").startswith(OWN) for f in (layer.fwd, layer.bwd))
    return ours and layer.info.name in KNOWN and all(map(is_known, layer.info.parts))


def is_ours(loss: AnyLoss) -> bool:
    """Whether the gradient of a loss is known to do so."""
    return getattr(loss.grad, "__module__", "").startswith(LOSSES)


def arrays_of(value: Any) -> list[Array] | None:
    """The arrays of a nest of tuples, where all are plain ones that kernels take as they are; else None."""
    if isinstance(value, tuple):
        parts = [arrays_of(part) for part in value]
        return None if None in parts else [array for part in parts for array in part or ()]
    return [value] if type(value) is np.ndarray and value.flags.carray else None


def _kinds(arrays: list[Array]) -> Kinds:
    return [(array.shape, array.dtype) for array in arrays]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A step from parameters `p` into the gradient `g` on inputs of these kinds. Call number `place` gives the loss."""

    p: Any
    g: Any
    kinds: Kinds
    calls: Written
    place: int

    def run(self, inputs: list[Array]) -> float | None:
        """Make the calls on these inputs; gives the loss, or None when a kernel gave something else than it did."""
        loss = None
        for place, (call, given, result) in enumerate(self.calls):
            found = _called_with(call, given, inputs) if given else call()
            if place == self.place:
                loss = found
            elif found != result:
                return None
        return loss


def _called_with(call: partial[Any], given: tuple[tuple[int, int], ...], inputs: list[Array]) -> Any:
    """What a call gives with inputs in their places."""
    arguments = list(call.args)
    for place, number in given:
        arguments[place] = inputs[number]
    return call.func(*arguments)


@dataclass(slots=True)
class Kept:
    """A model and a loss that a step was made of; how often its calls may still be written down; and the calls."""

    model: AnyLayer
    loss: AnyLoss
    tries: int
    step: Recorded | None = None

    def fits(self, p: Any, g: Any, inputs: list[Array]) -> bool:
        """Whether what was written down is of these parameters, this gradient and inputs of these kinds."""
        step = self.step
        return step is not None and step.p is p and step.g is g and step.kinds == _kinds(inputs)


class Steps:
    """The steps that were written down, each when it came for the second time: at the first, kernels are compiled."""

    def __init__(self) -> None:
        self.kept: dict[tuple[int, int], Kept] = {}

    def run(
        self, model: AnyLayer, loss: AnyLoss, p: Any, g: Any, inputs: list[Array], passes: Callable[[], float]
    ) -> float | None:
        """A step on these inputs: by its calls where they are written down, else by its passes.

        None when it was neither: the calls do not fit the batch, and the gradient holds a part of a step.
        """
        kept = self.kept.get((id(model), id(loss)))
        if kept is None:
            if len(self.kept) >= MOST_STEPS:
                self.kept.clear()
            self.kept[id(model), id(loss)] = Kept(model, loss, TRIES if is_known(model) and is_ours(loss) else 0)
            return passes()
        if kept.step is not None and kept.fits(p, g, inputs):
            return kept.step.run(inputs)
        if kept.tries == 0:
            return passes()
        kept.tries -= 1
        with recording(MOST_BYTES) as found:
            value = passes()
        kept.step = _recorded(p, g, inputs, found, value)
        kept.tries *= found.is_whole  # what is too large stays so
        return value


def _recorded(p: Any, g: Any, inputs: list[Array], found: Recording, value: float) -> Recorded | None:
    """The step that was written down; None where it is too large, or shares memory in a way that is not known."""
    arrays = {id(array): array for call in found.calls for array in call.arguments if isinstance(array, np.ndarray)}
    values = [place for place, call in enumerate(found.calls) if call.result is value]
    if len(values) != 1 or not _apart(list(arrays.values()), [*inputs, *found.made]):
        return None
    places = {id(array): number for number, array in enumerate(inputs)}
    written: Written = []
    for call in found.planned():
        given = tuple((i, places[id(array)]) for i, array in enumerate(call.arguments) if id(array) in places)
        written.append((call.bound(), given, call.result))
    return Recorded(p, g, _kinds(inputs), written, values[0])


def _apart(arrays: list[Array], owners: list[Array]) -> bool:
    """Whether no array, and no other owner, lies in the memory of an owner, but for itself."""
    for i, owner in enumerate(owners):
        others = [*owners[:i], *(array for array in arrays if array is not owner)]
        if any(np.may_share_memory(owner, other) for other in others):
            return False
    return True
