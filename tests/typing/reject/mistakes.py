"""Ten typical mistakes. `docs/mistakes.md` is made from this file: a function's first line is the title."""

from __future__ import annotations

import numpy as np

from bendtorch import (
    Bwd,
    CrossEntropy,
    Dim,
    Fork,
    Fwd,
    Key,
    Layer,
    Linear,
    LinearNB,
    Mat,
    ReLU,
    Reshape,
    Residual,
    SGD,
    Tie,
    Train,
    ids,
    make_layer,
    mat,
)
from bendtorch.layer import matrix
from bendtorch.shapes.dims import I, N, O


def wrong_width() -> None:
    """A wrong width.

    A layer must take as many columns as the layer before it gives: here the last one must be `Linear(32, 128, 10)`.
    """
    model = Linear(32, 784, 128) >> ReLU(32, 128) >> Linear(32, 100, 10)  # E: >>: ReLU gives Mat[32, 128], Linear takes Mat[32, 100]  [bend-shape]


def swapped_arguments() -> None:
    """Swapped arguments.

    Sizes come in the order rows, inputs, outputs: `Linear(32, 784, 128)`.
    """
    model = Linear(32, 128, 784) >> ReLU(32, 128)  # E: >>: Linear gives Mat[32, 784], ReLU takes Mat[32, 128]  [bend-shape]


def forgotten_batch() -> None:
    """A forgotten batch.

    Layers take matrices, one row for each example. A single example is a batch of one: a model for one row, and
    `images[:1]`.
    """
    model = Linear(32, 784, 10)
    images = mat(32, 784, np.load("images.npy"))
    model.fwd(model.init(Key(0)), images[0])  # E: Layer.fwd: "x" is float32[784], the layer takes Mat[32, 784]; give a matrix, a row for each example  [arg-type]


def heads_that_do_not_divide(n: Dim[N]) -> None:
    """Heads that do not divide the width.

    Five heads of 64 // 5 = 12 columns are 60, not 64. Choose a number of heads that divides the width.
    """
    split_heads = Reshape(n, 64, n * 5, 64 // 5)  # E: Reshape: i*n = 64*N but m*o = 60*N  [bend-proof]


def transposed_gradient(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Mat[I, O], Mat[N, I], Mat[N, O], Mat[N, I]]:
    """A transposed gradient.

    The gradient of a weight has the weight's own shape: `g + s.T @ dy`.
    """

    def fwd(p: Mat[I, O], x: Mat[N, I]) -> Fwd[Mat[N, O], Mat[N, I]]:
        return Fwd(x @ p, x)

    def bwd(p: Mat[I, O], s: Mat[N, I], dy: Mat[N, O], g: Mat[I, O]) -> Bwd[Mat[I, O], Mat[N, I]]:
        return Bwd(dy @ p.T, g + dy.T @ s)  # E: Mat[I, O] and Mat[O, I] have different shapes; turn one of them round with .T  [bend-shape]

    return make_layer(matrix(i, o), fwd, bwd)


def wrong_label_type() -> None:
    """Labels of the wrong type.

    Cross-entropy takes class numbers, int32 or int64. Use the file's numbers as they are: `ids(32, labels)`.
    """
    model, loss = Linear(32, 784, 10), CrossEntropy(32, 10)
    train = Train.new(model, SGD(0.1), model.init(Key(0)))
    train.step(model, loss, mat(32, 784, np.load("images.npy")), np.zeros(32, np.float32))  # E: Train.step: "loss" is Loss[Mat[32, 10], Ids[32]], "target" is float32[32]; convert it with .astype(np.int64)  [bend-shape]


def float64_data() -> None:
    """Data in float64.

    numpy makes float64 arrays unless told otherwise; the package computes in float32.
    """
    model = Linear(32, 784, 10)
    model.fwd(model.init(Key(0)), np.zeros((32, 784)))  # E: Layer.fwd: "x" is float64[32, 784], the layer takes Mat[32, 784]; convert it with .astype(np.float32)  [arg-type]


def residual_that_changes_width() -> None:
    """A residual layer that changes the width.

    What is added to its own input must have the input's shape: go back to 64 columns inside of the residual layer.
    """
    block = Residual(Linear(32, 64, 256) >> ReLU(32, 256))  # E: Residual: the layer takes Mat[32, 64], gives Mat[32, 256]; a residual layer must keep its shape  [bend-shape]


def tied_vocabularies() -> None:
    """Tied layers of different vocabularies.

    Tied layers share one set of parameters, so both must be built for the same sizes.
    """
    model = Tie(LinearNB(32, 64, 1000), Linear(32, 1000, 64), LinearNB(32, 64, 999))  # E: Tie: the first layer has parameters Mat[1000, 64], the third has parameters Mat[999, 64]; tied layers share one set of parameters  [bend-shape]


def loss_on_the_wrong_output() -> None:
    """A loss on the wrong output.

    The model has two outputs, and the loss is for one of them: apply it to `out.y[0]`.
    """
    model, loss = Fork(Linear(32, 784, 10), Linear(32, 784, 2)), CrossEntropy(32, 10)
    out = model.fwd(model.init(Key(0)), mat(32, 784, np.load("images.npy")))
    loss(out.y, ids(32, np.load("labels.npy")))  # E: Loss: "y" is tuple[Mat[32, 10], Mat[32, 2]], the loss takes Mat[32, 10]  [arg-type]
