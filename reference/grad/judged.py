"""A program on Vars beside the same function of tensors: value, vector-Jacobian and Jacobian-vector product.

Each number is measured against the size of the terms that it is summed from, which the Jacobian J says: y is as large
as Σ J·x of random signs, the gradient of x as Σ ct·J, the tangent as Σ J·d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from bendtorch import grad
from reference.compare import Draw
from reference.errors import Array
from reference.inputs import normal

Tensors: TypeAlias = tuple[torch.Tensor, ...]

LARGE: Final = 4_000_000  # numbers of a Jacobian that is not computed
QUANTITIES: Final = ("value", "vjp", "jvp")


@dataclass(frozen=True, slots=True)
class Program:
    """A function on Vars, the same on tensors, and float32 inputs that both are differentiated against.

    A `deep` one has differences on its way that its Jacobian does not show: its results are measured against their
    array as a whole, where that is larger.
    """

    ours: Callable[..., grad.Var]
    theirs: Callable[..., torch.Tensor]
    inputs: Sequence[Array]
    deep: bool = False


def draw(programs: Iterable[Program], seed: int) -> Draw:
    """The results of several programs, one after another."""
    parts = [_one(program, np.random.default_rng([seed, i])) for i, program in enumerate(programs)]
    if not parts:
        raise ValueError("no sample input is one that the operation takes")
    return Draw(*(_joined([part[side] for part in parts]) for side in range(4)))


def _joined(parts: Sequence[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.concatenate([part[name] for part in parts]) for name in QUANTITIES}


def _one(program: Program, rng: np.random.Generator) -> list[dict[str, Array]]:
    """Ours, PyTorch's, the exact results, and the sizes of their terms."""
    directions = [normal(rng, x.shape) for x in program.inputs]
    g = grad.graph()
    xs = [g.input(x) for x in program.inputs]
    y = program.ours(*xs)
    ct = normal(rng, y.shape)
    grads = g.backward_from(y, ct)
    ours = (g.value(y), [grads.of(x) for x in xs], g.tangent(xs, directions, y))
    theirs = _torch(program, directions, ct, torch.float32)
    exact = _torch(program, directions, ct, torch.float64)
    flat = [_flat(results) for results in (ours, theirs, exact, _sizes(program, directions, ct, exact))]
    if program.deep:
        flat[3] = {name: np.maximum(size, np.sqrt(np.mean(np.square(flat[2][name])))) for name, size in flat[3].items()}
    return flat


def _flat(results: tuple[Any, Sequence[Any], Any]) -> dict[str, Array]:
    value, gradients, tangent = results
    gathered = np.concatenate([np.ravel(gradient) for gradient in gradients])
    return dict(zip(QUANTITIES, (np.ravel(value), gathered, np.ravel(tangent)), strict=True))


def _torch(
    program: Program, directions: Sequence[Array], ct: Array, dtype: torch.dtype
) -> tuple[Array, list[Array], Array]:
    xs = tuple(torch.tensor(x, dtype=dtype, requires_grad=True) for x in program.inputs)
    y = program.theirs(*xs)
    gradients = torch.autograd.grad(y, xs, torch.tensor(ct, dtype=dtype), allow_unused=True)
    along = tuple(torch.tensor(d, dtype=dtype) for d in directions)
    with sdpa_kernel(SDPBackend.MATH):  # attention's other kernels have no forward mode
        tangent = torch.func.jvp(program.theirs, tuple(x.detach() for x in xs), along)[1]
    found = [np.zeros(x.shape) if g is None else g.numpy() for x, g in zip(program.inputs, gradients, strict=True)]
    return y.detach().numpy(), found, tangent.detach().numpy()


def _sizes(
    program: Program, directions: Sequence[Array], ct: Array, exact: tuple[Array, list[Array], Array]
) -> tuple[Array, list[Array], Array]:
    """The sizes of the results' terms; of the results themselves, where the Jacobian is too large."""
    total = sum(x.size for x in program.inputs)
    if total * ct.size > LARGE or total * ct.size == 0:
        return np.abs(exact[0]), [np.abs(g) for g in exact[1]], np.abs(exact[2])
    xs = tuple(torch.tensor(x, dtype=torch.float64) for x in program.inputs)
    jacobian: Any = torch.autograd.functional.jacobian
    found = jacobian(program.theirs, xs, vectorize=True)
    squares = [np.square(j.numpy().reshape(ct.size, x.size)) for j, x in zip(found, program.inputs, strict=True)]

    def sized(others: Sequence[Array]) -> Array:
        terms = [s @ np.square(np.ravel(o).astype(np.float64)) for s, o in zip(squares, others, strict=True)]
        size: Array = np.sqrt(sum(terms))
        return size.reshape(ct.shape)

    weights = np.square(np.ravel(ct).astype(np.float64))
    gradients = [np.sqrt(weights @ s).reshape(x.shape) for s, x in zip(squares, program.inputs, strict=True)]
    return sized(program.inputs), gradients, sized(directions)
