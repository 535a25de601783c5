"""Cross-entropy: the mean over the rows of -log softmax(y)[label].

    y: n × c (logits)      target: n labels, each in 0 to c - 1

The gradient of y is (softmax(y) - onehot(label)) / n. With weights w of the classes, the mean is weighted by w[label].
With label smoothing ε, a row's loss is (1 - ε) times that, and ε / c times the sum of -w[j]·log softmax(y)[j] over all
classes j. The exponentials of a row are summed in blocks with a float64 total: a running float32 sum over 49 152
classes is 3.4 tolerances off.
"""

from __future__ import annotations

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.kernels.arrays import Matrix
from bendtorch.kernels.cross_entropy import cross_entropy
from bendtorch.kernels.memory import empty_mat
from bendtorch.losses.labels import Weights, classes
from bendtorch.losses.loss import Loss, LossOut
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import ids_spec, mat_spec


def CrossEntropy(
    n: Dim[N],
    c: Dim[C],
    *,
    ignore_index: int | None = None,
    weight: Weights | None = None,
    label_smoothing: float = 0.0,
) -> Loss[Mat[N, C], Ids[N]]:
    """Cross-entropy of `n` rows of `c` logits against labels: PyTorch's `F.cross_entropy(y, target)`.

    Rows whose label is `ignore_index` count neither in the mean nor in the gradient; without one, every label must be a
    class. (PyTorch's default is -100.) `weight` has a number for each class, by which its rows count. Where no row
    counts, loss and gradient are 0. `label_smoothing`, from 0 to 1, is the share of the target that is spread over all
    classes.

    Raises `ConfigError` for options that are not possible, `IndexRangeError` for a label outside of 0 to c - 1,
    `ShapeError` or `DtypeError` for arrays of another shape or type, and `ShapeError` for an empty batch, whose mean is
    not defined.

    Laws: L24 to L27, L31, L33, L35, L36, L51, L54, L69; L31 weighted by rows, L54 also of ignored rows.
    """
    name = f"CrossEntropy({n}, {c})"
    labels = classes(name, n, c, ignore_index, weight)
    if (
        isinstance(label_smoothing, bool)
        or not isinstance(label_smoothing, (int, float))
        or not 0 <= label_smoothing <= 1
    ):
        raise ConfigError(f"{name}: label_smoothing must be a number from 0 to 1, got {label_smoothing!r}")
    spread = float(labels.weights.mean(dtype=np.float64))
    smoothing, nothing = float(label_smoothing), empty_mat(0, c)

    def loss(y: Mat[N, C], target: Ids[N], dy: Matrix) -> float:
        logits, picked = labels.check(y, target)
        return cross_entropy(logits, picked, labels.weights, labels.ignored, smoothing, spread, dy)

    def grad(y: Mat[N, C], target: Ids[N]) -> LossOut[Mat[N, C]]:
        dy = empty_mat(n, c)
        return LossOut(loss(y, target, dy), dy)

    def grad_over(y: Mat[N, C], target: Ids[N]) -> LossOut[Mat[N, C]]:
        logits = guard_mat(y, (n, c), name, "y")
        return LossOut(loss(logits, target, logits), logits)

    def value(y: Mat[N, C], target: Ids[N]) -> float:
        return loss(y, target, nothing)

    over = None if smoothing else grad_over  # smoothing reads the logits again
    return Loss(name, grad, value, mat_spec(n, c), ids_spec(n, below=c), over)
