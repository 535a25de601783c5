"""Peak memory of a training step of SmolLM2-135M's sizes, ours and PyTorch's: `python -m reference.bench.memory`.

Each side runs in a process of its own: a step of a tiny model first, which loads what code there is, then two steps of
the large one. The growth of the process to its peak is what the step takes. What is beyond three or four numbers a
parameter (itself, its gradient and its moments) are the activations and temporaries.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from bendtorch import PackedAdamW
from reference.bench.llama import RATE, our_step, their_step
from reference.bench.llama_pytorch import transformers
from reference.bench.llama_shape import SMOLLM2, TINY, Shape
from reference.bench.registry import Call

MEGABYTE: Final = 1e6
SIDES: Final[Mapping[str, tuple[Callable[[Shape], Call], int]]] = {
    "transformers, eager": (lambda shape: their_step(shape, transformers(shape)), 16),
    "ours, as declared": (partial(our_step, rewritten=False), 16),
    "ours, fused": (our_step, 16),
    "ours, fused, packed moments": (partial(our_step, optimizer=PackedAdamW(RATE)), 12),
}
"""How each makes a step, and how many bytes a parameter takes with its gradient and moments."""


def resident(field: str, status: Path = Path("/proc/self/status")) -> int:
    """The bytes of this process in memory: now (`VmRSS`) or at their peak (`VmHWM`)."""
    for line in status.read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise ValueError(f"{status} does not tell {field}")


def growth(make: Callable[[Shape], Call]) -> int:
    """How much more memory this process takes at most for steps of the large model."""
    make(TINY)()
    before = resident("VmRSS")
    step = make(SMOLLM2)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak of setting up, such as of drawing the weights
    step()
    step()
    return resident("VmHWM") - before


def measured(side: str) -> int:
    """`growth` of a side in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, side]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])  # noqa: S603


def main() -> None:
    """Measure all sides, or in the process of one, that."""
    if len(sys.argv) > 1:
        print(growth(SIDES[sys.argv[1]][0]))
        return
    shown = Table("side", "peak, MB", "of the first", "activations, MB", "of the first", box=None)
    first: tuple[float, float] | None = None
    for side, (_, each) in SIDES.items():
        whole = measured(side) / MEGABYTE
        rest = whole - each * SMOLLM2.parameters / MEGABYTE
        first = first or (whole, rest)
        shown.add_row(side, f"{whole:.0f}", f"{whole / first[0]:.2f}", f"{rest:.0f}", f"{rest / first[1]:.2f}")
    Console().print(shown)


if __name__ == "__main__":
    main()
