"""Elements of a page, whose text and attributes are escaped: there is no way around it.

Tags and attributes are those of two lists. Links lead to places of the same page. The one text that
is not escaped is dpframe's own stylesheet, which the element `style` always holds and nothing else.

Numbers of a page, rounded to a stated side, as a reader sees them. Sentences of an audit as a page
sets them: Greek letters, powers, code, citations as links.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterator
from fractions import Fraction
from itertools import chain

import attrs

from dpframe.audits.figures import Side, between, clipped, exactly, figure
from dpframe.audits.figures import formula as written
from dpframe.numbers import shortest
from dpframe.symbols import Expression

from .style import STYLE


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


BLOCKS = _set(
    "html head body header main nav footer section figure figcaption div h1 h2 h3 h4 p ul li dl "
    "dt dd pre table caption thead tbody tr th td title meta style svg"
)
INLINE = _set("a span strong code sub")
DRAWN = _set("title desc g path rect circle line polyline polygon text defs pattern")
FORMULAS = _set("math mrow mi mn mo mtext mspace mfrac msqrt msup msub")
TAGS = BLOCKS | INLINE | DRAWN | FORMULAS
EMPTY = frozenset({"meta"})
NAMES = _set(
    "id class href lang dir name content charset http-equiv scope role tabindex aria-label "
    "aria-labelledby aria-hidden data-footer displaystyle alttext viewBox width height x y x1 x2 "
    "y1 y2 cx cy r rx d points fill text-anchor patternUnits patternTransform separator"
)
PLACE = re.compile(r"#[A-Za-z][A-Za-z0-9-]*\Z")
PAINT = re.compile(r"(none|url\(#[A-Za-z][A-Za-z0-9-]*\))\Z")
WHITE = frozenset("\n\t")
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # controls, bidi, lone surrogates

ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})


@attrs.frozen
class Element:
    """A tag, its attributes and what it holds. Raises ValueError for a tag or an attribute that no
    page has, and for a link that leaves the page.
    """

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple[Element | str, ...] = ()

    def __attrs_post_init__(self) -> None:
        """A programmer's mistake is found here, and never by a browser."""
        if self.tag not in TAGS:
            raise ValueError(f"no page has the tag {self.tag!r}")
        for name, value in self.attributes:
            if name not in NAMES:
                raise ValueError(f"no element has the attribute {name!r}")
            rule = {"href": PLACE, "fill": PAINT}.get(name)
            if rule is not None and not rule.match(value):
                raise ValueError(f"{name} = {value!r} leads out of the page")


Content = Element | str


def element(tag: str, *children: Content | None, **attributes: object) -> Element:
    """An element; None among children or attributes is left out. `class_` is class, and `x_y` x-y.

    >>> str(render(element("p", "a < b", class_="note", aria_label=None)))
    '<p class="note">a &lt; b</p>'
    """
    named = tuple(
        (key.rstrip("_").replace("_", "-"), _text(value))
        for key, value in attributes.items()
        if value is not None
    )
    return Element(tag, named, tuple(child for child in children if child is not None))


def _text(value: object) -> str:
    """A coordinate in few digits; anything else as it is."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def render(content: Content) -> str:
    """The content as HTML."""
    return "".join(_pieces(content))


def _pieces(content: Content) -> Iterator[str]:
    if isinstance(content, str):
        yield escaped(content)
        return
    shown = "".join(f' {name}="{escaped(value)}"' for name, value in content.attributes)
    yield f"<{content.tag}{shown}>"
    if content.tag in EMPTY:
        return
    if content.tag == "style":
        yield STYLE
    else:
        yield from chain.from_iterable(map(_pieces, content.children))
    yield f"</{content.tag}>"


def escaped(text: str) -> str:
    """The text as it may stand in an element or an attribute."""
    return visible(text).translate(ESCAPES)


def visible(text: str) -> str:
    """The text with every character that is not seen, or that reorders others, as its number.

    >>> visible("a" + chr(0x202E) + "b" + chr(0))
    'a⟨U+202E⟩b⟨U+0000⟩'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_seen, text))


def _seen(character: str) -> str:
    if character in WHITE or unicodedata.category(character) not in UNSEEN:
        return character
    return f"⟨U+{ord(character):04X}⟩"


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


DASH = "–"


def shown(value: float | Fraction | None, side: Side = "near", digits: int = 0) -> str:
    """`8.85 × 10⁻⁷`, `0.596`; a dash where there is no number.

    >>> shown(8.848e-7, "up"), shown(None)
    ('8.85\u202f×\u202f10⁻⁷', '–')
    """
    return DASH if value is None else plain_words(figure(value, side, digits))


def given(value: float) -> str:
    """A number that somebody chose, as it was written.

    >>> given(1.0), given(1e-06), given(0.25)
    ('1', '10⁻⁶', '0.25')
    """
    return plain_words(exactly(shortest(value))) if math.isfinite(value) else str(value)


def range_of(bounds: tuple[float, float], limit: Fraction | None = None) -> str:
    """`0.596`, `at most 0.600`, `between 5.97 and 42.7`."""
    return plain_words(between(bounds, limit))


def number(text: str, **attributes: object) -> Element:
    """A cell of a table that holds a number."""
    return element("td", text, class_="number", **attributes)


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
    return (
        f"{100 * share:.3g}\N{NO-BREAK SPACE}%"
        if share < 9.995
        else f"{100 * share:.0f}\N{NO-BREAK SPACE}%"
    )
