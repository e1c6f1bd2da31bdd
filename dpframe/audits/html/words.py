"""Sentences and numbers of an audit as a page sets them: Greek letters, powers, code, citations as
links. Only the formulas of a text are read, in the notation of declarations; its words stay as they
are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

from markupsafe import Markup, escape

from dpframe.wording import Cited, Code, Formula, Subject, Text, parts_of

from ..blocks import Typeset
from ..figures import clipped
from .mathematics import GREEK, formula

WHITE = frozenset("\n\t")
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # controls, bidi, lone surrogates
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LONGEST, NAME = 2000, 300  # characters of a sentence, of a name in it
THIN = "\N{NARROW NO-BREAK SPACE}"
GLUE = "\N{NO-BREAK SPACE}"


def visible(text: str) -> str:
    """The text with every character that is not seen, or that reorders others, as its number.

    >>> visible("a" + chr(0x202E) + "b" + chr(0))
    'a⟨U+202E⟩b⟨U+0000⟩'
    """
    return "".join(
        f"⟨U+{ord(one):04X}⟩" if one not in WHITE and unicodedata.category(one) in UNSEEN else one
        for one in text
    )


PIECE = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z_]\w*|\^-?\d+(?![\d/])|<=|>=|->|.", re.DOTALL)
SIGNS = GREEK | {
    "lambda_min": "λ_min",
    "sqrt": "√",
    "inf": "∞",
    "*": "·",
    "<=": "≤",
    ">=": "≥",
    "->": "→",
    "-": "−",
}
MINUS_AFTER = {"", " ", "(", "[", ","}
UNBROKEN = 24  # characters of a formula or of code that stays on one line
CODE, SUBJECT = Markup("<code>{}</code>"), Markup('<span class="subject">{}</span>')
WHOLE = Markup('<code class="whole">{}</code>')  # never broken
CITED = Markup('<a href="#source-{}" class="cite">{}</a>')
SMALLEST = Markup("λ<sub>min</sub>")


def signs(formula: str) -> str:
    r"""A formula in the notation of declarations, as papers print it.

    >>> signs("mu^2 <= 2*log(4e6)"), signs("X'X"), signs("(1, 1e-6)")
    ('μ² ≤ 2·log(4\u202f×\u202f10⁶)', 'XᵀX', '(1,\xa010⁻⁶)')
    """
    made, before = "", ""
    for piece in PIECE.findall(formula):
        made += _sign(piece, before)
        before = piece
    return made.replace(" ", GLUE) if made[:1] in tuple("([") and len(made) <= UNBROKEN else made


def _sign(piece: str, before: str) -> str:
    if piece == "'" and before.isalpha() and len(before) <= 2:
        return "ᵀ"  # of a matrix or of a vector
    if piece == "-" and before not in MINUS_AFTER:
        return piece  # a hyphen
    if piece[0] == "^" and len(piece) > 1:
        return piece[1:].translate(RAISED)
    digits, scientific, power = piece.partition("e")
    if piece[0].isdigit() and scientific:
        ten = f"10{power.translate(RAISED)}"
        return ten if digits == "1" else f"{digits}{THIN}×{THIN}{ten}"
    return SIGNS.get(piece, piece)


def words(text: str, known: Collection[str] = (), width: int = LONGEST) -> Markup:
    """The text as HTML: its formulas as papers print them, its code as code, and each citation of
    a `known` source as a link to it. What is longer than `width` loses its middle.
    """
    short = (
        Subject(clipped(part, NAME)) if isinstance(part, Subject) else part
        for part in parts_of(text)
    )
    return _joined(parts_of(clipped(Text(short), width)), known)


def _joined(parts: Iterable[str], known: Collection[str]) -> Markup:
    return Markup().join(_set(part, known) for part in parts)


def _set(part: str, known: Collection[str]) -> Markup:
    match part:
        case Text():
            return _joined(part.parts, known)
        case Typeset():
            return formula(part.of, part.name)
        case Formula():
            return escape(signs(part)).replace("λ_min", SMALLEST)
        case Code():
            return (WHOLE if len(part) <= UNBROKEN else CODE).format(part.strip("`"))
        case Subject():
            return SUBJECT.format(part)
        case Cited() if part.key in known:
            return CITED.format(part.key, part)
        case " = ":
            return escape(f"{GLUE}={GLUE}")
    return escape(part)
