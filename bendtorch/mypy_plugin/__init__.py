"""The mypy plugin. In a project's settings, `plugins = ["bendtorch.mypy_plugin"]` is all that is needed.

    poly, size_text         arithmetic of sizes, and sizes as text; they know nothing of mypy
    types, queries          between mypy's types and polynomials; questions about types
    show, wording           types in the user's words, from types and from mypy's text
    annotations, expose     sizes in annotations, and the names inside of strings
    bindings, expressions   the size that an argument expression denotes
    loops, mentions         names that are bound once in each turn of a loop
    reasons                 why an expression denotes none
    fixed                   numbers known only at run time
    calls                   the hooks for calls, in the order in which they do their work:
      call, limits, dimensions, solve, options, proofs, rename, seams; records for a layer's own functions
    chain, middle, blind    `>>` and `Seq`, with formula and picture
    partial                 `functools.partial`
    numpy_calls             numpy's functions and methods, which of them is answered by what:
      array_types, arrays, making, indexing, fitting, broadcasting, updates, reductions, joining
    messages, watch         mypy's own messages in the user's words, with misplaced and remedies
    defaults                numbers that are the defaults of size parameters
    faults, plugin          the wrapper around all hooks, and the plugin class

It imports nothing of the rest of the package.
"""

from __future__ import annotations

from mypy.plugin import Plugin

from bendtorch.mypy_plugin.plugin import BendPlugin


def plugin(version: str) -> type[Plugin]:
    """Mypy's entry point."""
    return BendPlugin
