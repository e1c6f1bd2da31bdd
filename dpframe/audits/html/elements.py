"""Elements of a page, whose text and attributes are escaped: there is no way around it.

Tags and attributes are those of two lists. Links lead to places of the same page. The one text that
is not escaped is dpframe's own stylesheet, which the element `style` always holds and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain

import attrs

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
