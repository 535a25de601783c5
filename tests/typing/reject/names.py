"""Names that the package has not: it loads its own when they are asked for, and no others."""

from __future__ import annotations

import bendtorch
from bendtorch import Linear, Nonsense, grad  # E: Module "bendtorch" has no attribute "Nonsense"  [attr-defined]


def names() -> None:
    bendtorch.nonsense(3)  # E: Module has no attribute "nonsense"  [attr-defined]
    bendtorch.Linear(2, 3, 4) >> Linear(2, 5, 4)  # E: >>: the left Linear gives Mat[2, 4], the right Linear takes Mat[2, 5]  [bend-shape]
    grad.nonsense(3)  # E: Module has no attribute "nonsense"  [attr-defined]
