"""Fit the polynomial of `bendtorch.kernels.vecmath.exp`: run it to see where the coefficients come from.

exp(r) = 1 + r + r²·p(r) on |r| <= ln 2 / 2. The relative error is made even over the interval by least squares whose
weights grow where the error is large (Lawson's method), in float64; the coefficients are then rounded to float32.
"""

from __future__ import annotations

import math

import numpy as np

DEGREE = 5
POINTS = 4001
ROUNDS = 200


def fit() -> list[float]:
    """The coefficients of p, highest degree first, rounded to float32."""
    half = math.log(2) / 2 * (1 + 1e-4)
    r = half * np.cos(np.linspace(0, math.pi, POINTS))
    target = np.where(
        np.abs(r) < 1e-3, 0.5 + r / 6 + r**2 / 24 + r**3 / 120, (np.expm1(r) - r) / np.where(r == 0, 1, r**2)
    )
    basis = np.stack([r**k for k in range(DEGREE, -1, -1)], axis=1)
    scale = r**2 / np.exp(r)  # an error of p weighs this much in exp's relative error
    weights = np.ones_like(r)
    for _ in range(ROUNDS):
        w = np.sqrt(weights) * scale
        coefficients = np.linalg.lstsq(basis * w[:, None], target * w, rcond=None)[0]
        error = np.abs(basis @ coefficients - target) * scale
        weights *= error + 1e-12
        weights /= weights.sum()
    return [float(np.float32(c)) for c in coefficients]


if __name__ == "__main__":
    for coefficient in fit():
        print(f"{coefficient!r}")
