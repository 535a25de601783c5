"""The file format: streams and checksums, damaged files, headers that lie, failing disks."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.checkpoint import format as module
from bendtorch.checkpoint.format import Tensor, reading, write_tensors
from bendtorch.errors import CheckpointError
from tests.support.arrays import numbers, same_bits
from tests.support.files import names

MUTATIONS = 10_000 if os.environ.get("BENDTORCH_LONG") else 500


def tensors() -> list[Tensor]:
    """Of each type, and of no numbers."""
    a, b = numbers(0, 3, 4), np.arange(5, dtype=np.uint16)
    return [
        Tensor("a", "F32", (3, 4), a),
        Tensor("b", "BF16", (5,), b),
        Tensor("none", "F32", (0, 2), np.empty((0, 2), np.float32)),
        Tensor("count", "U32", (1,), np.array([7], np.uint32)),
    ]


def written(path: Path) -> bytes:
    write_tensors(path, tensors(), {"format": "bendtorch-test-1", "note": 'quotes " and ü'})
    return path.read_bytes()


def read_all(path: Path) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with reading(path) as file:
            targets = [np.empty_like(tensor.array) for tensor in tensors()]
            for tensor, target in zip(tensors(), targets, strict=True):
                file.require(tensor.name, tensor.dtype, tensor.shape)
                file.read_into(tensor.name, target)
            file.refuse_others([tensor.name for tensor in tensors()])
            return targets


def test_flushing_early_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It only hurries the disk; that all of a file arrives is asked for at the end."""
    calls = []

    def fail(descriptor: int) -> None:
        calls.append(descriptor)
        raise OSError("not now")

    whole = written(tmp_path / "m")
    monkeypatch.setattr(module, "PIECE", 8)
    monkeypatch.setattr(module, "to_disk", fail)
    assert written(tmp_path / "m") == whole
    assert calls


@pytest.mark.parametrize("piece", [1, 3, 8, 1 << 23])
def test_what_is_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """Whatever the size of the pieces, by us and by the library."""
    monkeypatch.setattr(module, "PIECE", piece)
    whole = written(tmp_path / "m")
    for target, tensor in zip(read_all(tmp_path / "m"), tensors(), strict=True):
        assert target.tobytes() == tensor.array.tobytes()
    header = int.from_bytes(whole[:8], "little")
    facts = json.loads(whole[8 : 8 + header])["__metadata__"]
    assert facts["note"] == 'quotes " and ü'
    assert hashlib.sha256(whole[8:].replace(facts["sha256"].encode(), b"0" * 64)).hexdigest() == facts["sha256"]
    assert header % 8 == 0
    with safetensors.safe_open(tmp_path / "m", framework="numpy") as file:
        assert same_bits(file.get_tensor("a"), tensors()[0].array)


@pytest.mark.parametrize("piece", [2, 6, 1 << 23])
def test_halves_of_every_pattern_become_their_float32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    """NaN, infinities, subnormal numbers and signed zeros included; judged by the numbers' definitions."""
    monkeypatch.setattr(module, "PIECE", piece)
    bits = np.arange(0, 1 << 16, 1 if piece > 6 else 997, dtype=np.uint16)
    for dtype, exponents, mantissa in (("BF16", 8, 7), ("F16", 5, 10)):
        write_tensors(tmp_path / "m", [Tensor("a", dtype, bits.shape, bits)], {})
        found = np.empty(bits.size, np.float32)
        with reading(tmp_path / "m") as file:
            file.read_floats_into("a", found)
        sign, exponent = np.where(bits >> 15, -1.0, 1.0), (bits >> mantissa).astype(int) & ((1 << exponents) - 1)
        part, bias = (bits & ((1 << mantissa) - 1)) * 2.0**-mantissa, (1 << (exponents - 1)) - 1
        normal = sign * (1 + part) * np.exp2(exponent - bias)
        value = np.where(exponent == 0, sign * part * 2.0 ** (1 - bias), normal)
        finite = exponent < (1 << exponents) - 1
        assert np.array_equal(found[finite], value[finite])
        assert np.array_equal(np.signbit(found[finite]), sign[finite] < 0)
        assert np.array_equal(np.isnan(found), ~finite & (part > 0))
        assert np.array_equal(found[~finite & (part == 0)], sign[~finite & (part == 0)] * np.inf)


