"""Sentences and numbers of an audit as a page sets them: Greek letters, powers, code, citations as
links. What is text stays text: markup is made here and by the templates, and never read.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection
from fractions import Fraction

from markupsafe import Markup, escape

from dpframe.numbers import shortest
from dpframe.symbols import Expression

from ..figures import Side, between, clipped, exactly, figure
from ..figures import formula as written

WHITE = frozenset("\n\t")
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # controls, bidi, lone surrogates
GREEK = {
    "epsilon": "ε",
    "delta": "δ",
    "gamma": "γ",
    "lambda": "λ",
    "theta": "θ",
    "sigma": "σ",
    "alpha": "α",
    "beta": "β",
    "eta": "η",
    "tau": "τ",
    "rho": "ρ",
    "mu": "μ",
}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LONGEST, NAME = 2000, 300  # characters of a sentence, of a name in it
THIN = "\N{NARROW NO-BREAK SPACE}"
GLUE = "\N{NO-BREAK SPACE}"
DASH = "–"


def visible(text: str) -> str:
    """The text with every character that is not seen, or that reorders others, as its number.

    >>> visible("a" + chr(0x202E) + "b" + chr(0))
    'a⟨U+202E⟩b⟨U+0000⟩'
    """
    return "".join(
        f"⟨U+{ord(one):04X}⟩" if one not in WHITE and unicodedata.category(one) in UNSEEN else one
        for one in text
    )


def _scientific(found: re.Match[str]) -> str:
    power = "10" + found[2].translate(RAISED)
    return power if found[1] == "1" else f"{found[1]}{THIN}×{THIN}{power}"


Setting = tuple[str, str | Callable[[re.Match[str]], str]]
SIGNS: list[Setting] = [
    (r"(?<![\w.])(\d+(?:\.\d+)?)e(-?\d+)(?!\w|\.\d)", _scientific),
    (r"\blambda_min\b", "λ_min"),
    (
        rf"(?<![\w.`])(?<!(?<![A-Za-z])')({'|'.join(GREEK)})(?![\w(=`]|\.\w)",
        lambda found: GREEK[found[1]],
    ),
    (r"(?<=[\w)|])\^(-?\d+)(?![\d/]|\.\d)", lambda found: found[1].translate(RAISED)),
    (r"(?<=[\w)⁰¹²³⁴⁵⁶⁷⁸⁹])\*(?=[\w(])", "·"),
    (r"(?<![\w'])(?:([A-Za-z])'(?=[A-Za-zθ])(?!s\b)|(xx|zz)'(?![A-Za-z]))", r"\1\2ᵀ"),
    (r"<=", "≤"),
    (r">=", "≥"),
    (r"->", "→"),
    (r"(?<=[\w)]) - (?=[\w(])", " − "),
    (r"(?<=[(\[, ])-(?=\d|[A-Z]\b)", "−"),
    (r"\bsqrt\(", "√("),
    (r"(?<=, )inf(?=[)\]])|(?<=\(-)inf(?=,)", "∞"),
    (r"(?<=\w) = (?=[\w−⁻-]+(?:[ ,.;:)]|$))", f"{GLUE}={GLUE}"),  # ε = 1 stays together
    (r"([(\[][^\s()\[\]]{1,12}), ([^\s()\[\]]{1,12}[)\]])", rf"\1,{GLUE}\2"),  # so does (1, 10⁻⁶)
]
COMPILED = [(re.compile(pattern), sign) for pattern, sign in SIGNS]
TOKEN = re.compile(
    r"(?P<code>(?P<whole>`accountant = \"\w+\"`|\baccountant=\"\w+\"|--accountant \w+)|`[^`]+`|"
    r"\b(?:dp|[Xy](?=\.[a-z]))(?:\.[A-Za-z_]\w*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?)+)"
    r"|\[(?P<key>[A-Za-z][A-Za-z0-9]*)(?:, [^\[\]`]{1,60})?\]"
)
CODE, SUBJECT = Markup("<code>{}</code>"), Markup('<span class="subject">{}</span>')
WHOLE = Markup('<code class="whole">{}</code>')  # never broken
CITED = Markup('<a href="#source-{}" class="cite">{}</a>')
SMALLEST = Markup("λ<sub>min</sub>")


def plain_words(text: str) -> str:
    r"""The text with its formulas as papers print them.

    >>> plain_words("mu^2 = 2/log(4e6), delta = 1e-6 <= 5.18e-4 of X'X")
    'μ² = 2/log(4\u202f×\u202f10⁶), δ\xa0=\xa010⁻⁶ ≤ 5.18\u202f×\u202f10⁻⁴ of XᵀX'
    """
    for pattern, sign in COMPILED:
        text = pattern.sub(sign, text)
    return text


def words(text: str, known: Collection[str] = (), verbatim: str = "") -> Markup:
    """The text as HTML: code stays as it is written, `verbatim` too, and a citation of a `known`
    source is a link to it. What is very long loses its middle; in a sentence about `verbatim` this
    name does, and what follows it, but nothing that stands before.
    """
    if verbatim and verbatim in text:
        before, _, after = text.partition(verbatim)
        subject = SUBJECT.format(clipped(verbatim, NAME))
        return _set(before, known) + subject + _set(clipped(after, LONGEST), known)
    return _set(clipped(text, LONGEST), known)


def _set(text: str, known: Collection[str]) -> Markup:
    made, start = Markup(), 0
    for found in TOKEN.finditer(text):
        if found["code"] or found["key"] in known:
            made += _lowered(text[start : found.start()])
            key = found["key"]
            code = WHOLE if found["whole"] else CODE
            made += CITED.format(key, found[0]) if key else code.format(found[0].strip("`"))
            start = found.end()
    return made + _lowered(text[start:])


def _lowered(text: str) -> Markup:
    """The words, with min below the line in the smallest eigenvalue."""
    return escape(plain_words(text)).replace("λ_min", SMALLEST)


def shown(value: float | Fraction | None, side: Side = "near", digits: int = 0) -> str:
    """`8.85 × 10⁻⁷`, `0.596`; a dash where there is no number.

    >>> shown(8.848e-7, "up"), shown(None)
    ('8.85\u202f×\u202f10⁻⁷', '–')
    """
    return DASH if value is None else plain_words(figure(value, side, digits))


def given(value: float) -> str:
    """A number that the user chose, as it was written.

    >>> given(1.0), given(1e-06), given(0.25)
    ('1', '10⁻⁶', '0.25')
    """
    return plain_words(exactly(shortest(value))) if math.isfinite(value) else str(value)


def range_of(bounds: tuple[float, float], limit: Fraction | None = None) -> str:
    """`0.596`, `at most 0.600`, `between 5.97 and 42.7`."""
    return plain_words(between(bounds, limit))


def value_of(expression: Expression) -> str:
    """A formula as words, its middle left out where it is long."""
    return plain_words(clipped(written(expression), 120))


def percent(share: float | None) -> str:
    r"""`33.3 %`; a dash where there is no number.

    >>> percent(1 / 3), percent(1.0), percent(None)
    ('33.3\xa0%', '100\xa0%', '–')
    """
    if share is None:
        return DASH
    return f"{100 * share:{'.3g' if share < 9.995 else '.0f'}}{GLUE}%"
