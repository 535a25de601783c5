"""What is proved, for whom: `python -m laws.proofs` proves everything and prints it; it fails where a proof does."""

from __future__ import annotations

import sys

from bendtorch.laws.proofs import THEOREMS, Verdict


def lines_of(verdict: Verdict) -> str:
    """One line for what is proved, the differing terms for what is not."""
    theorem = verdict.theorem
    if not verdict.proved:
        return f"NOT PROVED  {verdict}"
    given = f"; given {theorem.given}" if theorem.given else ""
    return f"{theorem.law:6} {theorem.statement}  [{theorem.scope}{given}]"


def main() -> int:
    """Prove all theorems; 1 when one does not hold."""
    verdicts = [theorem.verdict() for theorem in THEOREMS]
    sys.stdout.write("".join(f"{lines_of(verdict)}\n" for verdict in verdicts))
    failed = sum(not verdict.proved for verdict in verdicts)
    compared = sum(verdict.compared for verdict in verdicts)
    sys.stdout.write(f"{len(verdicts) - failed} of {len(verdicts)} proved, by {compared} comparisons\n")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
