"""The pages: each is reached from the first one and names what exists; the README is short."""

import re
from importlib import import_module
from pathlib import Path

import attrs
import pytest
from typer.main import get_command

import dpframe as dp
from dpframe.cli.app import COMMANDS
from dpframe.experiments.catalogue import chosen

# ---------------------------------------------------------------------- Reached from the first page
DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
TOCTREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+\.(?:md|png|svg))")
DOC = re.compile(r"\{doc\}`[^<`]*<([^>`]+)>`")
CARDS = ["tutorials", "guides/index", "reference/index", "explanation"]
SEARCHED = {
    "install": "install.md",
    "outliers": "guides/choosing-bounds.md",
    "confidence interval": "guides/reading-a-summary.md",
    "logistic": "guides/binary-outcomes.md",
}


def below(page: Path) -> list[Path]:
    """What the tables of contents of a page name."""
    entries = "\n".join(TOCTREE.findall(page.read_text("utf-8"))).splitlines()
    names = [line.strip() for line in entries if line.strip() and not line.startswith(":")]
    named = [page.parent / f"{name}.md" for name in names if "*" not in name]
    matched = [one for name in names if "*" in name for one in page.parent.glob(f"{name}.md")]
    return [*named, *sorted({*matched} - {page})]


def test_every_page_is_in_a_table_of_contents_once() -> None:
    """What Sphinx says too, without a build; a name that leads nowhere is found."""
    found, todo = [DOCS / "index.md"], [DOCS / "index.md"]
    while todo:
        new = below(todo.pop())
        found += new
        todo += new
    names = [path.resolve() for path in found]
    assert len(set(names)) == len(names)
    assert set(names) == {path.resolve() for path in [*PAGES, *(DOCS / "notebooks").glob("*.md")]}


def test_every_link_of_a_page_leads_to_a_file() -> None:
    """Pages and pictures."""
    gone = set()
    for page in PAGES:
        text = page.read_text("utf-8")
        paths = [page.parent / link for link in LINK.findall(text)]
        for name in DOC.findall(text):
            base = DOCS if name.startswith("/") else page.parent
            paths.append(base / f"{name.lstrip('/')}.md")
        gone |= {(page.name, str(path)) for path in paths if not path.exists()}
    assert gone == set()


def test_the_first_page_has_four_cards_and_no_proofs() -> None:
    """Use comes first; proofs stand behind a page of their own."""
    text = (DOCS / "index.md").read_text("utf-8")
    assert re.findall(r"\*\*\[\w+\]\(([\w/]+)\.md\)\*\*", text) == CARDS
    assert "proofs/" not in text


@pytest.mark.parametrize("words", SEARCHED)
def test_what_people_search_for_is_said_by_the_page_that_answers(words: str) -> None:
    """The search of the pages finds words, no meanings."""
    assert words in (DOCS / SEARCHED[words]).read_text("utf-8").lower()


def test_the_reference_has_every_public_name_once() -> None:
    """Of `dpframe`, by topic; and every namespace."""
    text = "".join(page.read_text("utf-8") for page in (DOCS / "reference").glob("*.md"))
    named = re.findall(r"auto(?:class|function|data):: dpframe\.(\w+)$", text, re.MULTILINE)
    assert sorted(named) == sorted(dp.__all__)
    spaces = {name for name in dir(dp) if name not in dp.__all__}
    assert set(re.findall(r"automodule:: dpframe\.(\w+)$", text, re.MULTILINE)) == spaces


def test_the_chart_of_regressions_names_what_is_recommended() -> None:
    """No baseline, which is not private, and nothing that is printed or coded elsewhere."""
    chart = (DOCS / "guides" / "which-regression.md").read_text("utf-8")
    names = re.findall(r"regressions/([A-Z]\w+)\.md", chart)
    spaces = (dp.regressions, dp)
    found = {name: next(getattr(s, name) for s in spaces if name in dir(s)) for name in names}
    assert len(found) > 15
    assert {name for name, cls in found.items() if cls.variant != "recommended"} == set()


# ------------------------------------------------------------------ Public names, modules and files
ROOT = Path(__file__).parent.parent
TEXTS = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "notebooks").glob("*.md")]
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
    found = {str(path.relative_to(ROOT)): missing(path) for path in TEXTS}
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
    for page in TEXTS:
        text = "" if page.name in OTHERS else page.read_text("utf-8")
        named = set(FILE.findall(text)) - EXAMPLES
        here = [*PLACES, page.parent]
        gone = {one for one in named if not any((place / one).exists() for place in here)}
        found[str(page.relative_to(ROOT))] = gone
    assert {page: files for page, files in found.items() if files} == {}


TYPED = re.compile(r"(?:^ {4}|^|`)dpframe ([^`\n#]+)", re.MULTILINE)
EXPERIMENT = re.compile(r"dpframe experiment (?!list\b)([a-z][\w.-]*)")


def options(words: list[str]) -> set[str]:
    """The options of the command that a line begins with, those of its subcommands included."""
    todo = [get_command(import_module(f"dpframe.cli.{words[0]}").app)]
    found = {"--help"}
    for command in todo:
        todo += getattr(command, "commands", {}).values()
        found |= {option for one in command.params for option in one.opts + one.secondary_opts}
    return found


def unknown(text: str) -> set[str]:
    """The options of command lines that do not exist. Raises InvalidArgument for experiments."""
    for name in EXPERIMENT.findall(text):
        chosen(name)
    found = set()
    for line in TYPED.findall(text.replace("\\\n", " ")):
        words = line.split()
        if words[0] in COMMANDS:
            used = {word for word in words if re.fullmatch(r"--?[a-z][a-z-]*", word)}
            found |= used - options(words)
    return found


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_command_lines_of_pages_have_options_that_exist(page: Path) -> None:
    """And name tables and figures that `dpframe experiment list` prints."""
    assert unknown(page.read_text("utf-8")) == set()


def test_an_option_that_is_gone_is_noticed() -> None:
    """So is a figure."""
    assert unknown("    dpframe split SSP --plot a.png") == {"--plot"}
    with pytest.raises(dp.InvalidArgument):
        unknown("`dpframe experiment wang-table3`")


@pytest.mark.parametrize("kind", [dp.Rows, dp.graph.Release, dp.regressions.ObjPertPure])
def test_messages_say_where_a_public_class_stands(kind):
    """In the face, or in a namespace."""
    address = dp.errors.address(kind.__name__)
    assert exists(address.removeprefix("dp"))
    assert address.endswith(f".{kind.__name__}")


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_displayed_formulas_stand_alone(page):
    """Without a blank line before it a display is text, and takes what follows for formulas."""
    before, inside, code = "", False, False
    for line in page.read_text("utf-8").splitlines():
        code ^= line.startswith("```")
        if "$$" in line and not code:
            assert inside or (line.startswith("$$") and not before.strip()), line
            inside ^= line.count("$$") % 2 == 1
        before = line


# --------------------------------------------------------------------------------------- The README
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
MOST = 700


def test_it_is_read_in_five_minutes() -> None:
    """Code and tables count, too."""
    assert len(TEXT.split()) <= MOST


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)]+)\)", TEXT))))
def test_every_link_leads_to_a_file(target: str) -> None:
    """Links are to files of this repository."""
    assert (ROOT / target).is_file()


@pytest.mark.parametrize("command", re.findall(r"^    make ([\w-]+)", TEXT, re.MULTILINE))
def test_every_make_command_exists(command: str) -> None:
    """The Makefile knows what the README says."""
    assert re.search(rf"^{command}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
