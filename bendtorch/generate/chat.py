"""Conversations in the form of ChatML, as the tokens that a model was trained on.

    <|im_start|>user
    What is a whale?<|im_end|>
    <|im_start|>assistant

The marks are tokens of their own; what a user types is never one of them.
"""

from __future__ import annotations

from typing import Final

from bendtorch.errors import ConfigError
from bendtorch.generate.tokenizer import Tokenizer
from bendtorch.shapes.arguments import expect

START: Final = "<|im_start|>"
END: Final = "<|im_end|>"


class ChatML:
    """The tokens of messages, and of the beginning of an answer. `end` is the token that ends one.

    Raises `ConfigError` when the tokenizer has no such marks.
    """

    def __init__(self, tokenizer: Tokenizer, template: str | None = None) -> None:
        """`template`, if the model's file has one, must be of this form."""
        expect("ChatML", "tokenizer", tokenizer, Tokenizer, "a Tokenizer")
        expect("ChatML", "template", template, (str, type(None)), "the text of a chat template, or None")
        if template is not None and not (START in template and END in template):
            raise ConfigError("ChatML: the model's chat template is of another form, without <|im_start|>")
        self.tokenizer = tokenizer
        self.start, self.end = tokenizer.token(START), tokenizer.token(END)

    def opening(self, role: str) -> list[int]:
        """Whose turn it is: what the model answers after, for the role "assistant"."""
        expect("ChatML", "role", role, str, "a name")
        return [self.start, *self.tokenizer.encode(f"{role}\n")]

    def closing(self) -> list[int]:
        """The end of a turn."""
        return [self.end, *self.tokenizer.encode("\n")]

    def message(self, role: str, text: str) -> list[int]:
        """A whole message of a role ("system", "user", "assistant")."""
        expect("ChatML", "role", role, str, "a name")
        expect("ChatML", "text", text, str, "a str")
        return [self.start, *self.tokenizer.encode(f"{role}\n{text}"), *self.closing()]
