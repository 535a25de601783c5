"""The benchmark's results: as a table, and as JSON."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from reference.bench.limits import Limits
from reference.bench.neighbours import disturbed
from reference.bench.registry import OURS, Row
from reference.bench.statistics import Spread, share, speedup, spread

UNITS: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
PACKAGES: Final = ("bendtorch", "torch", "numpy", "numba", "scipy-openblas64")


@dataclass(frozen=True, slots=True)
class Result:
    """One row against one rival, at one number of threads. Times are in seconds."""

    family: str
    name: str
    threads: int | None
    rival: str
    ours: Spread
    theirs: Spread
    speedup: Spread
    flops: float
    traffic: float
    share_of_flops: float | None
    share_of_bandwidth: float | None
    others: float | None


def results(
    family: str, row: Row, limits: Limits | None, times: dict[str, list[float]], others: float | None
) -> list[Result]:
    """What the times of a row say, for each of its rivals; `others` is the share that other processes had meanwhile."""
    ours = spread(times[OURS])
    return [
        Result(
            family=family,
            name=row.name,
            threads=limits.threads if limits else None,
            rival=rival,
            ours=ours,
            theirs=spread(theirs),
            speedup=speedup(times[OURS], theirs),
            flops=row.flops,
            traffic=row.traffic,
            share_of_flops=share(row.flops, ours.median, limits.flops) if limits else None,
            share_of_bandwidth=share(row.traffic, ours.median, limits.bandwidth) if limits else None,
            others=others,
        )
        for rival, theirs in times.items()
        if rival != OURS
    ]


def table(family: str, lines: Sequence[Result]) -> Table:
    """The results of a family: speed-ups (above 1 ours is faster), and our shares of the FMA and memory limits.

    `others` is what other processes had of the processors, where it was enough to spoil the line.
    """
    shown = Table(title=family, title_justify="left", box=None, pad_edge=False, header_style="dim", padding=(0, 2))
    for heading in ("work", "threads", "ours", "PyTorch", "", "speed-up", "FMA", "memory", "others"):
        shown.add_column(heading, justify="left" if heading in {"work", ""} else "right", no_wrap=True)
    for line in lines:
        shown.add_row(
            line.name,
            "" if line.threads is None else str(line.threads),
            show_time(line.ours),
            show_time(line.theirs),
            line.rival,
            show_speedup(line.speedup),
            show_share(line.share_of_flops),
            show_share(line.share_of_bandwidth),
            show_others(line.others),
        )
    return shown


def show_time(seconds: Spread) -> str:
    """A median with its quartiles, in the unit that suits it: `12.3 µs (12.1–12.9)`."""
    size, unit = next((u for u in UNITS if seconds.median >= u[0]), UNITS[-1])
    low, median, high = (f"{value / size:.3g}" for value in (seconds.low, seconds.median, seconds.high))
    return f"{median} {unit} ({low}–{high})"


def show_speedup(ratio: Spread) -> str:
    """A ratio with its quartiles; green where ours is faster for certain, red where it is slower."""
    text = f"{ratio.median:.2f} ({ratio.low:.2f}–{ratio.high:.2f})"
    if ratio.low > 1:
        return f"[green]{text}[/]"
    return f"[red]{text}[/]" if ratio.high < 1 else text


def show_share(value: float | None) -> str:
    """A share of a limit in per cent."""
    return "" if value is None else f"{100 * value:.0f} %" if value >= 0.005 else "<1 %"


def show_others(value: float | None) -> str:
    """The share of other processes where it matters."""
    return f"[yellow]{100 * value:.0f} %[/]" if value is not None and disturbed(value) else ""


def machine() -> dict[str, Any]:
    """What ran the benchmark."""
    return {
        "processor": processor(Path("/proc/cpuinfo")),
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def processor(information: Path) -> str:
    """The processor's name as the system gives it."""
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def to_json(limits: Sequence[Limits], lines: Sequence[Result]) -> str:
    """Everything, for other programs. Times in seconds, FLOPs and bytes in units."""
    return json.dumps(
        {
            "machine": machine(),
            "limits": [dataclasses.asdict(limit) for limit in limits],
            "rows": [dataclasses.asdict(line) for line in lines],
        },
        indent=1,
        ensure_ascii=False,
    )
