"""A function's value and gradients as PyTorch gives them, in float32 or in float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import torch

from reference.errors import Array

Function: TypeAlias = Callable[..., torch.Tensor]


def evaluate(
    function: Function, inputs: Mapping[str, Array], dy: Array | None, dtype: torch.dtype, fixed: tuple[str, ...] = ()
) -> dict[str, Array]:
    """y = function(x, the other inputs by name), and `d<name>` of every input but the `fixed` ones.

    dy is the gradient of y; None stands for 1, where y is one number.
    """
    tensors = {
        name: torch.tensor(array, dtype=dtype if array.dtype.kind == "f" else None, requires_grad=False)
        for name, array in inputs.items()
    }
    wanted = [name for name, tensor in tensors.items() if tensor.is_floating_point() and name not in fixed]
    for name in wanted:
        tensors[name].requires_grad_()
    y = function(tensors["x"], **{name: tensor for name, tensor in tensors.items() if name != "x"})
    torch.autograd.backward(y, None if dy is None else torch.tensor(dy, dtype=dtype))
    results = {"y": y.detach().numpy()}
    for name in wanted:
        gradient = tensors[name].grad
        assert gradient is not None
        results[f"d{name}"] = gradient.numpy()
    return results


def term_sizes(function: Function, inputs: Mapping[str, Array], dy: Array) -> dict[str, Array]:
    """The size that each result would have if its terms had random signs: the root of the function of the squares.

    For functions that are sums of products of their inputs: (Σ aᵢbᵢ)² is Σ aᵢ²bᵢ² on average over the signs.
    """
    squares = {
        name: np.square(array.astype(np.float64)) if array.dtype.kind == "f" else array
        for name, array in inputs.items()
    }
    sums = evaluate(function, squares, np.square(dy.astype(np.float64)), torch.float64)
    return {name: np.sqrt(array) for name, array in sums.items()}
