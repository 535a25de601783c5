"""Cross-entropy: the mean over the rows of -log softmax(y)[label].

    y: n × c (logits)      target: n labels, each in 0 to c - 1

The gradient of y is (softmax(y) - onehot(label)) / n. The exponentials of a row are summed in blocks with a float64
total: a running float32 sum over 49 152 classes is 3.4 tolerances off.
"""

from __future__ import annotations

from bendtorch.errors import IndexRangeError, ShapeError
from bendtorch.kernels.cross_entropy import cross_entropy, cross_entropy_value
from bendtorch.kernels.labels import first_outside
from bendtorch.kernels.memory import empty_mat
from bendtorch.losses.loss import Loss, LossOut
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_ids, guard_mat
from bendtorch.shapes.spec import check_sizes


def CrossEntropy(n: Dim[N], c: Dim[C]) -> Loss[Mat[N, C], Ids[N]]:
    """Cross-entropy of `n` rows of `c` logits against labels: PyTorch's `F.cross_entropy(y, target)`.

    Raises `IndexRangeError` for a label outside of 0 to c - 1, `ShapeError` or `DtypeError` for arrays of another shape
    or type, and `ShapeError` for an empty batch, whose mean is not defined.

    Laws: L24, L25, L31 (weighted by rows), L33, L36, L54, L69.
    """
    name = f"CrossEntropy({n}, {c})"
    check_sizes(name, n=n, c=c)

    def arrays(y: Mat[N, C], target: Ids[N]) -> tuple[Mat[N, C], Ids[N]]:
        logits, labels = guard_mat(y, (n, c), name, "y"), guard_ids(target, n, name, "target")
        if n == 0:
            raise ShapeError(f"{name}: the mean over an empty batch is not defined; skip empty batches")
        wrong = first_outside(labels, c, 0)
        if wrong >= 0:
            raise IndexRangeError(f"{name}: target[{wrong}] is {labels[wrong]}, labels go from 0 to {c - 1}")
        return logits, labels

    def grad(y: Mat[N, C], target: Ids[N]) -> LossOut[Mat[N, C]]:
        logits, labels = arrays(y, target)
        dy = empty_mat(n, c)
        return LossOut(cross_entropy(logits, labels, dy), dy)

    def value(y: Mat[N, C], target: Ids[N]) -> float:
        return cross_entropy_value(*arrays(y, target))

    return Loss(name, grad, value)
