"""Negative log-likelihood: the mean over the rows of -y[label], for log-probabilities y.

    y: n × c (log-probabilities)      target: n labels, each in 0 to c - 1

With weights w of the classes the mean is weighted by w[label]. The gradient is -w[label] / (sum of the rows' weights)
at the label and zero elsewhere.
"""

from __future__ import annotations

from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.nll import nll_gradient, nll_value
from bendtorch.losses.labels import Weights, classes
from bendtorch.losses.loss import Loss, LossOut
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.spec import ids_spec, mat_spec


def NLL(
    n: Dim[N], c: Dim[C], *, ignore_index: int | None = None, weight: Weights | None = None
) -> Loss[Mat[N, C], Ids[N]]:
    """The negative log-likelihood of `n` rows of `c` log-probabilities: PyTorch's `F.nll_loss(y, target)`.

    Rows whose label is `ignore_index` count neither in the mean nor in the gradient; without one, every label must be a
    class. (PyTorch's default is -100.) `weight` has a number for each class, by which its rows count. Where no row
    counts, loss and gradient are 0.

    Raises `ConfigError` for options that are not possible, `IndexRangeError` for a label outside of 0 to c - 1,
    `ShapeError` or `DtypeError` for arrays of another shape or type, and `ShapeError` for an empty batch.

    Laws: L24 to L27, L31, L33, L35, L36, L51, L69; L31 weighted by rows.
    """
    name = f"NLL({n}, {c})"
    labels = classes(name, n, c, ignore_index, weight)

    def grad(y: Mat[N, C], target: Ids[N]) -> LossOut[Mat[N, C]]:
        likelihoods, picked = labels.check(y, target)
        dy = empty_mat(n, c)
        nll_gradient(picked, labels.weights, labels.ignored, dy)
        return LossOut(nll_value(likelihoods, picked, labels.weights, labels.ignored), dy)

    def value(y: Mat[N, C], target: Ids[N]) -> float:
        return nll_value(*labels.check(y, target), labels.weights, labels.ignored)

    return Loss(name, grad, value, mat_spec(n, c), ids_spec(n, below=c))
