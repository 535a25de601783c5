"""What is to be reached, row by row, and the table of `docs/speed.md`.

    python -m reference.bench.targets              the table, without figures
    python -m reference.bench.targets FILE         with the figures of a run's --json

A target is a ratio (PyTorch's time over ours, medians), a share of a limit of the machine, either of the two, or a
time. It holds with two threads.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

THREADS: Final = 2
ELEMENTWISE: Final = ("ReLU", "Sigmoid", "Tanh", "SiLU", "GELU", "GELUErf", "Dropout")
PASSES: Final = ("forward", "backward")
SHAPES: Final = ("256×256 over 256", "256×128 over 784", "1024×576 over 1536", "1536×1536 over 1536")


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of work, its rows (`family/row`), and what each is to reach against rivals whose names begin so."""

    work: str
    rows: tuple[str, ...]
    rival: str
    ratio: float | None = None
    of_bandwidth: float | None = None
    of_flops: float | None = None
    seconds: float | None = None  # the most that it may take

    def __str__(self) -> str:
        """`≥ 1.3, or 90 % of the bandwidth`."""
        shares = ((self.of_bandwidth, "the bandwidth"), (self.of_flops, "the FMA peak"))
        parts = [f"≥ {self.ratio:g}"] if self.ratio is not None else []
        parts += [f"{100 * share:g} % of {limit}" for share, limit in shares if share is not None]
        parts += [f"≤ {self.seconds:g} s"] if self.seconds is not None else []
        return ", or ".join(parts)

    def reached(self, line: Mapping[str, Any]) -> bool:
        """Whether a line of the results reaches it."""
        pairs = (
            (self.ratio, line["speedup"]["median"]),
            (self.of_bandwidth, line["share_of_bandwidth"]),
            (self.of_flops, line["share_of_flops"]),
        )
        in_time = self.seconds is not None and line["ours"]["median"] <= self.seconds
        return in_time or any(wanted is not None and found is not None and found >= wanted for wanted, found in pairs)


def _passes(family: str, layers: Sequence[str], size: str) -> tuple[str, ...]:
    return tuple(f"{family}/{layer} {kind} {size}" for layer in layers for kind in PASSES)


def _products(*kinds: str) -> tuple[str, ...]:
    return tuple(f"products/{kind} {shape}" for kind in kinds for shape in SHAPES)


DIGITS: Final = "steps/digits 64-64-10, batch 32, Adam"
MLP: Final = "steps/MLP 784-128-10, batch 64, Adam"
TINY: Final = "llama/2×32, T 16, B 8, vocabulary 64"
SMALL: Final = "llama/4×288, T 128, B 4, vocabulary 8192"
READING: Final = "decoding/SmolLM2, a prompt of 128"
WRITING: Final = "decoding/SmolLM2, 16 tokens after 128, float32"
WRITING_16: Final = "decoding/SmolLM2, 16 tokens after 128, bfloat16"
SMOLLM2: Final = "llama/SmolLM2-135M, T 128, B 2"

