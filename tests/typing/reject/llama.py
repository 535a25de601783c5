"""Wrong uses of a Llama whose sizes are known, and of one whose sizes were read."""

from __future__ import annotations

from bendtorch import AdamW, CrossEntropy, Linear, LinearNB, Train, ids
from bendtorch.models import LlamaConfig, load_llama, save_llama

small = LlamaConfig(vocabulary=65, width=128, key_heads=2, groups=2, half=16, inner=384, depth=4)
CrossEntropy(512, 66)(small.model(8, 64).fwd(None, ids(512, [])).y, ids(512, []))  # E: Loss: "y" is Mat[512, 65], the loss takes Mat[512, 66]  [arg-type]

config, p = load_llama("one")
other, _ = load_llama("two")
model = config.model(2, 7)
logits = model.fwd(p, ids(14, [])).y
model.fwd(p, ids(15, []))  # E: Layer.fwd: "x" is Ids[15], the layer takes Ids[14]  [arg-type]
CrossEntropy(14, 32000)(logits, ids(14, []))  # E: Loss: "y" is Mat[14, config.vocabulary], the loss takes Mat[14, 32000]  [arg-type]
CrossEntropy(14, config.width)(logits, ids(14, []))  # E: Loss: "y" is Mat[14, config.vocabulary], the loss takes Mat[14, config.width]  [arg-type]
CrossEntropy(14, other.vocabulary)(logits, ids(14, []))  # E: Loss: "y" is Mat[14, config.vocabulary], the loss takes Mat[14, other.vocabulary]  [arg-type]
model >> LinearNB(14, other.vocabulary, 3)  # E: >>: model gives Mat[14, config.vocabulary], LinearNB takes Mat[14, other.vocabulary]  [bend-shape]
model >> Linear(15, config.vocabulary, 3)  # E: >>: model gives Mat[14, config.vocabulary], Linear takes Mat[15, config.vocabulary]  [bend-shape]
train = Train.new(model, AdamW(1e-3), p)
train.step(model, CrossEntropy(14, other.vocabulary), ids(14, []), ids(14, []))  # E: Train.step: the model gives Mat[14, config.vocabulary], "loss" is Loss[Mat[14, other.vocabulary], Ids[14]]  [bend-shape]
train.step(other.model(2, 7), CrossEntropy(14, config.vocabulary), ids(14, []), ids(14, []))  # E: Train.step: the model gives Mat[14, other.vocabulary], "loss" is Loss[Mat[14, config.vocabulary], Ids[14]]  [bend-shape]
save_llama("three", p, config, model)  # E: save_llama: the model is LlamaConfig[int, int, int, int, int, int]; give a layer  [arg-type]


changing, q = load_llama("four")
changing, q = load_llama("five")
CrossEntropy(6, changing.vocabulary)  # E: CrossEntropy: dimension "c" is not static: "changing" is bound more than once; give each number a name of its own  [bend-dim]
changing.model(2, 3) >> LinearNB(6, 7, 8)  # E: >>: model gives Mat[6, int], LinearNB takes Mat[6, 7]  [bend-shape]
