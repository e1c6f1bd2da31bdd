"""Pages, docstrings and messages name what there is: public names, modules and files."""

import re
from importlib import import_module
from pathlib import Path

import attrs
import pytest

import dpframe as dp

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "notebooks").glob("*.md")]
SOURCES = [*(ROOT / "dpframe").rglob("*.py"), *(ROOT / "dpframe").rglob("*.pyi")]
NAME = re.compile(r"(?<![\w.])(?:dp|dpframe)((?:\.[A-Za-z_]\w*)+)")
FILE = re.compile(r"`((?:\w+/)+(?:\w+\.(?:py|pyi|md))?)`")
MISSPELT = {"Gausian", "polynomial"}  # what docs/language.md shows an error for
OTHERS = {"bibliography.md", "museum.md"}  # these name files of other people
EXAMPLES = {"mechanisms/KIND.py"}  # of docs/adding.md
PLACES = [ROOT, ROOT / "dpframe", ROOT / "docs", ROOT / "tests", ROOT / "tests" / "conformance"]


def exists(name: str) -> bool:
    """Whether `dpframe` and a dotted name lead to an object, a module or a field of a class."""
    found: object = dp
    path = "dpframe"
    for part in name.strip(".").split("."):
        fields = attrs.fields_dict(found) if attrs.has(found) else {}  # type: ignore[arg-type]
        if not hasattr(found, part):
            try:
                found = import_module(f"{path}.{part}")
            except ImportError:
                return part in fields
        else:
            found = getattr(found, part)
        path = f"{path}.{part}"
    return True


def missing(path: Path) -> set[str]:
    """The dotted names of a file that lead nowhere."""
    text = path.read_text(encoding="utf-8").replace("\\_", "_")
    names = set(NAME.findall(text)) - {f".{name}" for name in MISSPELT}
    return {name for name in names if not exists(name)}


def test_pages_name_what_is_public():
    """So does the README; the list of changes is history, and may name what is gone."""
    found = {str(path.relative_to(ROOT)): missing(path) for path in PAGES}
    assert {page: names for page, names in found.items() if names} == {}


def test_docstrings_and_messages_name_what_is_public():
    """In every file of the package, code included."""
    found = {str(path.relative_to(ROOT)): missing(path) for path in SOURCES}
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize("name", ["Rowz", "AdaOPSPrinted", "graph.Rowz", "regressions.every"])
def test_a_name_that_is_gone_is_noticed(name):
    """One that moved to a namespace, too."""
    assert not exists(name)


def test_pages_name_files_that_exist():
    """Relative to the repository, to dpframe, to docs, to tests, or to the page."""
    found = {}
    for page in PAGES:
        text = "" if page.name in OTHERS else page.read_text("utf-8")
        named = set(FILE.findall(text)) - EXAMPLES
        here = [*PLACES, page.parent]
        gone = {one for one in named if not any((place / one).exists() for place in here)}
        found[str(page.relative_to(ROOT))] = gone
    assert {page: files for page, files in found.items() if files} == {}


@pytest.mark.parametrize("kind", [dp.Rows, dp.graph.Release, dp.regressions.ObjPertPure])
def test_messages_say_where_a_public_class_stands(kind):
    """In the face, or in a namespace."""
    address = dp.errors.address(kind.__name__)
    assert exists(address.removeprefix("dp"))
    assert address.endswith(f".{kind.__name__}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_displayed_formulas_stand_alone(page):
    """Without a blank line before it a display is text, and takes what follows for formulas."""
    before, inside, code = "", False, False
    for line in page.read_text("utf-8").splitlines():
        code ^= line.startswith("```")
        if "$$" in line and not code:
            assert inside or (line.startswith("$$") and not before.strip()), line
            inside ^= line.count("$$") % 2 == 1
        before = line
