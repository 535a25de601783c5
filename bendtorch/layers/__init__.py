"""Layers, one file each."""

from __future__ import annotations

from bendtorch.layers.activation import ActIn, ActOut
from bendtorch.layers.attention import Attention
from bendtorch.layers.avg_pool2d import AvgPool2d
from bendtorch.layers.conv2d import Conv, Conv2d
from bendtorch.layers.dropout import Dropout
from bendtorch.layers.embedding import Embedding
from bendtorch.layers.gelu import GELU
from bendtorch.layers.gelu_erf import GELUErf
from bendtorch.layers.layer_norm import Affine, LayerNorm
from bendtorch.layers.linear import Lin, Linear
from bendtorch.layers.linear_first import LinearFirst
from bendtorch.layers.linear_nb import LinearNB
from bendtorch.layers.log_softmax import LogSoftmax
from bendtorch.layers.max_pool2d import MaxPool2d
from bendtorch.layers.padded_attention import PaddedAttention
from bendtorch.layers.relu import ReLU
from bendtorch.layers.rms_norm import RMSNorm
from bendtorch.layers.rope import RoPE
from bendtorch.layers.sigmoid import Sigmoid
from bendtorch.layers.silu import SiLU
from bendtorch.layers.softmax import Softmax
from bendtorch.layers.tanh import Tanh

__all__ = [
    "GELU",
    "ActIn",
    "ActOut",
    "Affine",
    "Attention",
    "AvgPool2d",
    "Conv",
    "Conv2d",
    "Dropout",
    "Embedding",
    "GELUErf",
    "LayerNorm",
    "Lin",
    "Linear",
    "LinearFirst",
    "LinearNB",
    "LogSoftmax",
    "MaxPool2d",
    "PaddedAttention",
    "RMSNorm",
    "ReLU",
    "RoPE",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
]
