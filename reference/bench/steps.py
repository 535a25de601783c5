"""Whole training steps of small networks: forward, loss, backward, optimizer, in Python as a user writes it.

Beside PyTorch eager; and, in rows of their own, beside `torch.compile`, which takes most of a minute to compile.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from reference.bench.networks import Network, compiled_step, eager_step, our_step
from reference.bench.registry import Contest, Row

NETWORKS: Final = (Network("digits", 32, 64, 64, 10), Network("MLP", 64, 784, 128, 10))


def rows() -> Iterator[Row]:
    """Each network, eager and compiled."""
    for network in NETWORKS:
        yield Row(network.title, partial(_eager, network), network.flops)
        yield Row(f"{network.title}, compiled", partial(_compiled, network), network.flops, long=True)


def _eager(network: Network) -> Contest:
    return Contest(our_step(network), {"eager, fused Adam": eager_step(network)})


def _compiled(network: Network) -> Contest:
    return Contest(our_step(network), {"compiled, fused Adam": compiled_step(network)})
