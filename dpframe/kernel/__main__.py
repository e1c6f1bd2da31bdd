"""`python -m dpframe.kernel FILE [--expect HASH] [--trusted NAME ...]`; it exits with 0 accepted, 1
rejected, 2 unusable.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from dpframe.exact.documents import Unusable, content_of, read

from .checker import check, safe


def main(argv: Sequence[str] | None = None) -> int:
    """Check a file and say what was proved, or what was not. Returns the exit status."""
    usage = "check [--expect HASH] [--trusted CLASS] FILE; dpframe check also has --codebook FILE"
    parser = argparse.ArgumentParser(usage=usage, description="Check a dpframe certificate.")
    parser.add_argument("file", help="the certificate, a JSON file")
    parser.add_argument("--expect", metavar="HASH", help="refuse any other hash")
    parser.add_argument("--trusted", action="append", help="trust only module:Class, or none")
    options = parser.parse_args(argv)
    try:
        document = read(content_of(options.file))
    except (OSError, ValueError, Unusable) as error:
        print(f"unusable: {safe(str(error))}")
        return 2
    verdict = check(document, options.expect, trusted=options.trusted)
    if not verdict.accepted:
        unusable = verdict.reason.startswith("unusable: ")
        print(safe(verdict.reason if unusable else f"rejected: {verdict.reason}"))
        return 2 if unusable else 1
    lines = [
        f"accepted: {verdict.sentence}",
        *(f"on trust: {name}" for name in verdict.trusted),
        *(f"bounds of {one}" for one in verdict.bounds),
        *(f"released: {one}" for one in verdict.releases),
        *(f"stated by the author of the file, not checked: {a}" for a in document["assumptions"]),
        f"derivation: {document['statement']['derivation']}",
        f"obligations: {verdict.obligations}, all proved",
        f"hash: {verdict.hash}",
    ]
    print("\n".join(map(safe, lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
