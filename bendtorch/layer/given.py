"""What users give, checked where it is taken apart: layers and losses, parameters, pairs, what a pass gives.

A pair is a tuple of two and parameters are what `init` made: an isinstance and a length, a tenth of a microsecond. What
lies inside is checked by whoever reads it. `layer` may be anything whose text names the layer; it is made only when
something is wrong.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from bendtorch.errors import DtypeError, ShapeError

Given = TypeVar("Given")

A_LAYER: Final = "a layer"
PARAMETERS: Final = "parameters"
GRADIENT: Final = "the gradient"
MODEL: Final = "model"  # who refuses parameters where no layer is at work
MADE: Final = {PARAMETERS: "take those of init(Key(0))", GRADIENT: "take the layer's own zeros()"}


def require(where: str, what: str, kind: type, *given: object) -> None:
    """Refuse what is not `what`, of type `kind`; who gives a constructor instead is told to call it."""
    for one in given:
        if not isinstance(one, kind):
            hint = "; call it with its sizes" if callable(one) else ""
            raise DtypeError(f"{where}: expected {what}, got {getattr(one, '__name__', repr(one))}{hint}")


def guard_pair(given: Given, layer: object, argument: str, form: str = "a pair") -> Given:
    """`given` when it is a tuple of two."""
    if isinstance(given, tuple) and len(given) == 2:
        return given
    raise wrong(given, layer, argument, form)


def guard_backward(p: object, s: object, g: object, layer: object, saved: int = 2) -> None:
    """Refuse parameters or a gradient that are no pair, or saved values that are no tuple of `saved`."""
    tuples = isinstance(p, tuple) and isinstance(s, tuple) and isinstance(g, tuple)
    if tuples and len(p) == 2 and len(g) == 2 and len(s) == saved:  # type: ignore[arg-type]
        return
    guard_pair(p, layer, PARAMETERS)
    guard_pair(g, layer, GRADIENT)
    raise wrong(s, layer, "the saved values", f"a tuple of {saved}")


def guard_record(given: Given, kind: type[Any], layer: object, argument: str = PARAMETERS) -> Given:
    """`given` when it is a `kind`, a layer's record of parameters."""
    if isinstance(given, kind):
        return given
    form = f"{kind.__name__}({', '.join(kind.__annotations__)})"
    raise DtypeError(f"{layer}: {argument} must be {form}, got {shown(given)}; {MADE[argument]}")


def wrong(given: object, layer: object, argument: str, form: str) -> DtypeError | ShapeError:
    """The error that says what was wanted and what came, and of parameters where they come from."""
    advice = f"; {MADE[argument]}" if argument in MADE else ""
    error = ShapeError if isinstance(given, tuple) else DtypeError
    return error(f"{getattr(layer, 'brief', layer)}: {argument} must be {form}, got {shown(given)}{advice}")


def shown(given: object) -> str:
    """What something is, for a message."""
    if isinstance(given, tuple):
        return f"a tuple of {len(given)}"
    shape = getattr(given, "shape", None)
    return type(given).__name__ if shape is None else f"an array of shape {list(shape)}"
