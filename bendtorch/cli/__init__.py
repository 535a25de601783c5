"""The command `bendtorch`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

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
    profile_parser = commands.add_parser("profile", help="measure what each layer of a training step takes")
    profile_parser.add_argument("target", metavar="MODULE:NAME", help="as of summary")
    profile_parser.add_argument("--steps", type=int, default=10, metavar="N", help="steps to measure (10)")
    profile_parser.add_argument("--threads", type=int, metavar="N", help="number of threads (all processors)")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "check":
            from bendtorch.cli.check import check

            return check(chosen.files)
        if chosen.command == "profile":
            from bendtorch.cli.profile import profile_target

            return profile_target(chosen.target, chosen.steps, chosen.threads)
        from bendtorch.cli.summary import summary

        return summary(chosen.target)
    except BendError as problem:
        sys.stderr.write(f"bendtorch {chosen.command}: {problem}\n")
        return 2
