"""Writes what is made of the schema: schema.json beside the code, the tables of docs/describing."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import dpframe
from dpframe.audits.descriptions.algorithm import SHARED_NAMES
from dpframe.audits.descriptions.functions import FORMULAS, MAPS, RAW, STATISTICS, Function
from dpframe.audits.descriptions.keys import (
    CLAIM,
    LABELS,
    OUTPUT,
    RELEASE,
    ROWS,
    TOP,
    Key,
    json_schema,
)

ROOT = Path(dpframe.__file__).parents[1]
SCHEMA = ROOT / "dpframe" / "audits" / "descriptions" / "schema.json"
PAGE = ROOT / "docs" / "describing.md"
EXAMPLES = ROOT / "docs" / "examples"
BLOCK = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
TABLES = {
    "top": TOP,
    "claim": CLAIM,
    "rows": ROWS,
    "labels": LABELS,
    "release": RELEASE,
    "output": OUTPUT,
}
FUNCTIONS = {"formulas": FORMULAS, "maps": MAPS, "statistics": STATISTICS, "raw": RAW}


def schema() -> str:
    """The JSON Schema as a file."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"


def page(text: str) -> str:
    """The page with its tables made anew."""
    return BLOCK.sub(lambda found: found[1] + table(found[2]) + found[3], text)


def table(name: str) -> str:
    """One table, of keys or of functions."""
    if name == "names":
        return rows(("name", "is"), [(f"`{one}`", told) for one, told in SHARED_NAMES.items()])
    if name in TABLES:
        return rows(("key", "", "meaning"), [keyed(key) for key in TABLES[name]])
    return rows(("written", "is"), list(written(FUNCTIONS[name].values())))


def keyed(key: Key) -> tuple[str, ...]:
    """A key as a row."""
    words = key.takes.get("enum")
    listed = f" One of {', '.join(f'`{word}`' for word in words)}." if words else ""
    meaning = re.sub(r'"(\w+)"', r'`"\1"`', key.meaning)
    return f"`{key.name}`", "needed" if key.required else "", escaped(meaning) + listed


def written(functions: object) -> Iterator[tuple[str, ...]]:
    """Functions as rows."""
    for one in functions:
        assert isinstance(one, Function)
        yield f"`{one.written}`", escaped(one.meaning)


def escaped(text: str) -> str:
    """Text for a cell."""
    return text.replace("|", "\\|")


def rows(head: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    """A table."""
    lines = [head, tuple("---" for _ in head), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    SCHEMA.write_text(schema(), "utf-8")
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
