"""A Llama's configuration: sizes in its type, also where they were read from a file."""

from __future__ import annotations

from typing import Any

from typing_extensions import assert_type

from bendtorch import AdamW, CrossEntropy, Dim, Ids, Layer, LinearNB, Mat, Train, ids
from bendtorch.models import AnyLlama, LlamaConfig, load_llama, save_llama
from bendtorch.rewrite import fused
from bendtorch.shapes.dims import HALF, KV, B, D, F, G, T, V

# ---- written down: numbers
small = LlamaConfig(vocabulary=65, width=128, key_heads=2, groups=2, half=16, inner=384, depth=4)
assert_type(small, LlamaConfig[65, 128, 2, 2, 16, 384])
assert_type(small.model(8, 64, dropout=0.1), Layer[Any, Ids[512], Mat[512, 65], Any])
assert_type(fused(small.model(8, 64)), Layer[Any, Ids[512], Mat[512, 65], Any])

# ---- read: each a size of its own, by the name of the field
config, p = load_llama("smollm2")
model = config.model(2, 7)
logits = model.fwd(p, ids(14, [])).y
loss = CrossEntropy(14, config.vocabulary)
loss(logits, ids(14, []))
vocabulary = config.vocabulary
probe = model >> LinearNB(14, vocabulary, 3)
train = Train.new(model, AdamW(1e-3), p)
train.step(model, loss, ids(14, []), ids(14, []))
train.step(fused(model), loss, ids(14, []), ids(14, []))
fused(model) >> LinearNB(14, vocabulary, 3)
save_llama("tuned", config, config.model(1, 1), train.p)


def of_a_parameter(any_sizes: AnyLlama, read: LlamaConfig[int, int, int, int, int, int], b: Dim[B]) -> None:
    read.model(b, 3) >> LinearNB(3 * b, read.vocabulary, 2)
    save_llama("copy", any_sizes, any_sizes.model(1, 1), None)


for folder in ("one", "two"):
    each, q = load_llama(folder)
    CrossEntropy(6, each.vocabulary)(each.model(2, 3).fwd(q, ids(6, [])).y, ids(6, []))


# ---- whatever they are: the sizes of the type
def scored(
    c: LlamaConfig[V, D, KV, G, HALF, F], b: Dim[B], t: Dim[T]
) -> Layer[Any, Ids["B*T"], Mat["B*T", "V"], Any]:
    assert_type(c.model(b, t), Layer[Any, Ids["B*T"], Mat["B*T", V], Any])
    CrossEntropy(b * t, c.vocabulary).value(c.model(b, t).fwd(None, ids(b * t, [])).y, ids(b * t, []))
    return c.model(b, t)


assert_type(scored(small, 2, 3), Layer[Any, Ids[6], Mat[6, 65], Any])
scored(config, 2, 3)
