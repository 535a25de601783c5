"""The operations of fused expressions: what each is called, and how many numbers it takes."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Op(IntEnum):
    """An operation, number by number."""

    LEAF = 0  # no operation: an array
    SUM = 1  # over the axes that the result has not, or as 1
    DEFERRED = 2  # a function of whole arrays, not number by number
    COPY = 3  # x, repeated to the result's shape
    NEG = 4
    ABS = 5
    SIGN = 6  # -1, 0 or 1; NaN of NaN
    SQUARE = 7
    SQRT = 8
    RECIPROCAL = 9
    EXP = 10
    LOG = 11
    TANH = 12
    SIGMOID = 13
    ERF = 14
    RELU = 15
    GELU = 16
    GELU_ERF = 17
    SILU = 18
    ADD = 19
    SUB = 20
    MUL = 21
    DIV = 22
    MAXIMUM = 23  # the first of equal ones; NaN where either is NaN
    MINIMUM = 24
    GT = 25  # comparisons give 1 or 0
    GE = 26
    LT = 27
    LE = 28
    EQ = 29
    NE = 30
    RELU_GRADIENT = 31  # of (dy, y): 0 where y <= 0, else dy
    SIGMOID_GRADIENT = 32  # of (dy, y)
    TANH_GRADIENT = 33  # of (dy, y)
    GELU_GRADIENT = 34  # of (dy, x)
    GELU_ERF_GRADIENT = 35  # of (dy, x)
    SILU_GRADIENT = 36  # of (dy, x)
    WHERE = 37  # of (mask, a, b): a where the mask is not 0, else b
    FMA = 38  # of (a, b, c): a·b + c, rounded once


FIRST_OF_TWO: Final = Op.ADD
FIRST_OF_THREE: Final = Op.WHERE


def arity(op: Op) -> int:
    """How many numbers an operation takes."""
    if op < FIRST_OF_TWO:
        return 1
    return 2 if op < FIRST_OF_THREE else 3
