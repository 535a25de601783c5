"""Into how many chunks the work of a language model's step is cut, and what 64 threads could make of it.

    python -m reference.bench.many_cores

The counts come from the functions that the kernels call: they follow from the sizes alone, whatever machine it is. With
equal chunks c, t threads are at most c / ceil(c / t) times as fast as one; that is the arithmetic, not a measurement.
The sizes are those of SmolLM2-135M, with 256 and with 8192 rows (a batch of 2 and of 64 sequences of 128).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final

from bendtorch.kernels import attention_grid, mapping, optimizer, products, row_runs, rows
from bendtorch.kernels.parallel import chunks_of

THREADS: Final = 64
SEQUENCES: Final = (2, 64)
T, D, F, V, KV, G, HD = 128, 576, 1536, 49_152, 3, 3, 64
PARAMETERS: Final = 134_515_008


def fastest(chunks: int, threads: int) -> float:
    """How many times as fast as one thread `threads` are at most, with equal chunks."""
    return chunks / -(-chunks // threads) if chunks else 1.0


def counts(sequences: int) -> Iterator[tuple[str, int]]:
    """Each kind of work with its chunks."""
    n = sequences * T
    heads: Any = attention_grid.Heads(T, T, KV, G, HD, True, 0)
    yield f"product {n}×{D} over {D}", products.tiling(n, D, D)[0]
    yield f"product {n}×{F} over {D}", products.tiling(n, F, D)[0]
    yield f"logits, {n}×{V} over {D}", products.tiling(n, V, D)[0]
    yield f"gradient of the logits' input, {n}×{D} over {V}", products.tiling(n, D, V)[0]
    yield f"gradient of the table, {V}×{D} over {n}", products.tiling(V, D, n)[0]
    yield f"RMSNorm forward {n}×{D}", chunks_of(n, rows.rows_of_chunk(D))
    yield f"RMSNorm backward {n}×{D}", chunks_of(row_runs.runs_of_rows(n), row_runs.runs_of_chunk(D))
    yield f"SiLU {n}×{F}", chunks_of(n * F, mapping.CHUNK)
    yield (
        f"attention forward, {sequences} × {T}",
        attention_grid.run_count(attention_grid.forward_items(sequences, heads)),
    )
    yield (
        f"attention backward, {sequences} × {T}",
        attention_grid.run_count(attention_grid.backward_items(sequences, heads)),
    )
    yield f"cross-entropy {n}×{V}", chunks_of(n, rows.rows_of_chunk(V))
    yield f"AdamW, {PARAMETERS:,} parameters", chunks_of(PARAMETERS, optimizer.CHUNK)


def markdown() -> str:
    """The table of `docs/speed.md`."""
    lines = [f"| work | chunks | at most, with {THREADS} threads |", "|---|---|---|"]
    for sequences in SEQUENCES:
        for work, chunks in counts(sequences):
            lines.append(f"| {work} | {chunks} | {fastest(chunks, THREADS):.0f} × |")
    return "\n".join(dict.fromkeys(lines))  # what does not depend on the batch is said once


if __name__ == "__main__":
    sys.stdout.write(f"{markdown()}\n")
