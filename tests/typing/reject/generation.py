"""Wrong uses of what reads and writes text."""

from __future__ import annotations

import numpy as np

from bendtorch import CrossEntropy, Key, ids
from bendtorch.generate import Decoder, weights_of
from bendtorch.models import LlamaConfig, init_normal
from bendtorch.models.gguf import load_gguf

small = LlamaConfig(vocabulary=65, width=128, key_heads=2, groups=2, half=16, inner=384, depth=4)
model = small.model(1, 1)
weights = weights_of(model, init_normal(model, Key(0)))
decoder = Decoder(small, weights)
Decoder(model, weights)  # E: Decoder: "config" is Layer[Any, Ids[1], Mat[1, 65], Any], expected LlamaConfig[Any, Any, Any, Any, Any, Any]  [arg-type]
Decoder(small, np.zeros(5))  # E: Decoder: "weights" is float64[5], expected FlatF32  [arg-type]
decoder.read(3)  # E: Decoder.read: "ids" is int, expected Sequence[int] | Ids[int]  [arg-type]
decoder.read(np.zeros(3, np.float32))  # E: Decoder.read: "ids" is float32[3], expected Sequence[int] | Ids[int]  [arg-type]
weights_of(small, weights)  # E: weights_of: the model is LlamaConfig[65, 128, 2, 2, 16, 384]; give a layer  [arg-type]

found = load_gguf("one.gguf")
read = found.config
logits = read.model(2, 7).fwd(found.p, ids(14, [])).y
CrossEntropy(14, read.width)(logits, ids(14, []))  # E: Loss: "y" is Mat[14, read.vocabulary], the loss takes Mat[14, read.width]  [arg-type]
