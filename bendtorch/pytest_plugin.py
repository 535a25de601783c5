"""The laws that a project's pyproject.toml lists, as tests of pytest (see `laws/settings`).

`pytest` alone collects them after the other tests; `pytest pyproject.toml` collects nothing else. Each is named by its
layer and its law: `pyproject.toml::shop.layers:Scale::L24`. Nothing of the package is imported where there is no list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from bendtorch.laws.settings import Suite

FILE: Final = "pyproject.toml"
MARKS: Final = ("bendtorch", "laws")  # in a file that has a list


def _suites(path: Path) -> tuple[Suite, ...]:
    """The list in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ()
    if not all(mark in text for mark in MARKS):
        return ()
    from bendtorch.laws.settings import read_suites  # noqa: PLC0415  most projects' runs need nothing of it

    return read_suites(path)


def pytest_configure(config: pytest.Config) -> None:
    """Add the list to what is collected, unless the run was told what to collect."""
    path = config.rootpath / FILE
    told = config.args_source == pytest.Config.ArgsSource.ARGS
    if not told and str(path) not in config.args and _has_suites(path):
        config.args.append(str(path))


def _has_suites(path: Path) -> bool:
    """Whether there is something to collect; a list at fault is, as an error."""
    from bendtorch.errors import ConfigError  # noqa: PLC0415

    try:
        return bool(_suites(path))
    except ConfigError:
        return True


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The root's pyproject.toml, where it has a list."""
    if file_path != parent.config.rootpath / FILE or not _has_suites(file_path):
        return None
    collector: pytest.Collector = LawFile.from_parent(parent, path=file_path)
    return collector


class LawFile(pytest.File):
    """A pyproject.toml, of which each layer is collected."""

    def collect(self) -> Iterator[pytest.Collector]:
        """The layers in its list."""
        for suite in _suites(self.path):
            yield LayerLaws.from_parent(self, name=suite.target, suite=suite)


class LayerLaws(pytest.Collector):
    """One layer, of which each law is a test."""

    def __init__(self, *, suite: Suite, **more: Any) -> None:
        super().__init__(**more)
        self.suite = suite

    def collect(self) -> Iterator[pytest.Item]:
        """Its laws; a layer that cannot be found or built is an error of collection."""
        from bendtorch.cli.target import find_maker, look_in  # noqa: PLC0415
        from bendtorch.laws.suite import items_of  # noqa: PLC0415

        look_in(self.config.rootpath)
        maker = find_maker(self.suite.target)
        for number, run in items_of(maker, **self.suite.options):
            yield LawItem.from_parent(self, name=number, run=run)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """What is wrong with a target, without the frames that found it out."""
        return _shown(excinfo, super().repr_failure)


class LawItem(pytest.Item):
    """A law of a layer."""

    def __init__(self, *, run: Callable[[], Any], **more: Any) -> None:
        super().__init__(**more)
        self.run = run

    def runtest(self) -> None:
        """Compare it."""
        from bendtorch.laws.suite import judge  # noqa: PLC0415

        judge(self.run)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """The paragraph on the law."""
        return _shown(excinfo, super().repr_failure)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it comes from, and its name."""
        assert self.parent is not None
        return self.path, None, f"{self.parent.name} {self.name}"


def _shown(excinfo: pytest.ExceptionInfo[BaseException], otherwise: Callable[[Any], Any]) -> Any:
    """An error of the package by its message."""
    from bendtorch.errors import BendError  # noqa: PLC0415

    return f"{excinfo.value}" if isinstance(excinfo.value, BendError) else otherwise(excinfo)
