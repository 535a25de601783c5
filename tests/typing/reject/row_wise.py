"""Wrong widths and arguments of softmax and the norms."""

from __future__ import annotations

from typing import Any

from bendtorch import Affine, Dim, Layer, LayerNorm, Linear, Mat, RMSNorm, Softmax, mat
from bendtorch.shapes.dims import D, N

Linear(3, 4, 5) >> Softmax(3, 4)  # E: >>: Linear gives Mat[3, 5], Softmax takes Mat[3, 4]  [bend-shape]
LayerNorm(3, 4) >> Linear(3, 5, 4)  # E: >>: LayerNorm gives Mat[3, 4], Linear takes Mat[3, 5]  [bend-shape]
LayerNorm(3, 4, eps="1e-5")  # E: Argument "eps" to "LayerNorm" has incompatible type "str"; expected "float"  [arg-type]
RMSNorm(3, 4).fwd(mat(4, 1, []), mat(3, 4, []))  # E: Layer.fwd: "p" is Mat[4, 1], expected Mat[1, 4]; turn it round with .T  [arg-type]
LayerNorm(3, 4).fwd(mat(1, 4, []), mat(3, 4, []))  # E: Layer.fwd: "p" is Mat[1, 4], expected Affine[4]  [arg-type]
Affine(mat(1, 4, []), mat(1, 5, []))  # E: Affine: "weight" is Mat[1, 4], "bias" is Mat[1, 5]  [bend-shape]


def norm(n: Dim[N], d: Dim[D]) -> Layer[Mat[1, D], Mat[N, D], Mat[N, D], Any]:
    return RMSNorm(d, n)  # E: the returned value has parameters Mat[1, N], declared Mat[1, D]; takes Mat[D, N], declared Mat[N, D]; gives Mat[D, N], declared Mat[N, D]  [return-value]