def test_floats_of_all_bits_stay_as_they_are(tmp_path: Path) -> None:
    a: Any = numbers(1, 7, 1).reshape(-1)
    write_tensors(tmp_path / "m", [Tensor("a", "F32", (7,), a), Tensor("b", "F16", (7,), a.astype(np.float16))], {})
    with reading(tmp_path / "m") as file:
        found = np.empty(7, np.float32)
        file.read_floats_into("a", found)
        assert same_bits(found, a)
        for other in (np.empty(6, np.float32), np.empty(8, np.float32)):
            with pytest.raises(CheckpointError, match=r"'a' is cut short"):
                file.read_floats_into("a", other)
            with pytest.raises(CheckpointError, match=r"'b' has another size"):
                file.read_floats_into("b", other)


def test_a_file_without_a_checksum_is_no_surprise_where_it_is_expected(tmp_path: Path) -> None:
    safetensors.numpy.save_file({"a": np.zeros(3, np.float32)}, tmp_path / "m")
    with pytest.warns(UserWarning, match="read unchecked"), reading(tmp_path / "m"):
        pass
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with reading(tmp_path / "m", foreign=True) as file:
            assert file.names == {"a"}


def test_arrays_of_any_layout_are_written_as_their_numbers(tmp_path: Path) -> None:
    a = numbers(0, 4, 6)
    for layout in (np.asfortranarray(a), a[::-1, ::-2][::-1, ::-1], a[:, ::2]):
        write_tensors(tmp_path / "m", [Tensor("a", "F32", layout.shape, layout)], {})
        assert same_bits(safetensors.numpy.load_file(tmp_path / "m")["a"], np.ascontiguousarray(layout))


def refused(path: Path, content: bytes) -> bool:
    """Whether a damaged file is refused; nothing but our own error is ever raised."""
    path.write_bytes(content)
    try:
        read_all(path)
    except CheckpointError as problem:
        if not str(problem).startswith(f"{path}: "):
            raise
        return True
    return False


def test_every_truncation_and_every_changed_byte(tmp_path: Path) -> None:
    whole = written(tmp_path / "m")
    for length in range(len(whole)):
        assert refused(tmp_path / "m", whole[:length])
    for place in range(len(whole)):
        for change in (1, 0x20, 0x80, 0xFF):
            assert refused(tmp_path / "m", bytes([*whole[:place], whole[place] ^ change, *whole[place + 1 :]]))
    assert refused(tmp_path / "m", whole + b"\0")
    assert not refused(tmp_path / "m", whole)


def test_random_mutations(tmp_path: Path) -> None:
    """Bytes changed, cut out, put in, stretches exchanged: refused, or the file as it was."""
    whole, generator = written(tmp_path / "m"), np.random.default_rng(0)
    for _ in range(MUTATIONS):
        content = bytearray(whole)
        for _ in range(generator.integers(1, 4)):
            a, b = sorted(int(x) for x in generator.integers(0, len(content) + 1, 2))
            kind = generator.integers(4)
            if kind == 0 and a < len(content):
                content[a] = int(generator.integers(256))
            elif kind == 1:
                del content[a:b]
            elif kind == 2:
                content[a:a] = generator.bytes(int(generator.integers(1, 9)))
            else:
                content[a:b] = content[a:b][::-1]
        assert refused(tmp_path / "m", bytes(content)) or bytes(content) == whole


def entry(**changes: Any) -> dict[str, Any]:
    return {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16], **changes}


SHAPES: tuple[Any, ...] = (
    *([2**40, 2**40], [-2, -2], [2.0, 2], "22", [2], [2, 2, 2], None, [[2, 2]]),
    *([True, 4], ["2", 2], [2**64, 0], [4, 1.5], {}, [2, None]),
)
PLACES: tuple[Any, ...] = (
    *([16, 0], [0, 2**63], [4, 20], [0], [0, 16, 32], None, "0,16"),
    *([-16, 0], [0, 15], [0, 17], [0.0, 16], [0, "16"], [1, 17], [0, 0]),
)
LIES: tuple[Any, ...] = (
    *({"a": entry(shape=shape)} for shape in SHAPES),
    *({"a": entry(data_offsets=places)} for places in PLACES),
    *({"a": entry(dtype=dtype)} for dtype in ("F31", "", None, 4, "f32", ["F32"], "F64")),
    {"a": {}},
    {"a": None},
    {"a": []},
    {"a": "F32"},
    {"a": {"dtype": "F32"}},
    {"a": entry(), "b": entry()},
    {"a": entry(data_offsets=[0, 8], shape=[2, 1]), "b": entry(data_offsets=[4, 16], shape=[3, 1])},
    {"a": entry(data_offsets=[0, 4], shape=[1, 1]), "b": entry(data_offsets=[8, 16], shape=[2, 1])},
    {"__metadata__": {"format": 3}, "a": entry()},
    {"__metadata__": [], "a": entry()},
    {"__metadata__": "x", "a": entry()},
    {"__metadata__": {"sha256": None}, "a": entry()},
    {"__metadata__": {"sha256": "0" * 64}, "a": entry()},
    {"__metadata__": {"sha256": ""}, "a": entry()},
    {"__metadata__": {"sha256": "ü" * 64}, "a": entry()},
    {"__metadata__": {"format": "bendtorch-params-1"}, "a": entry()},
    [],
    "a",
    None,
    3,
    True,
)


