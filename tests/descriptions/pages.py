"""Writes the tables of docs/describing from the keys and functions of descriptions."""

import re
from pathlib import Path

import dpframe
from dpframe.audits.descriptions.algorithm import RELEASE, SHARED_NAMES
from dpframe.audits.descriptions.functions import FORMULAS, MAPS, RAW, STATISTICS
from dpframe.audits.descriptions.keys import (
    CLAIM,
    LABELS,
    OUTPUT,
    ROWS,
    TOP,
    Key,
)

ROOT = Path(dpframe.__file__).parents[1]
PAGE = ROOT / "docs" / "describing.md"
EXAMPLES = ROOT / "docs" / "examples"
BLOCK = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
TABLES = {"top": TOP, "claim": CLAIM, "rows": ROWS, "labels": LABELS}
TABLES |= {"release": RELEASE, "output": OUTPUT}
FUNCTIONS = {"formulas": FORMULAS, "maps": MAPS, "statistics": STATISTICS, "raw": RAW}


def page(text: str) -> str:
    """The page with its tables made anew."""
    return BLOCK.sub(lambda found: found[1] + table(found[2]) + found[3], text)


def table(name: str) -> str:
    """One table, of names, of keys or of functions."""
    if name == "names":
        return rows(
            ("name", "is"), [(f"`{one}`", meaning) for one, meaning in SHARED_NAMES.items()]
        )
    if name in TABLES:
        return rows(("key", "", "meaning"), [keyed(key) for key in TABLES[name]])
    functions = FUNCTIONS[name].values()
    return rows(("written", "is"), [(f"`{one.written}`", one.meaning) for one in functions])


def keyed(key: Key) -> tuple[str, ...]:
    """A key as a row."""
    listed = f" One of {', '.join(f'`{word}`' for word in key.words)}." if key.words else ""
    meaning = re.sub(r'"(\w+)"', r'`"\1"`', key.meaning)
    return f"`{key.name}`", "needed" if key.required else "", meaning + listed


def rows(head: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    """A table."""
    lines = [head, tuple("---" for _ in head), *body]
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
