"""A first model on real data: 1797 handwritten digits of 8 × 8 pixels, learned by two linear layers.

The data set comes with scikit-learn (the UCI ML repository's optical recognition of handwritten digits). Its last 360
digits are the test set; they were written by other people than the rest.

    python examples/digits.py [--seed S] [--out DIRECTORY]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from sklearn.datasets import load_digits

from bendtorch import (
    Adam,
    CrossEntropy,
    Dim,
    Ids,
    Key,
    Layer,
    Lin,
    Linear,
    LinearFirst,
    Loss,
    Mat,
    ReLU,
    Train,
    Unit,
    accuracy,
    batches,
    fit,
    ids,
    mat,
    save_params,
)
from bendtorch.shapes.dims import N

PIXELS: Final = 64
HIDDEN: Final = 64
DIGITS: Final = 10
TRAINING: Final = 1437
TEST: Final = 360
BATCH: Final = 32
EPOCHS: Final = 30

Parameters: TypeAlias = tuple[tuple[Lin[PIXELS, HIDDEN], Unit], Lin[HIDDEN, DIGITS]]


def mlp(n: Dim[N]) -> Layer[Parameters, Mat[N, PIXELS], Mat[N, DIGITS], Any]:
    """The model, for batches of n digits."""
    return LinearFirst(n, PIXELS, HIDDEN) >> ReLU(n, HIDDEN) >> Linear(n, HIDDEN, DIGITS)


def loss(n: Dim[N]) -> Loss[Mat[N, DIGITS], Ids[N]]:
    """The loss, for batches of n digits."""
    return CrossEntropy(n, DIGITS)


def main(seed: int, out: Path) -> float:
    """Train, save the model and its loss curve, and give the accuracy on the test set."""
    data = load_digits()
    pixels = (data.data / 16).astype(np.float32)
    x, labels = mat(TRAINING, PIXELS, pixels[:TRAINING]), ids(TRAINING, data.target[:TRAINING])
    test_x, test_labels = mat(TEST, PIXELS, pixels[TRAINING:]), ids(TEST, data.target[TRAINING:])

    initial, order = Key(seed).split(2)
    train = Train.new(mlp(BATCH), Adam(lr=1e-3), mlp(BATCH).init(initial))
    history = fit(train, mlp, loss, batches(x, labels, BATCH, order), EPOCHS)

    out.mkdir(parents=True, exist_ok=True)
    save_params(out / "digits.safetensors", mlp(BATCH), train.p)
    plot(history.steps, out / "digits.png")
    print(f"loss of the last epoch {history.epochs[-1]:.4f}")
    print(f"wrote {out / 'digits.safetensors'} and {out / 'digits.png'}")
    return accuracy(mlp(TEST).fwd(train.p, test_x).y, test_labels)


def plot(losses: list[float], path: Path) -> None:
    """Draw the loss of every step, and its mean over an epoch."""
    from matplotlib.figure import Figure

    steps = -(-TRAINING // BATCH)
    means = np.convolve(losses, np.ones(steps) / steps, mode="valid")
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.semilogy(losses, color="#b8c4d6", linewidth=0.8, label="each step")
    axes.semilogy(np.arange(steps - 1, len(losses)), means, color="#1f4e9e", label="mean over an epoch")
    axes.set(xlabel="step", ylabel="cross-entropy", title="A 64-64-10 network on handwritten digits")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    arguments = parser.parse_args()
    print(f"test accuracy {main(arguments.seed, arguments.out):.3f}")
