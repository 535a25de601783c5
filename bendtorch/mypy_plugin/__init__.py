"""The mypy plugin. In a project's settings, `plugins = ["bendtorch.mypy_plugin"]` is all that is needed.

    poly, size_text         arithmetic of sizes, and sizes as text; they know nothing of mypy
    types, show, wording    between mypy's types, polynomials and the user's words
    annotations, expose     sizes in annotations
    bindings, expressions   the size that an argument expression denotes
    calls                   the hooks for calls, in the order in which they do their work:
      dimensions, solve, proofs, rename, seams, records
    chain, partial, arrays  `>>` and `Seq`, `functools.partial`, numpy's operators
    messages, watch         mypy's own messages in the user's words
    faults, plugin          the wrapper around all hooks, and the plugin class

It imports nothing of the rest of the package.
"""

from __future__ import annotations

from mypy.plugin import Plugin

from bendtorch.mypy_plugin.plugin import BendPlugin


def plugin(version: str) -> type[Plugin]:
    """Mypy's entry point."""
    return BendPlugin
