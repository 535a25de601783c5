"""`bendtorch summary module:name`: a model as a tree of its layers."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from bendtorch.errors import ConfigError
from bendtorch.layer.protocol import Layer
from bendtorch.shapes.spec import show_spec, spec_bytes

AnyLayer = Layer[Any, Any, Any, Any]

TARGET: Final = re.compile(r"(?P<module>[\w./]+):(?P<name>[A-Za-z_]\w*)(?:\((?P<sizes>[\d,\s]*)\))?")
UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")


def summary(target: str) -> int:
    """Print the layers of a model, what each takes, gives and saves, its parameters, and the totals.

    `target` names a layer, or a function that builds one: `models:mlp(32)` calls `mlp` with these sizes, `models:mlp`
    with 1 for each. A file's path (`examples/digits.py:mlp`) is taken for a module too. Raises `ConfigError` when the
    target cannot be found or is not a layer.
    """
    Console(width=None if sys.stdout.isatty() else 120).print(summary_table(find_layer(target)))
    return 0


def find_layer(target: str) -> AnyLayer:
    """The layer that a target names."""
    parts = TARGET.fullmatch(target)
    if parts is None:
        raise ConfigError(f"expected module:name or module:name(sizes), got {target!r}")
    found = getattr(_module(parts["module"]), parts["name"], None)
    if found is None:
        raise ConfigError(f"module {parts['module']} has no {parts['name']!r}")
    if callable(found) and not isinstance(found, Layer):
        found = found(*_sizes(found, parts["sizes"]))
    if not isinstance(found, Layer):
        raise ConfigError(f"{target} is a {type(found).__name__}, not a layer")
    return found


def _module(name: str) -> Any:
    """A module by its name or its file's path, looked up from the working directory too."""
    if name.endswith(".py") or "/" in name:
        name = name.removesuffix(".py").removeprefix("./").replace("/", ".")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        raise ConfigError(f"cannot import {name} ({problem})") from None


def _sizes(function: Any, given: str | None) -> list[int]:
    """The sizes to call a function with."""
    if given is not None:
        return [int(size) for size in given.split(",") if size.strip()]
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    return [1] * len(required)


def summary_table(model: AnyLayer) -> Table:
    """The tree as a table, with a line of totals."""
    table = Table(title=None, show_edge=False, pad_edge=False)
    table.add_column("layer", no_wrap=True)
    for name in ("takes", "gives"):
        table.add_column(name)
    for name in ("parameters", "saved"):
        table.add_column(name, justify="right")
    _add_rows(table, model, "", "")
    saved = show_bytes(spec_bytes(model.info.saves))
    table.add_section()
    table.add_row("total", "", "", f"{model.count():,}", saved, style="bold")
    table.caption = f"parameters take {show_bytes(4 * model.count())}"
    return table


def _add_rows(table: Table, layer: AnyLayer, first: str, rest: str) -> None:
    """A layer's row, then its parts' rows; `first` is drawn before its own name, `rest` before its parts'."""
    info, parts = layer.info, layer.info.parts
    name = info.name if parts else str(info)
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
