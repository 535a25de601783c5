"""Watched models: the same bits, a node for each layer, calls and counts; variants, copies and users' own layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import combine, layers, losses
from bendtorch.errors import ConfigError, ShapeError
from bendtorch.keys import Key
from bendtorch.laws.nest import arrays_in
from bendtorch.laws.trial import draw
from bendtorch.layer import Bwd, Fwd, Info, make_layer, no_params
from bendtorch.models import Llama
from bendtorch.profiling import watch
from bendtorch.shapes.spec import mat_spec
from tests.support.models import mlp

OF: Any = layers
WITH: Any = combine
LLAMA: Any = Llama


def dropping(n: int) -> Any:
    """Layers with variants inside of copies."""
    return WITH.Repeat(3, WITH.Residual(OF.LinearNB(n, 4, 4) >> OF.Dropout(n, 4, 0.5, seed=1)))


MODELS = {
    "mlp": mlp(5),
    "llama": LLAMA(2, 4, 11, 8, 1, 2, 2, 6, 2, dropout=0.1),
    "dropping": dropping(5),
    "both": WITH.Both(OF.ReLU(5, 4), OF.Tanh(5, 3)),
    "one layer": OF.Linear(5, 4, 3),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize("evaluated", [False, True])
def test_bits_stay(model: Any, evaluated: bool) -> None:
    trial = draw(model, seed=0)
    p = model.init(Key(0))
    results = []
    for given in (model, watch(model).layer):
        layer = given.eval() if evaluated else given
        g = layer.zeros()
        forward = layer.fwd(p, trial.x)
        backward = layer.bwd(p, forward.s, trial.dy, g)
        results.append(arrays_in((forward.y, forward.s, backward.dx, backward.g)))
    assert len(results[0]) == len(results[1])
    for one, other in zip(*results, strict=True):
        assert one.tobytes() == other.tobytes()


def test_the_tree_is_the_models() -> None:
    found = watch(MODELS["llama"]).root
    assert found.name == "Tie"
    assert [part.name for part in found.parts] == ["Embedding(8, 11, 8)", "Seq", "LinearNB(8, 8, 11)"]
    stack, norm = found.parts[1].parts
    assert (stack.name, norm.name) == ("Repeat(2)", "RMSNorm(8, 8)")
    (chained,) = stack.parts
    assert [part.name for part in chained.parts] == ["Residual", "Residual"]
    assert found.count == MODELS["llama"].count()


def test_a_chain_is_flat_however_it_is_nested() -> None:
    relu = OF.ReLU(1, 3)
    assert [part.name for part in watch(relu >> ((relu >> relu) >> relu)).root.parts] == ["ReLU(1, 3)"] * 4


def test_each_copy_is_a_call() -> None:
    model = dropping(5)
    watched = watch(model)
    x = np.ones((5, 4), np.float32)
    for _ in range(2):
        saved = watched.layer.fwd(model.init(Key(0)), x).s
    watched.layer.bwd(model.init(Key(0)), saved, x, model.zeros())
    for node in watched.root.every():
        expected = 1 if node is watched.root else 3
        assert (node.forward.calls, node.backward.calls) == (expected, expected)
        assert len(node.forward.seconds) == 2
    linear = watched.root.parts[0].parts[0].parts[0]
    assert linear.name == "LinearNB(5, 4, 4)"
    assert watched.root.flops(backward=False) == 3 * (2 * 5 * 4 * 4 + 20 + 20)
    assert linear.traffic(backward=False) == 3 * 4 * (20 + 16 + 20)


def test_times_are_dropped_and_counts_stay() -> None:
    watched = watch(OF.ReLU(5, 4))
    watched.layer.fwd((), np.ones((5, 4), np.float32))
    watched.forget()
    assert watched.root.forward.seconds == []
    assert watched.root.forward.traffic == 160


def test_a_loss_is_measured_and_the_same() -> None:
    model, loss = mlp(5), losses.MSE(5, 2)
    watched = watch(model)
    y, target = np.ones((5, 2), np.float32), np.zeros((5, 2), np.float32)
    ours, theirs = watched.loss(loss).grad(y, target), loss.grad(y, target)
    assert (ours.loss, ours.dy.tobytes()) == (theirs.loss, theirs.dy.tobytes())
    (measured,) = watched.rest.values()
    assert (measured.calls, measured.flops, measured.traffic) == (1, 50, 120)


def test_errors_are_those_of_the_model() -> None:
    with pytest.raises(ShapeError, match=r"LinearFirst\(5, 3, 4\)"):
        watch(mlp(5)).layer.fwd(mlp(5).zeros(), np.ones((6, 3), np.float32))
    with pytest.raises(ConfigError, match="watch: model must be a layer, got"):
        watch(3)  # type: ignore[arg-type]


def own(parts: Any = ()) -> Any:
    """A layer of a user's, with parts or without, that does not say how it is built."""
    spec = mat_spec(5, 4)

    def fwd(p: Any, x: Any) -> Fwd[Any, Any]:
        return Fwd(x * x, x)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Bwd[Any, Any]:
        return Bwd(np.float32(2) * s * dy, g)

    return make_layer(no_params(), fwd, bwd, Info("Own", {"n": 5}, spec, spec, spec, parts))


def test_layers_of_ones_own_have_bytes_and_the_flops_that_they_are_given() -> None:
    x = np.ones((5, 4), np.float32)
    for flops in (None, 20.0):
        watched = watch(own(), flops={"Own": lambda info: (20, 40)} if flops else {})
        watched.layer.fwd((), x)
        assert watched.root.traffic(backward=False) == 160
        assert watched.root.flops(backward=False) == flops


def test_a_combinator_that_cannot_be_built_again_is_one_piece() -> None:
    watched = watch(own(parts=(OF.ReLU(5, 4),)))
    watched.layer.fwd((), np.ones((5, 4), np.float32))
    assert watched.root.parts == ()
    assert watched.root.flops(backward=False) is None


def test_what_was_measured_is_a_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bendtorch.profiling.watched.machine_limits", lambda: None)
    model = dropping(5)
    watched = watch(model)
    for layer in (watched.layer, watched.layer.eval(), watched.layer.eval()):
        layer.fwd(model.init(Key(0)), np.ones((5, 4), np.float32))
    found = watched.profile()
    assert (found.root, found.limits, found.steps) == (watched.root, None, 3)
    assert [line.calls for line in found.lines()] == [1, 3, 3, 3, 3]
