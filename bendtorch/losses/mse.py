"""Mean squared error: the mean over every number of (y - target)².

    y, target: n × c

The gradient of y is 2·(y - target) / (n·c).
"""

from __future__ import annotations

from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.mse import mse, mse_value
from bendtorch.losses.labels import refuse_empty
from bendtorch.losses.loss import Loss, LossOut
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec


def MSE(n: Dim[N], c: Dim[C]) -> Loss[Mat[N, C], Mat[N, C]]:
    """The mean squared error of `n` rows of `c` numbers: PyTorch's `F.mse_loss(y, target)`.

    Raises `ShapeError` or `DtypeError` for arrays of another shape or type, and `ShapeError` for an empty batch.

    Laws: L24 to L27, L31, L33, L35, L36, L51, L69; L31 weighted by rows.
    """
    name, shape = f"MSE({n}, {c})", (n, c)
    check_sizes(name, n=n, c=c)

    def arrays(y: Mat[N, C], target: Mat[N, C]) -> tuple[Mat[N, C], Mat[N, C]]:
        pair = guard_mat(y, shape, name, "y"), guard_mat(target, shape, name, "target")
        refuse_empty(name, n)
        return pair

    def grad(y: Mat[N, C], target: Mat[N, C]) -> LossOut[Mat[N, C]]:
        outputs, wanted = arrays(y, target)
        dy = empty_mat(n, c)
        return LossOut(mse(outputs, wanted, dy), dy)

    def value(y: Mat[N, C], target: Mat[N, C]) -> float:
        return mse_value(*arrays(y, target))

    return Loss(name, grad, value, mat_spec(n, c), mat_spec(n, c))
