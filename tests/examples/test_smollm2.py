"""The example of a conversation, with a small model of random weights in SmolLM2's place: its answers make no sense."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.arrays import numbers
from tests.support.decoding import MAKE
from tests.support.gguf_files import fields_of, tensors_of, write_gguf
from tests.support.process import ROOT, environment
from tests.support.vocabulary import tokens

LISTED = tokens()
CONFIG: Any = MAKE(len(LISTED.pieces), 12, 1, 2, 3, 20, 2)
EXAMPLE = ROOT / "examples" / "smollm2.py"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fields, tensors = fields_of(CONFIG), tensors_of(CONFIG, numbers(0, CONFIG.count(), scale=0.3))
    return write_gguf(tmp_path_factory.mktemp("model") / "small.gguf", fields, tensors, tokens=LISTED)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", EXAMPLE, *arguments],
        env=environment(PYTHONIOENCODING="utf-8"),
        input="",
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def answer(said: str) -> str:
    """What was printed, without the seconds."""
    return re.sub(r"\d+\.\d s|\d+ tokens a second", "", said)


def test_it_answers_the_same_again(model: Path) -> None:
    first, second = (run("--model", model, "--temperature", "0.8", "hello") for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    assert "> hello\n" in first.stdout
    assert answer(first.stdout) == answer(second.stdout)


@pytest.mark.parametrize("storage", ["bfloat16", "float16"])
def test_it_is_trained_and_asked_in_sixteen_bits(model: Path, storage: str, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hello the whale " * 40)
    done = run("--model", model, "--finetune", "2", "--text", tmp_path / "text.txt", "--storage", storage)
    assert (done.returncode, done.stderr) == (0, "")
    first, second = re.findall(r"loss (\d\.\d+) nats a token", done.stdout)
    assert float(second) != float(first)
    assert "> Why is the sky blue?" in done.stdout


def test_a_text_that_is_too_short(model: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hello")
    done = run("--model", model, "--finetune", "2", "--text", tmp_path / "text.txt")
    assert done.returncode == 1
    assert done.stderr.startswith("windows: text has 1 tokens; windows of 128 at any place need at least 256")


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    done = run("--model", tmp_path / "missing.gguf", "hello")
    assert (done.returncode, done.stderr.split(": ", 1)[1]) == (1, "No such file or directory\n")
