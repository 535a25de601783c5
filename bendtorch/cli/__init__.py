"""The command `bendtorch`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from bendtorch.errors import BendError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives the exit status."""
    parser = argparse.ArgumentParser(prog="bendtorch", description="Tools for models made of typed layers.")
    commands = parser.add_subparsers(dest="command", required=True)
    check_parser = commands.add_parser("check", help="type-check files with mypy and the shapes plugin")
    check_parser.add_argument("files", nargs="+", metavar="FILE")
    summary_parser = commands.add_parser("summary", help="show a model's layers, shapes and parameters")
    summary_parser.add_argument(
        "target", metavar="MODULE:NAME", help="a layer, or a function of sizes: package.models:mlp(32)"
    )
    _add_laws(commands.add_parser("laws", help="check the laws of layers of your own"))
    profile_parser = commands.add_parser("profile", help="measure what each layer of a training step takes")
    profile_parser.add_argument("target", metavar="MODULE:NAME", help="as of summary")
    profile_parser.add_argument("--steps", type=int, default=10, metavar="N", help="steps to measure (10)")
    profile_parser.add_argument("--threads", type=int, metavar="N", help="number of threads (all processors)")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "check":
            from bendtorch.cli.check import check

            return check(chosen.files)
        if chosen.command == "laws":
            from bendtorch.cli.laws import laws

            return laws(chosen.targets, chosen.html, **_given(chosen))
        if chosen.command == "profile":
            from bendtorch.cli.profile import profile_target

            return profile_target(chosen.target, chosen.steps, chosen.threads)
        from bendtorch.cli.summary import summary

        return summary(chosen.target)
    except BendError as problem:
        sys.stderr.write(f"bendtorch {chosen.command}: {problem}\n")
        return 2


def _add_laws(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bendtorch laws`."""
    target = "a layer, or a function of sizes: package.layers:Scale; without any, those of pyproject.toml"
    parser.add_argument("targets", nargs="*", metavar="MODULE:NAME", help=target)
    for name, text in (
        ("only", "laws to check, and no others"),
        ("skip", "laws to leave out"),
        ("claims", "laws of certain layers that this one obeys too"),
    ):
        parser.add_argument(f"--{name}", metavar="L1,L2", type=_numbers, help=text)
    parser.add_argument("--cases", type=int, help="cases a law (100)")
    parser.add_argument("--seed", type=int, help="the seed of the first case (0)")
    parser.add_argument("--html", metavar="FILE", help="write the matrix and the counterexamples as a page")


def _numbers(text: str) -> list[str]:
    return [number.strip() for number in text.split(",") if number.strip()]


def _given(chosen: argparse.Namespace) -> dict[str, Any]:
    """The options of `check` that were given."""
    options = {name: getattr(chosen, name) for name in ("only", "skip", "claims", "cases", "seed")}
    return {name: value for name, value in options.items() if value is not None}
