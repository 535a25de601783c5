"""Write the golden vectors that have changed: `python -m reference.golden`."""

from __future__ import annotations

import sys

from reference.golden.cases import write


def main() -> int:
    """Write, and say what was written."""
    print("\n".join(write()) or "nothing has changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
