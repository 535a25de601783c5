"""Writing whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bendtorch.checkpoint import atomic
from bendtorch.checkpoint.atomic import PREFIX, replacing
from tests.support.files import names
from tests.support.process import LIMIT, environment

FAULT = OSError(28, "No space left on device")


def write(path: Path, content: bytes) -> None:
    with replacing(path) as file:
        file.write(content)


def test_the_file_is_new_whole(tmp_path: Path) -> None:
    target = tmp_path / "file"
    for content in (b"one", b"", b"three" * 1000):
        write(target, content)
        assert target.read_bytes() == content
        assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("existing", [True, False])
@pytest.mark.parametrize("fault", [ValueError("own"), KeyboardInterrupt(), FAULT])
def test_an_error_inside_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, existing: bool, fault: BaseException
) -> None:
    target = tmp_path / "file"
    if existing:
        target.write_bytes(b"old")

    def fail() -> None:
        with replacing(target) as file:
            file.write(b"half of the n")
            raise fault

    with pytest.raises(type(fault)):
        fail()
    assert names(tmp_path) == (["file"] if existing else [])
    assert not existing or target.read_bytes() == b"old"


@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
def test_a_failing_system_call_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise FAULT

    with monkeypatch.context() as patched:
        patched.setattr(os if call == "fsync" else Path, call, fail)
        with pytest.raises(OSError, match="No space left"):
            write(target, b"new")
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_the_file_is_on_the_disk_before_it_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def seen_fsync(descriptor: int) -> None:
        events.append("fsync directory" if Path(f"/proc/self/fd/{descriptor}").is_dir() else "fsync file")
        fsync(descriptor)

    def seen_replace(self: Path, target: Any) -> Any:
        events.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", seen_fsync)
    monkeypatch.setattr(Path, "replace", seen_replace)
    write(tmp_path / "file", b"new")
    assert [event.split()[0] for event in events] == ["fsync", "rename", "fsync"]
    if Path("/proc/self/fd").exists():
        assert events == ["fsync file", "rename", "fsync directory"]


def test_a_failing_directory_flush_leaves_one_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, fsync, calls = tmp_path / "file", os.fsync, []
    target.write_bytes(b"old")

    def fail_second(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise FAULT
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fail_second)
    with pytest.raises(OSError, match="No space left"):
        write(target, b"new")
    assert target.read_bytes() in (b"old", b"new")
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need no privilege only on POSIX")
def test_through_a_link_the_file_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "file", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names(tmp_path / "real") == ["file"]
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "real" / "other")
    write(dangling, b"made")
    assert (tmp_path / "real" / "other").read_bytes() == b"made"


def test_a_directory_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "nowhere" / "file", b"new")


def test_the_temporary_file_stands_beside_the_target_under_a_known_name(tmp_path: Path) -> None:
    with replacing(tmp_path / "file") as file:
        (name,) = names(tmp_path)
        assert name.startswith(f"{PREFIX}file.")
        assert Path(file.name).parent == tmp_path


def left_behind(target: Path, host: str, process: int, age: float = 0.0) -> Path:
    """A temporary file as a crash leaves it."""
    path = target.with_name(f"{PREFIX}{target.name}.{host}-{process}-{'0a' * 4}")
    path.write_bytes(b"half of the n")
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def gone() -> int:
    """The number of a process that has ended."""
    return int(subprocess.run(["/bin/sh", "-c", "echo $$"], capture_output=True, check=True).stdout)


HERE = atomic._host()
POSIX = pytest.mark.skipif(os.name != "posix", reason="elsewhere nobody can ask whether a process is there")


@POSIX
def test_what_a_process_that_is_gone_has_left_is_removed_at_the_next_save(tmp_path: Path) -> None:
    target = tmp_path / "file"
    left_behind(target, HERE, gone())
    left_behind(target, HERE, os.getpid())  # of an earlier process that had our number
    write(target, b"new")
    assert names(tmp_path) == ["file"]


@POSIX
def test_what_another_process_is_writing_stays_however_old_it_is(tmp_path: Path) -> None:
    target = tmp_path / "file"
    kept = [left_behind(target, HERE, process, age=1e6) for process in {os.getppid(), 1}]
    write(target, b"new")
    assert names(tmp_path) == sorted(["file", *(path.name for path in kept)])


def test_what_another_host_has_left_is_removed_after_an_hour(tmp_path: Path) -> None:
    target = tmp_path / "file"
    young, old = left_behind(target, "0" * 8, 5, age=3000), left_behind(target, "f" * 8, 5, age=4000)
    write(target, b"new")
    assert young.exists()
    assert not old.exists()


def test_a_save_inside_of_a_save_leaves_the_outer_ones_file(tmp_path: Path) -> None:
    """As in two threads of one process."""
    target = tmp_path / "file"
    with replacing(target) as file:
        write(target, b"inner")
        file.write(b"outer")
    assert target.read_bytes() == b"outer"
    assert names(tmp_path) == ["file"]


@POSIX
def test_only_temporaries_of_the_same_target_are_removed(tmp_path: Path) -> None:
    target = tmp_path / "file[1]"
    process = gone()
    others = [left_behind(tmp_path / name, HERE, process) for name in ("file", "file1", "file[1].a", "other")]
    for name in (f"{PREFIX}file[1]", f"{PREFIX}file[1].notes", f"{PREFIX}file[1].{HERE}-x-{'0a' * 4}"):
        others.append(tmp_path / name)
        others[-1].write_bytes(b"somebody's")
    directory = tmp_path / f"{PREFIX}file[1].{HERE}-{process}-{'0b' * 4}"
    directory.mkdir()
    mine = left_behind(target, HERE, process)
    write(target, b"new")
    assert not mine.exists()
    assert all(other.exists() for other in (*others, directory))
    assert target.read_bytes() == b"new"


def test_a_process_that_belongs_to_somebody_else_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(process: int, number: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "kill", refuse)
    assert atomic._is_running(5)


def test_only_posix_flushes_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "os", SimpleNamespace(name="nt"))  # with nothing to open a directory with
    atomic._sync_directory(tmp_path)


KILLED = """
import os
import sys
from pathlib import Path
from bendtorch.checkpoint.atomic import replacing

with replacing(Path(sys.argv[1])) as file:
    file.write(b"half of the n")
    file.flush()
    os.kill(os.getpid(), 9)
"""


@POSIX
def test_a_killed_save_leaves_the_old_file_and_what_the_next_save_removes(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(target)], env=environment(), timeout=LIMIT, check=False)
    assert killed.returncode == -9
    assert target.read_bytes() == b"old"
    assert len(names(tmp_path)) == 2
    write(target, b"new")
    assert names(tmp_path) == ["file"]
    assert target.read_bytes() == b"new"
