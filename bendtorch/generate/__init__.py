"""Text from a language model: decoding with a cache, sampling, tokens and their text."""

from __future__ import annotations

from bendtorch.generate.chat import ChatML
from bendtorch.generate.decoder import Decoder
from bendtorch.generate.generate import generate
from bendtorch.generate.sample import Sampler
from bendtorch.generate.text import TextStream, text_of
from bendtorch.generate.tokenizer import Tokenizer
from bendtorch.generate.weights import Storage, weights_of

__all__ = ["ChatML", "Decoder", "Sampler", "Storage", "TextStream", "Tokenizer", "generate", "text_of", "weights_of"]
