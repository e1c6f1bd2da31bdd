"""An audit as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from dpframe.errors import MissingExtra

from ..descriptions.stated import ClaimedSensitivity
from ..findings import Findings

__all__ = ["html", "require"]


def html(
    findings: Findings,
    *,
    title: str = "",
    notes: Sequence[str] = (),
    command: str = "",
    printed: Sequence[ClaimedSensitivity] = (),
) -> str:
    """The page on an audit as a whole document, to be written as UTF-8.

    The same findings give the same characters. `title` stands above everything (left out: the name
    of what is audited), `notes` are paragraphs of the auditor's own, `command` is the command line
    that made the page, where there is one, and `printed` are the sensitivities of a paper, as
    Description.claimed_sensitivities. Everything that comes from outside is escaped,
    characters that are not seen are shown as their numbers, and long texts lose their middle;
    `Findings.record()` has all of them whole. Raises MissingExtra without Jinja2.
    """
    require()
    from ..sections import document
    from .document import page

    return page(document(findings, title=title, notes=notes, command=command, printed=printed))


def require() -> None:
    """Refuse where no page can be made. Raises MissingExtra without Jinja2."""
    if find_spec("jinja2") is None:
        raise MissingExtra("Jinja2", "pages")
