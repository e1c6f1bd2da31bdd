"""A document as text, in a number of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product, zip_longest

from dpframe.notebooks import card, folded, sentences
from dpframe.notebooks import table as html_table

from .blocks import Column, Document, Pairs, Say, Section, Table, Verbatim
from .figures import WIDTH, figure, hanging, table
from .findings import findings
from .report import Audit
from .sections import document
from .sections.releases import released

INDENT = "  "
LATER = {"proof", "plan", "derivations", "claim", "notes"}  # left out of short texts
FOR_PAGES = {"graph", "profile", "sources", "reproduce"}
TERM = 24  # characters of terms beside which their texts stand


def text(made: Document, width: int = WIDTH, *, details: str = "", sources: bool = False) -> str:
    """The verdict, the sentence to sign, and the sections that an engineer reads first; with all
    sections of texts unless `details` names the call that prints them.
    """
    blocks = [[*_front(made, width)]]
    known = [one for one in made.sections if one.place not in FOR_PAGES]
    shown = [one for one in known if one.place not in LATER or not details]
    shown += [one for one in made.sections if one.place == "sources" and sources]
    blocks += [[*_section(one, width, brief=bool(details))] for one in shown]
    if details:
        more = "; ".join(one.title for one in known if one not in shown)
        blocks.append(hanging(f"More, by {details}: {more}.", 2, width))
    return "\n\n".join("\n".join(block) for block in blocks)


def _front(document: Document, width: int) -> Iterator[str]:
    yield from hanging(f"Audit of {document.name}{document.arguments}", width=width)
    if document.title and document.title not in document.name:
        yield from hanging(document.title, width=width)
    yield ""
    yield from hanging(f"{document.says}. {document.lead}", 0, width)
    yield ""
    yield from hanging(document.sentence, 0, width)
    if document.untrue:
        yield ""
        yield from hanging(document.untrue, 0, width)
    if document.headline:
        yield ""
        yield from _pairs(
            Pairs([(term, f"{value} {at}") for term, value, at in document.headline]), width
        )
    if document.example:
        yield from hanging(f"{INDENT}{document.example}", width=width)


def _section(section: Section, width: int, *, brief: bool) -> Iterator[str]:
    yield from hanging(section.title, width=width)
    for whole in section.blocks:
        block = whole.brief if brief and isinstance(whole, Say | Pairs | Table) else whole
        match block:
            case Say(""):
                pass
            case Say(said):
                for line in said.split("\n"):
                    yield from hanging(f"{INDENT}{line}", 0, width)
            case Pairs():
                yield from _pairs(block, width)
            case Table():
                yield from _table(block, width)
            case Verbatim(_, said):
                yield from (f"{INDENT}{line}" for line in said.split("\n"))


def _pairs(block: Pairs, width: int) -> Iterator[str]:
    """Terms, and beside them what is said of each."""
    indent = INDENT
    if block.title:
        badge = "" if block.badge is None else f"{block.badge}: "
        yield from hanging(f"{INDENT}{badge}{block.title}", width=width)
        indent = INDENT * 2
    room = max((len(term) for term, _ in block.pairs if len(term) <= TERM), default=0)
    for term, said in block.pairs:
        beside = term if len(term) <= room else ""
        if not beside:
            yield from hanging(f"{indent}{term}", width=width)
        for line in said:
            start = f"{indent}{beside:{room}}{INDENT}"
            for piece in hanging(line, 0, width - len(start)):
                yield f"{start}{piece}"
                start = " " * len(start)
            beside = ""


def _table(block: Table, width: int) -> Iterator[str]:
    """Columns side by side; without room, less of them, and some below the names of their rows;
    without room for these, a paragraph a row.
    """
    yield from hanging(f"{INDENT}{block.caption}:", width=width)
    columns = block.columns
    shown = [i for i, one in enumerate(columns) if not one.picture]
    for places, parted in product(_choices(columns, shown), (False, True)):
        lines, heads = _aligned(block, places, parted=parted)
        if max(map(len, lines)) <= width:
            break
    else:
        lines, heads, places = [], 0, shown
    below = [i for i in shown if columns[i].under and i not in places]
    yield from lines[:heads]
    for row, line in zip_longest(block.rows, lines[heads:], fillvalue=""):
        cells = "; ".join(f"{columns[i].title} {row[i]}" for i in shown if i != block.head)
        yield from [line] if line else hanging(f"{INDENT}{row[block.head]}: {cells}", width=width)
        for i in below:
            yield from hanging(f"{INDENT * 2}{row[i]}", width=width)


def _choices(columns: Sequence[Column], shown: list[int]) -> list[list[int]]:
    """Which columns to show: all, then fewer."""
    less = [i for i in shown if not columns[i].extra]
    inside = [[i for i in some if not columns[i].under] for some in (shown, less)]
    return [shown, less, *inside]


def _aligned(block: Table, places: list[int], *, parted: bool) -> tuple[list[str], int]:
    """The lines of a table, and how many are its head, of which each word may have a line."""
    columns = [block.columns[i] for i in places]
    titles = [one.title.split() if parted else [one.title] for one in columns]
    high = max(map(len, titles))
    head = [*zip(*([""] * (high - len(some)) + some for some in titles), strict=True)]
    cells = [[str(row[i]) for i in places] for row in block.rows]
    ends = [i for i, one in enumerate(columns) if one.number]
    return table(head[0], [*head[1:], *cells], ends), high


# --------------------------------------------------------------------------- The card of a notebook
def card_of(audit: Audit) -> str:
    """The releases, the sentence to sign, the numbers that matter most, the text."""
    tables = [one for one in released(audit) if isinstance(one, Table)]
    made = document(findings(audit, whole=False))
    numbers = [f"{term}: {value} {at}." for term, value, at in made.headline]
    if audit.joint_epsilon is not None:
        cost = figure(audit.joint_epsilon, "up")
        numbers.insert(0, f"All releases together cost an epsilon of at most {cost}.")
    return card(
        f"audit of {audit.regression}",
        *(html_table(one.rows, [c.title for c in one.columns], texts=2) for one in tables),
        sentences([*numbers, " ".join(made.sentence.split())]),
        folded("The whole audit", text(made)),
        verdict=str(audit.verdict),
    )
