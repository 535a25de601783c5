"""PyTorch's own sample inputs of its operations (OpInfo), as programs.

A sample is the tensors, other arguments and options of one call. What an operation of the tape does not take (other
axes, strides, groups) is left out: its adapter gives None.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Final, TypeAlias

import torch

from bendtorch import grad
from reference.grad.judged import Program

Adapter: TypeAlias = "Callable[..., Callable[..., grad.Var] | None]"
"""`adapter(sample)`: the function on Vars of the sample's differentiable tensors; None where there is none."""

MOST: Final = 24  # samples of one operation


class Sample:
    """One call: `shapes` of its differentiable tensors, `args` and `kwargs` behind the first tensor."""

    def __init__(self, operation: Callable[..., torch.Tensor], drawn: Any) -> None:
        self.operation, self.input, self.args, self.kwargs = operation, drawn.input, drawn.args, drawn.kwargs
        self.tensors: list[torch.Tensor] = []
        self._place((self.input, self.args, self.kwargs), self.tensors.append)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of the differentiable tensors."""
        return [tuple(tensor.shape) for tensor in self.tensors]

    def call(self, *tensors: torch.Tensor) -> torch.Tensor:
        """PyTorch's operation, with other tensors in the place of the differentiable ones."""
        others = iter(tensors)
        first, args, kwargs = self._place((self.input, self.args, self.kwargs), lambda _: next(others))
        return self.operation(first, *args, **kwargs)

    def _place(self, value: Any, change: Callable[[torch.Tensor], Any]) -> Any:
        if isinstance(value, torch.Tensor):
            return change(value) if value.is_floating_point() else value
        if isinstance(value, dict):
            return {name: self._place(part, change) for name, part in value.items()}
        if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
            return type(value)([self._place(part, change) for part in value])
        return value


@lru_cache(1)
def _operations() -> dict[tuple[str, str], Any]:
    invocations = importlib.import_module("torch.testing._internal.common_methods_invocations")  # it takes seconds
    return {(op.name, op.variant_test_name): op for op in reversed(invocations.op_db)}


def programs(operation: str, adapter: Adapter, is_normal: bool, seed: int, *, deep: bool) -> Iterator[Program]:
    """Those samples of an operation (`name`, or `name/variant`) that the adapter takes; normal numbers, if so."""
    name, _, variant = operation.partition("/")
    torch.manual_seed(seed)
    for sample, ours in islice(_taken(_operations()[name, variant], adapter), MOST):
        tensors = [torch.randn_like(tensor) if is_normal else tensor for tensor in sample.tensors]
        yield Program(ours, sample.call, [tensor.detach().numpy() for tensor in tensors], deep)


def _taken(operation: Any, adapter: Adapter) -> Iterator[tuple[Sample, Callable[..., grad.Var]]]:
    for drawn in operation.sample_inputs("cpu", torch.float32, requires_grad=True):
        sample = Sample(operation.op, drawn)
        ours = adapter(sample)
        if ours is not None:
            yield sample, ours
