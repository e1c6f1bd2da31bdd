"""Writes dpframe/audits/findings/bibliography.json from docs/bibliography.md."""

import json
from pathlib import Path

import dpframe
from dpframe.audits.findings.findings import read

PACKAGE = Path(dpframe.__file__).parent
PAGE = PACKAGE.parent / "docs" / "bibliography.md"
FILE = PACKAGE / "audits" / "findings" / "bibliography.json"


def text() -> str:
    """What the file should hold."""
    return json.dumps(read(PAGE.read_text("utf-8")), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
