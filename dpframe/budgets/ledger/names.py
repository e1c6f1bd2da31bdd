"""Names of data sets: valid ones, and pairs that a reader may confuse."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from dpframe.errors import InvalidArgument

LONGEST = 100  # characters of a name
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Printable by Unicode's categories, and shown as nothing or as a space."""

ALPHABETS = {"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "DESERET"}
"""Scripts with letters that look like another's."""


def _by_letter(groups: str) -> dict[int, str]:
    """Of groups of a Latin letter and those that look like it: the Latin one of each of these."""
    return {ord(letter): group[0] for group in groups.split() for letter in group[1:]}


SMALL = _by_letter(
    "a\u0430\u03b1\u0251 b\u044c c\u0441\u03f2 d\u0501 e\u0435 g\u0581\u0261 "
    "h\u04bb\u0570 i\u0456\u0131\u0269 j\u0458\u03f3 k\u043a\u03ba n\u043f\u0578 "
    "o\u043e\u03bf\u05850 p\u0440\u03c1 q\u051b\u0566 r\u0433 s\u0455 t\u03c4 "
    "u\u03c5\u057d v\u0475\u03bd w\u051d\u03c9 x\u0445 y\u0443\u03b3\u028f"
)
CAPITAL = _by_letter(
    "A\u0410\u0391 B\u0412\u0392 C\u0421\u03f9 E\u0415\u0395 G\u050c H\u041d\u0397 "
    "I\u0406\u0399 J\u0408 K\u041a\u039a M\u041c\u039c N\u039d O\u041e\u039f\u05550 "
    "P\u0420\u03a1 Q\u051a S\u0405 T\u0422\u03a4 U\u054d W\u051c X\u0425\u03a7 "
    "Y\u0423\u04ae\u03a5 Z\u0396"
)
STROKES = _by_letter("l1I|\u01c0\u0399\u0406\u04c0")
"""Letters that look like a Latin one, after Unicode's table of confusables (UTS 39)."""


def check_name(name: object) -> None:
    """Refuse a name that cannot be read aloud and typed again. Raises InvalidArgument."""
    if not (isinstance(name, str) and _is_printable_name(name)):
        requirement = f"a printable name of 1 to {LONGEST} characters without spaces around it"
        raise InvalidArgument("dataset", requirement, name)


def check_new(name: str, names: Iterable[str]) -> None:
    """Refuse a name that a reader may confuse with one of `names`, since the same data would have
    two budgets, and one with invisible letters or two alphabets in a word. Raises InvalidArgument.
    """
    check_name(name)
    if INVISIBLE.search(name):
        raise InvalidArgument("dataset", "a printable name without invisible letters", ascii(name))
    mine = appearances(name)
    for other in names:
        if not mine.isdisjoint(appearances(other)):
            way_out = (
                f"The same data must not have two budgets: charge {other!r}. Other data, "
                "a name that differs by more than capitals, spaces or letters that look alike."
            )
            raise InvalidArgument("dataset", f"a name unlike {other!r}", name, way_out)
    for word in re.findall(r"[^\W\d_]+", name):
        alphabets = {unicodedata.name(letter, "").split(" ")[0] for letter in word} & ALPHABETS
        if len(alphabets) > 1:
            way_out = f"{word!r} has letters that look like those of another. Type it in one."
            raise InvalidArgument("dataset", "of one alphabet in each word", name, way_out)


@lru_cache(maxsize=1 << 16)
def appearances(name: str) -> frozenset[str]:
    """How a name looks as it is, in capitals and in small letters: two that share one are alike."""
    plain = unicodedata.normalize("NFKC", name)
    plain = re.sub(r"\s+", " ", "".join(map(_punctuation, plain))).strip()
    alphabets = (
        "as it is: " + plain.translate(STROKES).translate(CAPITAL).translate(SMALL),
        "capitals: " + plain.upper().translate(CAPITAL),
        "small: " + unicodedata.normalize("NFKC", plain.casefold()).translate(SMALL),
    )
    return frozenset(alphabets)


def _punctuation(letter: str) -> str:
    if unicodedata.category(letter) == "Pd" or letter == "\u2212":
        return "-"
    return "'" if letter in "\u2018\u2019\u02bc\u00b4`" else letter


def _is_printable_name(name: str) -> bool:
    short = 0 < len(name) <= LONGEST and name == name.strip()
    return short and name.isprintable() and unicodedata.is_normalized("NFC", name)
