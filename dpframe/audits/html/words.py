"""Sentences of an audit as a page sets them: Greek letters, powers, code, citations as links."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ..figures import clipped
from .elements import Content, element

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

LETTER = re.compile(rf"(?<![\w.`])(?<!(?<![A-Za-z])')({'|'.join(GREEK)})(?![\w(=`]|\.\w)")
SCIENTIFIC = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e(-?\d+)(?!\w|\.\d)")
POWER = re.compile(r"(?<=[\w)|])\^(-?\d+)(?![\d/]|\.\d)")
TIMES = re.compile(r"(?<=[\w)⁰¹²³⁴⁵⁶⁷⁸⁹])\*(?=[\w(])")
TRANSPOSE = re.compile(r"(?<![\w'])(?:([A-Za-z])'(?=[A-Za-zθ])(?!s\b)|(xx|zz)'(?![A-Za-z]))")
SIGNS = (
    (re.compile(r"<="), "≤"),
    (re.compile(r">="), "≥"),
    (re.compile(r"->"), "→"),
    (re.compile(r"(?<=[\w)]) - (?=[\w(])"), " − "),
    (re.compile(r"(?<=[(\[, ])-(?=\d|[A-Z]\b)"), "−"),
    (re.compile(r"\bsqrt\("), "√("),
    (re.compile(r"(?<=, )inf(?=[)\]])|(?<=\(-)inf(?=,)"), "∞"),
)
EQUAL = re.compile(r"(?<=\w) = (?=[\w−⁻-]+(?:[ ,.;:)]|$))")  # ε = 1 stays together
PAIR = re.compile(r"([(\[][^\s()\[\]]{1,12}), ([^\s()\[\]]{1,12}[)\]])")  # so does (1, 10⁻⁶)
CODE = re.compile(r"`[^`]+`|\bdp\.[A-Za-z_][\w.]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?")
CITED = re.compile(r"\[([A-Za-z][A-Za-z0-9]*)((?:, [^\[\]]{1,60})?)\]")
SMALLEST = re.compile(r"\blambda_min\b")


def plain_words(text: str) -> str:
    r"""The text with its formulas as papers print them.

    >>> plain_words("mu^2 = 2/log(4e6), delta = 1e-6 <= 5.18e-4 of X'X")
    'μ² = 2/log(4\u202f×\u202f10⁶), δ\xa0=\xa010⁻⁶ ≤ 5.18\u202f×\u202f10⁻⁴ of XᵀX'
    """
    text = SCIENTIFIC.sub(_scientific, text)
    text = SMALLEST.sub("λ_min", text)
    text = LETTER.sub(lambda found: GREEK[found[1]], text)
    text = POWER.sub(lambda found: found[1].translate(RAISED), text)
    text = TRANSPOSE.sub(_transposed, TIMES.sub("·", text))
    for pattern, sign in SIGNS:
        text = pattern.sub(sign, text)
    return PAIR.sub(f"\\1,{GLUE}\\2", EQUAL.sub(f"{GLUE}={GLUE}", text))


def _scientific(found: re.Match[str]) -> str:
    power = "10" + found[2].translate(RAISED)
    return power if found[1] == "1" else f"{found[1]}{THIN}×{THIN}{power}"


def _transposed(found: re.Match[str]) -> str:
    return f"{found[1] or found[2]}ᵀ"


def words(text: str, known: Collection[str] = (), verbatim: str = "") -> tuple[Content, ...]:
    """The text as contents of an element: code stays as it is written, `verbatim` too, and a
    citation of a `known` source is a link to it. What is very long loses its middle; in a sentence
    about `verbatim` this name does, and what follows it, but nothing that stands before.
    """
    if verbatim and verbatim in text:
        before, _, after = text.partition(verbatim)
        name = element("span", clipped(verbatim, NAME), class_="subject")
        return (*_split(before, known), name, *_split(clipped(after, LONGEST), known))
    return tuple(_split(clipped(text, LONGEST), known))


def _split(text: str, known: Collection[str]) -> Iterator[Content]:
    start = 0
    for found in CODE.finditer(text):
        yield from _cited(text[start : found.start()], known)
        yield element("code", found[0].strip("`"))
        start = found.end()
    yield from _cited(text[start:], known)


def _cited(text: str, known: Collection[str]) -> Iterator[Content]:
    start = 0
    for found in CITED.finditer(text):
        if found[1] in known:
            yield from _lowered(text[start : found.start()])
            yield element("a", found[0], href=f"#source-{found[1]}", class_="cite")
            start = found.end()
    yield from _lowered(text[start:])


def _lowered(text: str) -> Iterator[Content]:
    """The words, with min below the line in the smallest eigenvalue."""
    first, *others = plain_words(text).split("λ_min")
    yield from [first] if first else []
    for other in others:
        yield from ("λ", element("sub", "min"))
        yield from [other] if other else []
