"""A loss as a layer: from the model's output to one number, for a fixed target. So the laws of layers are its laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch.laws.nest import mapped
from bendtorch.laws.trial import AnyLayer
from bendtorch.layer import Bwd, Fwd, Info, make_layer, no_params
from bendtorch.losses.loss import Loss
from bendtorch.shapes.spec import mat_spec


def loss_layer(loss: Loss[Any, Any], target: Any) -> AnyLayer:
    """The layer y = loss(x, target), one row of one number, and dx = dy times the loss's gradient."""

    def fwd(p: Any, x: Any) -> Any:
        return Fwd(np.array([[loss.value(x, target)]], np.float32), x)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        gradient = loss.grad(s, target).dy
        return Bwd(mapped(lambda a: a * dy[0, 0] if a.dtype.kind == "f" else a, gradient), g)

    name = loss.name.split("(", 1)[0]
    return make_layer(no_params(), fwd, bwd, Info(name, {}, loss.takes, mat_spec(1, 1)))
