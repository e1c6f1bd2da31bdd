"""Compositions as JSON text, frozen as dpframe-composition/1: exact rationals, no data.

    {"schema": "dpframe-composition/1", "relation": "add_remove", "accountant": "numeric",
     "parts": [{"cost": "loss", "kind": "gaussian", "parameters": {"mu": "1/4"}, "count": 8}]}

`cost` is "loss" or "guarantee"; `kind` and `parameters` are those of its class, each a rational or
a word, as text. What is read must be, but for its layout, what would be written.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NoReturn, get_type_hints

import attrs

from dpframe import privacy
from dpframe.errors import InvalidArgument
from dpframe.identity import own
from dpframe.pld import losses
from dpframe.pld.losses import PrivacyLoss
from dpframe.privacy import Guarantee, Relation, number
from dpframe.symbols import Expression

from . import ACCOUNTANTS, Part
from .composed import Composition
from .costs import composition_of

SCHEMA = "dpframe-composition/1"
MAX_CHARACTERS = 1 << 26
MAX_COUNT = 1 << 62
MAX_DIGITS = 4000  # of a numerator or denominator; Python reads 4300
RATIONAL = re.compile(r"-?[0-9]{1,4000}(/[1-9][0-9]{0,3999})?")
WAY_OUT = "Write it anew with dpframe.accountants.to_json."

Kind = tuple[str, str]


@cache
def kinds() -> Mapping[Kind, Any]:
    """Every class of loss and of guarantee that dpframe exports, by ("loss" or "guarantee", kind).

    A new one joins by being exported from its package.
    """
    homes = (("loss", losses, PrivacyLoss), ("guarantee", privacy, Guarantee))
    return {
        (cost, kind.kind): kind
        for cost, home, base in homes
        for kind in vars(home).values()
        if isinstance(kind, type) and issubclass(kind, base) and not inspect.isabstract(kind)
    }


def to_json(thing: object) -> str:
    """The composition as one line of JSON; also of a certificate with numbers, or of whatever
    `compose` takes.

    All parameters must be exact numbers, and parts and accountant dpframe's own. Raises
    InvalidArgument.
    """
    return json.dumps(_document(composition_of(thing)), allow_nan=False, separators=(",", ":"))


def from_json(text: str) -> Composition:
    """The composition that `to_json` wrote. Raises InvalidArgument for any other text."""
    if not isinstance(text, str) or len(text) > MAX_CHARACTERS:
        raise _bad(f"text of at most {MAX_CHARACTERS} characters", type(text).__name__)
    try:
        given = json.loads(
            text, object_pairs_hook=_distinct, parse_constant=_refused, parse_float=_refused
        )
        composition = _composition(given)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _bad("as this version writes it", f"{type(error).__name__}: {error}") from None
    if _same(given, _document(composition)):
        return composition
    raise _bad("as this version writes it", "another spelling of the same")


def _document(composition: Composition) -> dict[str, object]:
    if not own(type(composition.accountant)) or composition.accountant not in ACCOUNTANTS:
        raise InvalidArgument("accountant", "one of dpframe's own", composition.accountant)
    return {
        "schema": SCHEMA,
        "relation": composition.relation.value,
        "accountant": composition.accountant.name,
        "parts": [_part_document(part) for part in composition.parts],
    }


def _part_document(part: Part) -> dict[str, object]:
    what = part.what
    cost = "loss" if isinstance(what, PrivacyLoss) else "guarantee"
    if kinds().get((cost, what.kind)) is not type(what):
        raise InvalidArgument("part", f"a {cost} of dpframe's own", what)
    if part.count > MAX_COUNT:
        raise InvalidArgument("count", "at most 2^62", part.count)
    words = {name: _word(name, getattr(what, name)) for name in _fields(type(what))}
    return {"cost": cost, "kind": what.kind, "parameters": words, "count": part.count}


def _word(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    exact = number(name, value) if isinstance(value, Expression) else Fraction(value)
    if max(abs(exact.numerator), exact.denominator) >= 10**MAX_DIGITS:
        raise InvalidArgument(name, f"of at most {MAX_DIGITS} digits", exact, "Round it up.")
    return str(exact)


@cache
def _fields(kind: Any) -> Mapping[str, type]:
    """The types of what a class is made from."""
    types = get_type_hints(kind)
    return {field.name: types[field.name] for field in attrs.fields(kind) if field.init}


def _composition(given: dict[str, Any]) -> Composition:
    if given["schema"] != SCHEMA:
        raise _bad(f"of schema {SCHEMA}", given["schema"])
    accountants = {accountant.name: accountant for accountant in ACCOUNTANTS}
    parts = tuple(_part(each) for each in given["parts"])
    return Composition(parts, Relation(given["relation"]), accountants[given["accountant"]])


def _part(given: dict[str, Any]) -> Part:
    kind, count = kinds()[given["cost"], given["kind"]], given["count"]
    if type(count) is not int or count > MAX_COUNT:
        raise _bad("with counts that are whole numbers up to 2^62", count)
    types, words = _fields(kind), given["parameters"]
    return Part(kind(**{name: _value(types[name], words[name]) for name in words}), count)


def _value(kind: type, word: object) -> object:
    if kind is str and isinstance(word, str):
        return word
    if not isinstance(word, str) or not RATIONAL.fullmatch(word):
        raise _bad("with exact numbers as text", word)
    return int(word) if kind is int else Fraction(word)


def _same(given: object, written: object) -> bool:
    """Equality that tells True from 1."""
    if type(given) is not type(written):
        return False
    if isinstance(given, dict) and isinstance(written, dict):
        return given.keys() == written.keys() and all(_same(given[k], written[k]) for k in given)
    if isinstance(given, list) and isinstance(written, list):
        return len(given) == len(written) and all(map(_same, given, written))
    return given == written


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _bad("without repeated keys", [key for key, _ in pairs])
    return found


def _refused(word: str) -> NoReturn:
    raise _bad("with whole numbers and text only", word)


def _bad(requirement: str, value: object) -> InvalidArgument:
    return InvalidArgument("the saved composition", requirement, value, WAY_OUT)