@pytest.mark.parametrize("lie", LIES, ids=str)
def test_headers_that_lie(tmp_path: Path, lie: Any) -> None:
    assert lie is None or len(LIES) >= 40
    text = json.dumps(lie).encode()
    text += b" " * (-len(text) % 8)
    assert refused(tmp_path / "m", len(text).to_bytes(8, "little") + text + bytes(16))


@pytest.mark.parametrize(
    "text",
    [b"[" * 100_000, b'{"a":' * 50_000, b"{" + b'"a":1,' * 3 + b'"a":1}', b"\xff\xfe{}", b"{'a':1}", b"NaN", b"1e999"],
    ids=["nested lists", "nested objects", "twice", "not UTF-8", "not JSON", "NaN", "infinity"],
)
def test_headers_that_are_none(tmp_path: Path, text: bytes) -> None:
    text += b" " * (-len(text) % 8)
    assert refused(tmp_path / "m", len(text).to_bytes(8, "little") + text + bytes(16))


@given(size=st.integers(0, 2**64 - 1))
def test_a_header_longer_than_the_file(tmp_path_factory: Any, size: int) -> None:
    """No memory is taken for it."""
    path = tmp_path_factory.mktemp("f") / "m"
    assert refused(path, size.to_bytes(8, "little") + b"{}")


@pytest.mark.parametrize("existing", [True, False])
def test_a_fault_at_every_call_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existing: bool
) -> None:
    """A full disk or a broken one at the n-th write, flush or rename, for every n."""
    path = tmp_path / "m"
    if existing:
        write_tensors(path, tensors()[:1], {})
    before = path.read_bytes() if existing else None
    monkeypatch.setattr(module, "PIECE", 16)
    real: Any = SimpleNamespace(fsync=os.fsync, replace=Path.replace, open=Path.open)
    faults = 0
    for allowed in range(100):
        left = [allowed]

        def spend(left: list[int] = left) -> bool:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device")
            return False

        class Failing:
            def __init__(self, file: Any) -> None:
                self.file = file

            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: object) -> None:
                self.file.close()

            def __getattr__(self, name: str) -> Any:
                return getattr(self.file, name)

            def write(self, data: Any) -> int:
                """Half of it, where it fails."""
                try:
                    spend()
                except OSError:
                    self.file.write(bytes(data)[: len(bytes(data)) // 2])
                    raise
                written: int = self.file.write(data)
                return written

        with monkeypatch.context() as patched:
            patched.setattr(Path, "open", lambda self, *a, **k: Failing(real.open(self, *a, **k)))
            patched.setattr(os, "fsync", lambda fd: spend() or real.fsync(fd))
            patched.setattr(Path, "replace", lambda self, target: spend() or real.replace(self, target))
            try:
                write_tensors(path, tensors(), {})
            except OSError:
                faults += 1
            else:
                break
        if path.exists() and path.read_bytes() != before:
            assert left[0] == -1  # the last call, which makes the rename durable: the new file is whole
            read_all(path)
        assert names(tmp_path) == (["m"] if path.exists() else [])
    assert faults >= 11
    read_all(path)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    written(path)
    with reading(path) as file:
        os.truncate(path, path.stat().st_size - 40)
        with pytest.raises(CheckpointError, match="tensor 'b' is cut short"):
            file.read_into("b", np.empty(5, np.uint16))
        with pytest.raises(CheckpointError, match="tensor 'a' is cut short"):
            file.read_into("a", np.empty(5, np.float32))


def test_numbers_are_turned_round_where_the_machine_has_them_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "m")
    monkeypatch.setattr(module, "sys", SimpleNamespace(byteorder="big"))
    with reading(tmp_path / "m") as file:
        b = np.empty(5, np.uint16)
        file.read_into("b", b)
    assert same_bits(b.byteswap(), np.arange(5, dtype=np.uint16))
