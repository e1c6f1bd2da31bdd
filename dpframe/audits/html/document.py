"""A document as one HTML file: no network, no script, every word of it escaped.

The markup stands in `templates/`, which escape whatever they are given.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from markupsafe import Markup

from ..blocks import Document
from ..figures import clipped, percent
from ..pictures import Axes, bars
from ..sections.costs import sharp
from .graph_picture import graph_picture
from .words import LONGEST, signs, visible, words

HERE = Path(__file__).parent
STYLE = (HERE / "style.css").read_text(encoding="utf-8")


def page(document: Document) -> str:
    """The page as `html` promises it."""
    template = _environment().get_template("page.html")
    return f"{visible(template.render(document=document, cited=document.cited))}\n"


@cache
def _environment() -> Environment:
    """Templates that escape everything, and know no name that is not given."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "clip": clipped,
        "signs": signs,
        "p": lambda place: f"{place:.2f}".rstrip("0").rstrip("."),
        "percent": percent,
    }
    made.globals |= {
        "STYLE": Markup(STYLE),  # noqa: S704 - dpframe's own rules
        "kind": lambda block: type(block).__name__,
        "words": _words,
        "graph_picture": graph_picture,
        "axes_of": Axes.of,
        "bars_of": bars,
        "sharp": sharp,
    }
    return made


@pass_context
def _words(context: Any, text: str, width: int = LONGEST) -> Markup:
    """A sentence, its citations as links to the sources of this page. Raises TypeError for HTML,
    which would be escaped twice.
    """
    if isinstance(text, Markup):
        raise TypeError(text)
    return words(text, context["cited"], width)
