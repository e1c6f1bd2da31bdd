"""Sphinx: pages that open without a network, notebooks that ran, reference from the docstrings."""

import importlib.metadata
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

import dpframe

project = "dpframe"
author = copyright = "dpframe developers"  # noqa: A001  Sphinx's name for it
release = version = importlib.metadata.version("dpframe")

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx-mathjax-offline",
]
exclude_patterns = ["_build"]
suppress_warnings = ["toc.not_readable"]  # index.md names pages before they are written

smartquotes = False  # A' is a transpose
html_theme = "furo"
html_title = f"dpframe {release}"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_search_scorer = str(Path(__file__).with_name("_static") / "scorer.js")

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

os.environ.pop("MPLBACKEND", None)  # or kernels, which inherit it, would show no picture
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_in_temp = True  # a notebook reads nothing of the checkout but the package
nb_execution_timeout = 120  # seconds a cell

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autosummary_generate = False  # its tables stand above what they list
python_maximum_signature_line_length = 80
default_role = "code"
numpydoc_show_class_members = False


CODE = re.compile(r"(`+[^`]*`+)")
MARKUP = re.compile(r"[|*]|_(?!\w)")


def docstring_as_text(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Docstrings speak mathematics: |y|, coef_ and x*y mean themselves. Doctests stay."""
    in_doctest = False
    for number, line in enumerate(lines):
        in_doctest = line.lstrip().startswith(">>>") or (in_doctest and bool(line.strip()))
        if not in_doctest:
            text = CODE.split(line)  # every second piece stands in backticks
            text[::2] = [MARKUP.sub(r"\\\g<0>", piece) for piece in text[::2]]
            lines[number] = "".join(text)


def what_the_face_has(app: Sphinx, what: str, name: str, *_: object) -> bool | None:
    """A name of `dpframe` is described there, and not a second time in the namespace it is from."""
    within = app.env.temp_data.get("autodoc:module", "dpframe")
    return True if what == "module" and within != "dpframe" and name in dpframe.__all__ else None


BIBLIOGRAPHY = Path(__file__).with_name("bibliography.md").read_text("utf-8")
KEYS = "|".join(re.findall(r"^\[(\w+)\]$", BIBLIOGRAPHY, re.MULTILINE))
CITED = re.compile(rf"(?<=\[)(?:{KEYS})\b|(?<=; )(?:{KEYS})\b")


def anchor(key: str) -> str:
    """Where a work stands on the page of the bibliography."""
    return f"work-{key.lower()}"


def link_citations(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """[BalleW18, Thm 8] in a text leads to the work; the bibliography's own terms are where to."""
    if page == "bibliography":
        for term in doctree.findall(nodes.term):
            term["ids"].append(anchor(term.astext().strip("[]")))
        return
    uri = app.builder.get_relative_uri(page, "bibliography")
    for text in list(doctree.findall(nodes.Text)):
        if isinstance(text.parent, nodes.FixedTextElement | nodes.literal | nodes.reference):
            continue
        parts: list[nodes.Node] = []
        end = 0
        for found in CITED.finditer(text):
            parts.append(nodes.Text(text[end : found.start()]))
            target = f"{uri}#{anchor(found[0])}"
            parts.append(nodes.reference("", found[0], internal=True, refuri=target))
            end = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


MOST_COLUMNS = 4  # that a telephone shows side by side
NUMBER = re.compile(r"[-+(]?\d")


def name_cells(_app: Sphinx, doctree: nodes.document, _page: str) -> None:
    """On telephones a wide table of words is a list: each cell follows its column's name."""
    for table in doctree.findall(nodes.table):
        rows = list(table.findall(nodes.row))
        head, body = rows[0], rows[1:]
        cells = [cell.astext() for row in body for cell in row[1:]]
        numbers = sum(bool(NUMBER.match(cell)) or len(cell) <= 1 for cell in cells)
        if len(head) <= MOST_COLUMNS or 2 * numbers > len(cells):
            continue
        table["classes"].append("listed")
        for row in body:
            for name, cell in zip(head[1:], row[1:], strict=True):
                if cell.children:
                    cell[0].insert(0, nodes.inline("", name.astext(), classes=["column"]))


def link_sources(app: Sphinx, page: str, _: str, context: dict[str, Any], _tree: object) -> None:
    """[docs] on a page of source leads to the name under which a member is described."""
    objects = app.env.domains["py"].data["objects"]
    known = sorted((one for one, entry in objects.items() if not entry.aliased), key=len)

    def described(found: re.Match[str]) -> str:
        parts = found[1].split(".")
        ends = (".".join(["", *parts[start:]]) for start in range(1, len(parts)))
        same = (one for end in ends for one in known if one.endswith(end))
        return found[0] if found[1] in objects else f'#{next(same, found[1])}"'

    if page.startswith("_modules/") and "body" in context:
        context["body"] = re.sub(r'#(dpframe\.[\w.]+)"', described, context["body"])


class References(HTMLParser):
    """Collects what a page makes the reader's browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Links that a reader follows (a href) are no fetches."""
        if tag not in {"a", "area"}:
            self.found += [value for key, value in attrs if key in {"href", "src"} and value]


def refuse_external_references(app: Sphinx, exception: Exception | None) -> None:
    """The pages open without a network, and tell nobody who reads them."""
    if exception or app.builder.format != "html":
        return
    external = []
    for page in sorted(Path(app.outdir).rglob("*.html")):
        parser = References()
        parser.feed(page.read_text())
        external += [
            f"{page.relative_to(app.outdir)}: {url}" for url in parser.found if urlsplit(url).netloc
        ]
    if external:
        message = "The built pages fetch from elsewhere:\n" + "\n".join(external)
        raise SphinxError(message)


def setup(app: Sphinx) -> None:
    """Register the hooks above."""
    app.connect("autodoc-process-docstring", docstring_as_text, priority=100)
    app.connect("html-page-context", link_sources)
    app.connect("autodoc-skip-member", what_the_face_has)
    app.connect("doctree-resolved", link_citations)
    app.connect("doctree-resolved", name_cells)
    app.connect("build-finished", refuse_external_references)
