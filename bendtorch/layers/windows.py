"""What the layers share that slide a window over images: sizes that fit, and what such a layer says of itself."""

from __future__ import annotations

from collections.abc import Mapping

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.kernels.windows import Window
from bendtorch.layer import Info
from bendtorch.shapes.spec import Spec, check_sizes, mat_spec


def window_of(kind: str, sizes: Mapping[str, int], kh: int, kw: int, stride: int, padding: int) -> Window:
    """The windows of kh × kw of a layer `kind(*sizes)`, whose images are sizes c × h × w.

    Raises `ShapeError` for sizes that are not possible, and for a window larger than the padded image.
    """
    name = f"{kind}({', '.join(map(str, sizes.values()))})"
    check_sizes(name, rows=("n", "padding"), **sizes, stride=stride, padding=padding)
    c, h, w = sizes["c"], sizes["h"], sizes["w"]
    for what, size, side in (("high", h, kh), ("wide", w, kw)):
        if side > size + 2 * padding:
            padded = f", {size + 2 * padding} with its padding of {padding}" if padding else ""
            raise ShapeError(
                f"{name}: the window is {side} {what}, the image only {size}{padded}; "
                "take a smaller window, or more padding"
            )
    rows, columns = (h + 2 * padding - kh) // stride + 1, (w + 2 * padding - kw) // stride + 1
    return Window(c, h, w, kh, kw, stride, padding, rows, columns)


def pool_window(kind: str, sizes: Mapping[str, int], stride: int, padding: int) -> Window:
    """The windows of k × k of a pool. Raises `ConfigError` for a padding of more than half a window, as PyTorch does.

    With more, a window could lie on padding alone, and would have no largest number.
    """
    k = sizes["k"]
    window = window_of(kind, sizes, k, k, stride, padding)
    if 2 * padding > k:
        raise ConfigError(
            f"{kind}({', '.join(map(str, sizes.values()))}): padding is at most half of the window, "
            f"got {padding} for a window of {k}; take at most {k // 2}"
        )
    return window


def window_info(kind: str, sizes: Mapping[str, int], outputs: int, w: Window, saves: Spec | None = None) -> Info:
    """What the layer says of itself; it gives `outputs` channels, and saves its input unless told otherwise."""
    n = sizes["n"]
    takes, gives = mat_spec(n, w.channels * w.height * w.width), mat_spec(n, outputs * w.rows * w.columns)
    saves = takes if saves is None else saves
    return Info(kind, sizes, takes, gives, saves, options={"stride": w.stride, "padding": w.padding})
