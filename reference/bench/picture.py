"""The results as a picture: ratios as bars with PyTorch as a line, beside them the share of the limit they came to.

Each row is drawn at the largest number of threads that it was measured with. A target is a mark on its bar.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from reference.bench.report import Result
from reference.bench.targets import target_of

AHEAD, BEHIND, SHARE, MARK = "#2a7f62", "#b5443c", "#4f6d9a", "#222222"
ROW: Final = 0.22  # inches
WIDTH: Final = 14.0


def drawn(lines: Sequence[Result]) -> list[Result]:
    """The lines of the picture: of each row and rival the one with the most threads, in their order."""
    chosen: dict[tuple[str, str, str], Result] = {}
    for line in lines:
        key = (line.family, line.name, line.rival)
        if key not in chosen or (line.threads or 0) >= (chosen[key].threads or 0):
            chosen[key] = line
    return list(chosen.values())


def share_of_limit(line: Result) -> float | None:
    """The larger of the two shares: the limit that counts."""
    shares = [share for share in (line.share_of_flops, line.share_of_bandwidth) if share is not None]
    return max(shares, default=None)


def draw(lines: Sequence[Result], title: str) -> Any:
    """The picture, as a figure of matplotlib. Raises `ValueError` where there is no line to draw."""
    from matplotlib.figure import Figure  # noqa: PLC0415  only who draws needs it

    shown = drawn(lines)
    if not shown:
        raise ValueError("a picture needs at least one line")
    figure = Figure(figsize=(WIDTH, 1.4 + ROW * len(shown)), layout="constrained")
    ratios, shares = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1))
    places = range(len(shown))
    _ratios(ratios, shown)
    _shares(shares, shown)
    ratios.set_yticks(places, [f"{line.family}/{line.name} · {line.rival}" for line in shown], fontsize=7)
    ratios.set_ylim(len(shown) - 0.5, -0.5)
    figure.suptitle(title, fontsize=10)
    return figure


def _ratios(axes: Any, shown: Sequence[Result]) -> None:
    """Bars from 1 to each ratio, on a logarithmic scale, with quartiles; the line is PyTorch."""
    medians = [line.speedup.median for line in shown]
    spreads = [
        [line.speedup.median - line.speedup.low for line in shown],
        [line.speedup.high - line.speedup.median for line in shown],
    ]
    colours = [AHEAD if median >= 1 else BEHIND for median in medians]
    axes.barh(
        range(len(shown)), [median - 1 for median in medians], left=1, xerr=spreads, color=colours, ecolor=MARK,
        error_kw={"linewidth": 0.7},
    )  # fmt: skip
    axes.axvline(1, color=MARK, linewidth=1)
    for place, line in enumerate(shown):
        target = target_of(dataclasses.asdict(line))
        if target is not None and target.ratio is not None:
            axes.plot([target.ratio] * 2, [place - 0.45, place + 0.45], color=MARK, linewidth=2)
    axes.set_xscale("log")
    axes.set_xlabel("PyTorch's time over ours; thick marks are targets")


def _shares(axes: Any, shown: Sequence[Result]) -> None:
    """Bars up to each share of the limit; the line is the limit."""
    found = [(place, share) for place, share in enumerate(map(share_of_limit, shown)) if share is not None]
    axes.barh([place for place, _ in found], [100 * share for _, share in found], color=SHARE)
    axes.axvline(100, color=MARK, linewidth=1)
    axes.set_xlabel("% of the FMA peak or bandwidth; above: from a cache")


def save(lines: Sequence[Result], title: str, path: Path) -> None:
    """Write the picture; the file's name says in which format (.png, .svg, .pdf)."""
    draw(lines, title).savefig(path, dpi=150)
