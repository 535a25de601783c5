"""How good a model's answers are."""

from __future__ import annotations

import numpy as np

from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
from bendtorch.kernels.labels import first_outside
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, N
from bendtorch.shapes.guard import guard_ids, guard_mat


def accuracy(logits: Mat[N, C], labels: Ids[N]) -> float:
    """The share of rows whose largest logit stands at the label; of a row with a NaN none is largest, so it is wrong.

    Raises `ShapeError` when there are no rows or not as many labels as rows, `DtypeError` for logits that are not
    float32 or labels that are not integers, and `IndexRangeError` for a label that is none of the columns.
    """
    logits, labels = np.asarray(logits), np.asarray(labels)
    if logits.ndim != 2 or not np.issubdtype(labels.dtype, np.integer):
        raise DtypeError(
            f"accuracy: expected logits Mat[n, c] and integer labels, got {logits.dtype} of shape {list(logits.shape)} "
            f"and labels of {labels.dtype}"
        )
    if len(logits) == 0 or labels.shape != (len(logits),):
        raise ShapeError(
            f"accuracy: logits has {len(logits)} rows, labels has shape {list(labels.shape)}; "
            "give as many labels as rows, and at least one"
        )
    logits = guard_mat(logits, (len(logits), logits.shape[1]), "accuracy", "logits")
    wrong = first_outside(guard_ids(labels, len(logits), "accuracy", "labels"), logits.shape[1])
    if wrong >= 0:
        raise IndexRangeError(
            f"accuracy: labels[{wrong}] is {labels[wrong]}, labels go from 0 to {logits.shape[1] - 1}; "
            "leave rows out that have none"
        )
    right = (logits.argmax(axis=1) == labels) & ~np.isnan(logits.max(axis=1))
    return float(np.mean(right))
