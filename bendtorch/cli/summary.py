"""`bendtorch summary module:name`: a model as a tree of its layers."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console
from rich.table import Table

from bendtorch.cli.target import AnyLayer, find_layer
from bendtorch.shapes.spec import show_spec, spec_bytes

UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")


def summary(target: str) -> int:
    """Print the layers of a model, what each takes, gives and saves, its parameters, and the totals.

    `target` names a layer, or a function that builds one: `models:mlp(32)` calls `mlp` with these sizes, `models:mlp`
    with 1 for each. A file's path (`examples/digits.py:mlp`) is taken for a module too. Raises `ConfigError` when the
    target cannot be found, is not a layer, or fails: then it says whether the module or the function did.
    """
    Console(width=None if sys.stdout.isatty() else 120).print(summary_table(find_layer(target)))
    return 0


def summary_table(model: AnyLayer) -> Table:
    """The tree as a table, with a line of totals."""
    table = Table(title=None, show_edge=False, pad_edge=False)
    table.add_column("layer", no_wrap=True)
    for name in ("takes", "gives"):
        table.add_column(name)
    for name in ("parameters", "saved"):
        table.add_column(name, justify="right")
    _add_rows(table, model, "", "")
    saved = "?" if model.info.saves is None else show_bytes(spec_bytes(model.info.saves))
    table.add_section()
    table.add_row("total", "", "", f"{model.count():,}", saved, style="bold")
    table.caption = f"parameters take {show_bytes(4 * model.count())}"
    return table


def _add_rows(table: Table, layer: AnyLayer, first: str, rest: str) -> None:
    """A layer's row, then its parts' rows; `first` is drawn before its own name, `rest` before its parts'."""
    info, parts = layer.info, layer.info.parts
    name = f"{info.name}({', '.join(map(str, info.sizes.values()))})" if info.sizes else info.name
    saved = show_bytes(spec_bytes(info.saves)) if info.saves is not None else "?"
    table.add_row(f"{first}{name}", show_spec(info.takes), show_spec(info.gives), f"{layer.count():,}", saved)
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        _add_rows(table, part, f"{rest}{'└─ ' if last else '├─ '}", f"{rest}{'   ' if last else '│  '}")


def show_bytes(count: int) -> str:
    """A number of bytes in the unit that suits it."""
    size, unit = float(count), 0
    while size >= 1024 and unit < len(UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f} {UNITS[unit]}" if unit == 0 else f"{size:.1f} {UNITS[unit]}"
