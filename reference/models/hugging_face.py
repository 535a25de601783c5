"""Llamas of `transformers`, saved there and loaded here: logits, loss, every gradient, five steps of AdamW; and back.

Both see the same weights, tokens and targets. Exact is the model of `transformers` in float64 throughout. That it is
one is shown beside the model of PyTorch's functions (`reference.models.llama`): they agree to float64's own precision.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from bendtorch import AdamW, CrossEntropy, Layer, Train
from bendtorch.models import AnyLlama, load_llama, save_llama
from bendtorch.models.hugging_face.weights import tensor_shapes
from reference.compare import Case, Draw, Row, judge_all
from reference.errors import Array
from reference.models.llama import in_torch, whole_sizes
from reference.models.transformers_llama import (
    CASES,
    IGNORED,
    Sizes,
    batch,
    by_names,
    folder_of,
    gradient_of,
    in_float64,
    loss_of,
    made,
    results,
    transformers,
)

STEPS: Final = 5
RATE: Final = 1e-2
EPS: Final = 1e-4  # with the usual 1e-8 a gradient that is all rounding makes a whole step, up or down by luck
DTYPES: Final = ("float32", "bfloat16", "float16")
PRECISION: Final = 1e-12  # of two float64 evaluations in different orders


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on the passes, on training, on files read and written, and on the reference itself."""
    most = 8 if quick else 60
    yield from judge_all([Case(sizes.name, partial(_passes, sizes), sizes.tolerance, most=most) for sizes in CASES])
    steps = [Case(f"AdamW, {sizes.name}", partial(_steps, sizes), 2.0**13, most=most) for sizes in CASES]
    yield from judge_all(steps)
    for sizes in CASES:
        yield from (_read(sizes, dtype) for dtype in DTYPES)
        yield _saved(sizes)
        yield _float64(sizes)


def _ours(model: Any) -> tuple[AnyLlama, Any]:
    """What `load_llama` makes of a model that `transformers` saves."""
    with folder_of(model) as folder:
        return load_llama(folder)


def _loss(sizes: Sizes) -> Any:
    make: Any = CrossEntropy
    return make(sizes.b * sizes.t, sizes.config.vocabulary, ignore_index=IGNORED)


def _passes(sizes: Sizes, seed: int) -> Draw:
    theirs, (tokens, targets) = made(sizes, seed), batch(sizes, seed)
    config, p = _ours(theirs)
    model: Layer[Any, Any, Any, Any] = config.model(sizes.b, sizes.t)
    forward = model.fwd(p, tokens)
    out = _loss(sizes)(forward.y, targets)
    gradient = model.dump(model.bwd(p, forward.s, out.dy, model.zeros()).g)
    named = {gradient_of(name): array for name, array in by_names(dict(tensor_shapes(config)), gradient)}
    exact = results(sizes, in_float64(theirs), tokens, targets)
    sizes_of = whole_sizes({name: array for name, array in exact.items() if name not in {"loss", "logits"}})
    return Draw(
        {"logits": forward.y, "loss": np.array(out.loss), **named},
        results(sizes, theirs, tokens, targets),
        exact,
        sizes_of | whole_sizes({"logits": exact["logits"]}),
    )


def _steps(sizes: Sizes, seed: int) -> Draw:
    theirs = made(sizes, seed)
    config, p = _ours(theirs)
    train: Any = Train.new(config.model(sizes.b, sizes.t), AdamW(RATE, eps=EPS, weight_decay=0.1), p)
    losses = [train.step(config.model(sizes.b, sizes.t), _loss(sizes), *batch(sizes, step)) for step in range(STEPS)]
    weights = config.model(1, 1).dump(train.p)
    exact = _trained(sizes, in_float64(theirs))
    return Draw(
        {"losses": np.array(losses), "weights": weights},
        _trained(sizes, theirs),
        exact,
        whole_sizes({"weights": exact["weights"]}),
    )


def _trained(sizes: Sizes, model: Any) -> dict[str, Array]:
    """The losses of five steps of PyTorch's AdamW, and the weights after them."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, eps=EPS, weight_decay=0.1)
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(sizes, model, *batch(sizes, step))[1]
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.detach().numpy())
    found = dict(model.named_parameters())
    weights = [found[name].detach().numpy().reshape(-1) for name, _ in tensor_shapes(sizes.config)]
    return {"losses": np.array(losses), "weights": np.concatenate(weights)}


def _read(sizes: Sizes, dtype: str) -> Row:
    """The weights that `transformers` saves in a type, in one file and in shards, are those that are loaded."""
    theirs, faults = made(sizes, 0).to(getattr(torch, dtype)), []
    expected = dict(theirs.named_parameters())
    for largest, count in (("1GB", 0), ("2KB", 1)):
        with folder_of(theirs, max_shard_size=largest) as folder:
            config, p = load_llama(folder)
            indices = len(list(Path(folder).glob("*.index.json")))
        faults += [] if indices == count else [f"{indices} index files, {count} expected"]
        for name, ours in by_names(dict(tensor_shapes(config)), config.model(1, 1).dump(p)):
            same = np.array_equal(ours, expected[name].detach().float().numpy().reshape(ours.shape))
            faults += [] if same else [f"{name} differs"]
    return Row(f"read, {sizes.name}", dtype, "equal" if not faults else "", "", fault="; ".join(faults))


def _saved(sizes: Sizes) -> Row:
    """What `save_llama` writes, in one file, in shards and again over these, gives the same logits, bit for bit."""
    theirs, (tokens, targets) = made(sizes, 0), batch(sizes, 0)
    config, p = _ours(theirs)
    expected, faults = loss_of(sizes, theirs, tokens, targets)[0].detach(), []
    for largest, times in ((10**9, 1), (10_000, 1), (10_000, 2)):
        with tempfile.TemporaryDirectory(prefix="bendtorch-") as folder:
            for _ in range(times):
                save_llama(folder, config, config.model(1, 1), p, largest=largest)
            again = transformers.LlamaForCausalLM.from_pretrained(folder)
        off = float((loss_of(sizes, again, tokens, targets)[0].detach() - expected).abs().max())
        faults += [] if off == 0 else [f"logits {off:.3g} off"]
    return Row(f"saved, {sizes.name}", "logits", "equal" if not faults else "", "", fault="; ".join(faults))


def _float64(sizes: Sizes) -> Row:
    """The two float64 models agree, in logits and gradients."""
    theirs, (tokens, targets) = in_float64(made(sizes, 0)), batch(sizes, 0)
    exact = results(sizes, theirs, tokens, targets)
    c, found = sizes.config, dict(theirs.named_parameters())
    names = [name for name, _ in tensor_shapes(c)]
    leaves = {name: found[name].detach().clone().requires_grad_() for name in names}
    shape = (sizes.b, sizes.t, c.vocabulary, c.width, c.key_heads, c.groups, c.half, c.inner, c.depth)
    logits = in_torch(shape, names, c.tied, torch.tensor(tokens), eps=c.eps, base=c.base, **leaves)
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(targets), ignore_index=IGNORED)
    loss.backward()  # type: ignore[no-untyped-call]
    other = {"logits": logits.detach().numpy(), "loss": loss.detach().numpy()}
    other |= {gradient_of(name): leaf.grad.numpy() for name, leaf in leaves.items() if leaf.grad is not None}
    least = whole_sizes(exact)
    off = max(float(np.abs(exact[name] - other[name]).max() / np.max(least[name])) for name in exact)
    fault = "" if off < PRECISION else f"off by {off:.3g} of its size"
    return Row(f"float64, {sizes.name}", "all", f"{off:.1e}", "", fault=fault)
