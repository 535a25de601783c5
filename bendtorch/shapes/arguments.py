"""Checks of arguments that are no arrays: a path where the model belongs, a class where a value does.

They are for whoever calls by hand, once a run; nothing of a training step goes through them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np

from bendtorch.errors import ConfigError

LONGEST: Final = 60  # characters of a value in a message


def expect(caller: str, argument: str, value: object, kind: type | tuple[type, ...], what: str) -> None:
    """Refuse a value that is not of a kind. `what` says in words what is expected, with an example."""
    if isinstance(value, kind):
        return
    raise ConfigError(f"{caller}: {argument} must be {what}, got {shown(value)}")


def expect_function(caller: str, argument: str, value: object, what: str) -> None:
    """Refuse a value that cannot be called, and a class where an instance was meant."""
    if not callable(value) or isinstance(value, type):
        raise ConfigError(f"{caller}: {argument} must be {what}, got {shown(value)}")


def as_path(caller: str, value: str | os.PathLike[str]) -> Path:
    """The name of a file, in either form."""
    expect(caller, "path", value, (str, os.PathLike), 'the name of a file, such as "run.safetensors"')
    return Path(value)


def as_folder(caller: str, value: str | os.PathLike[str], *, made: bool = True) -> Path:
    """The name of a folder, which need not be there yet; `made` says whether the caller makes it then."""
    expect(caller, "folder", value, (str, os.PathLike), 'the name of a folder, such as "runs/a"')
    if os.fspath(value) in ("", b""):
        raise ConfigError(f'{caller}: the name of the folder is empty; the one where the program runs is "."')
    if (folder := Path(value)).exists() and not folder.is_dir():
        more = ", which is made where it is missing" if made else ""
        raise ConfigError(f"{caller}: {folder} is a file; name a folder{more}")
    return folder


def shown(value: object) -> str:
    """A value in a few words."""
    if isinstance(value, type):
        return f"the class {value.__name__}; call it with its settings"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} and shape {list(value.shape)}"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    name: Any = getattr(value, "__name__", None)
    if callable(value) and isinstance(name, str):
        return f"the function {name}"
    if type(value).__repr__ is object.__repr__:
        return f"a {type(value).__name__}"
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
