"""Files of one JSON object."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendtorch.errors import CheckpointError
from bendtorch.models.hugging_face import json_file
from bendtorch.models.hugging_face.json_file import read_object, write_object
from tests.support.files import names


def test_what_is_written_is_read(tmp_path: Path) -> None:
    content = {"a": [1, 2.5, None], "ü": {"b": True}}
    write_object(tmp_path / "x.json", content)
    assert read_object(tmp_path / "x.json") == content
    assert names(tmp_path) == ["x.json"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "not valid JSON"),
        (b'{"a": 1', "not valid JSON"),
        (b"\xff\xfe{", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"a": 1, "a": 2}', "a key stands twice in an object"),
        (b'{"b": {"a": 1, "a": 2}}', "a key stands twice in an object"),
        (b"3", "must hold an object, got a int"),
    ],
    ids=range(7),
)
def test_what_is_refused(tmp_path: Path, content: bytes, text: str) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(CheckpointError, match=text):
        read_object(tmp_path / "x.json")


def test_what_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_file, "LONGEST", 10)
    (tmp_path / "x.json").write_text('{"a":1234}')
    assert read_object(tmp_path / "x.json") == {"a": 1234}
    (tmp_path / "x.json").write_text('{"a":12345}')
    with pytest.raises(CheckpointError, match="has more than 10 bytes"):
        read_object(tmp_path / "x.json")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="not a regular file"):
        read_object(tmp_path)


def test_numbers_that_json_does_not_have_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_object(tmp_path / "x.json", {"a": float("nan")})
    assert names(tmp_path) == []
