"""How good a model's answers are."""

from __future__ import annotations

import numpy as np

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, N


def accuracy(logits: Mat[N, C], labels: Ids[N]) -> float:
    """The share of rows whose largest logit stands at the label.

    Raises `ShapeError` when there are no rows or not as many labels as rows.
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
    return float(np.mean(logits.argmax(axis=1) == labels))