TARGETS: Final = (
    Target("elementwise layers, 1 M", _passes("layers", ELEMENTWISE, "1024×1024"), "eager", 1.3, of_bandwidth=0.9),
    Target("exp, tanh, 1 M", ("elementary/exp 1024×1024", "elementary/tanh 1024×1024"), "eager", 3),
    Target("GELU-tanh, 1 M", _passes("layers", ["GELU"], "1024×1024"), "eager", 3),
    Target("softmax, rows of 128", _passes("row_wise", ["Softmax"], "4096×128"), "eager", 1.2),
    Target("softmax, rows of 49 152", _passes("row_wise", ["Softmax"], "256×49152"), "eager", 1.2),
    Target("cross-entropy, 256 × 49 152", ("losses/CrossEntropy 256×49152",), "eager", 10),
    Target("cross-entropy, 256 × 49 152", ("compiled/CrossEntropy 256×49152",), "compiled", 6),
    Target("RMSNorm, 1024 × 576", ("row_wise/RMSNorm both passes 1024×576",), "eager", 10),
    Target("RMSNorm, 1024 × 576", ("compiled/RMSNorm both passes 1024×576",), "compiled", 2.5),
    Target("LayerNorm, 1024 × 576", ("row_wise/LayerNorm both passes 1024×576",), "eager", 2),
    Target("LayerNorm, 1024 × 576", ("compiled/LayerNorm both passes 1024×576",), "compiled", 2.5),
    Target("attention, T = 128", _passes("attention", ["Attention"], "2×128, 3·3 heads of 64"), "eager", 2),
    Target("attention, T = 512", _passes("attention", ["Attention"], "4×512, 3·3 heads of 64"), "eager", 2),
    Target("products", _products("NT", "NN"), "mm", 0.95),
    Target("products that add", _products("TN add"), "addmm_", 0.95),
    Target("products of either kind", _products("NT", "NN", "TN add"), "", of_flops=0.82),
    Target("AdamW, 10 M", ("optimizers/AdamW 10 M",), "fused", 1.2),
    Target("AdamW packed, 10 M", ("optimizers/AdamW packed 10 M",), "fused", 1.4),
    Target("step of the digits network", (DIGITS,), "eager", 5),
    Target("step of the digits network", (f"{DIGITS}, compiled",), "compiled", 3),
    Target("step of an MLP 784-128-10", (MLP,), "eager", 2.5),
    Target("step of an MLP 784-128-10", (f"{MLP}, compiled",), "compiled", 2.5),
    Target("step of a tiny Llama", (TINY,), "eager", 7),
    Target("step of a tiny Llama", (f"{TINY}, compiled",), "compiled", 4),
    Target("step of a Llama 4 × 288", (SMALL,), "eager", 1.5),
    Target("step of a Llama 4 × 288", (f"{SMALL}, compiled",), "compiled", 1.25),
    Target("step of SmolLM2-135M", (SMOLLM2,), "transformers", 2.5),
    Target("step of SmolLM2-135M", (f"{SMOLLM2}, compiled",), "compiled", 1.5),
    Target("SmolLM2 reading a prompt", (READING,), "transformers", 1),
    Target("SmolLM2 reading a prompt", (READING,), "llama.cpp", 1),
    Target("SmolLM2 writing, float32", (WRITING,), "transformers", 3),
    Target("SmolLM2 writing, float32", (WRITING,), "llama.cpp", 1.05),
    Target("SmolLM2 writing, float32", (WRITING,), "", of_bandwidth=0.8),
    Target("SmolLM2 writing, bfloat16", (WRITING_16,), "llama.cpp", 1),
    Target("import and first step, digits network", ("start/import and first step",), "", seconds=1.5),
)


def target_of(line: Mapping[str, Any]) -> Target | None:
    """The target of a line of the results: the one with the highest ratio, where there are several."""
    path, rival = f"{line['family']}/{line['name']}", str(line["rival"])
    found = [target for target in TARGETS if path in target.rows and rival.startswith(target.rival)]
    return max(found, key=lambda target: target.ratio or 0, default=None)


def markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """The table of targets, with the least that each kind of work reached, where it was measured."""
    rows = ["| work | against | target | reached | rows |", "|---|---|---|---|---|"]
    for target in TARGETS:
        names = ", ".join(f"`{name}`" for name in _short(target.rows))
        rows.append(f"| {target.work} | {target.rival} | {target} | {_figure(target, lines)} | {names} |")
    return "\n".join(rows)


def _short(rows: Sequence[str]) -> Iterator[str]:
    """Row names; of many the first and the last."""
    yield from rows if len(rows) <= 2 else (rows[0], "…", rows[-1])


def _figure(target: Target, lines: Sequence[Mapping[str, Any]]) -> str:
    """The row that is farthest from its target, with a mark when all reach it; empty where one was not measured."""
    found = [
        line
        for line in lines
        if f"{line['family']}/{line['name']}" in target.rows
        and str(line["rival"]).startswith(target.rival)
        and line["threads"] in (THREADS, None)
    ]
    if {f"{line['family']}/{line['name']}" for line in found} != set(target.rows):
        return ""
    worst = min(found, key=lambda line: (target.reached(line), line["speedup"]["median"]))
    shares = ((worst["share_of_bandwidth"], "bandwidth"), (worst["share_of_flops"], "FMA"))
    said = "".join(f", {100 * share:.0f} % {limit}" for share, limit in shares if share is not None)
    said += f", {worst['ours']['median']:.2f} s" if target.seconds is not None else ""
    return f"{'yes' if target.reached(worst) else 'no'}: {worst['speedup']['median']:.2f}{said}"


if __name__ == "__main__":
    results = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["rows"] if len(sys.argv) > 1 else []
    sys.stdout.write(f"{markdown(results)}\n")
