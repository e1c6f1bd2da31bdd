"""Events of dp_accounting as text, read without running it: what `repr` of an event prints."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.numbers import shortest

MOST_CHARACTERS, MOST_DEPTH = 1 << 20, 40
FIELDS: Mapping[str, tuple[str, ...]] = {
    "NoOpDpEvent": (),
    "GaussianDpEvent": ("noise_multiplier",),
    "LaplaceDpEvent": ("noise_multiplier",),
    "SelfComposedDpEvent": ("event", "count"),
    "ComposedDpEvent": ("events",),
    "PoissonSampledDpEvent": ("sampling_probability", "event"),
}
KNOWN = ", ".join(name.removesuffix("DpEvent") for name in FIELDS)
WAY_OUT = (
    "The page knows noise that is added to a query. dp.compose adds up randomised response, zCDP "
    "and guarantees; dp_accounting's other events have no counterpart that is as tight."
)
EXAMPLE = "Such as SelfComposedDpEvent(GaussianDpEvent(4), 100)."


@attrs.frozen
class Event:
    """An event by the name of its class: exact numbers, other events, tuples of them."""

    kind: str
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        """Its kind."""
        return f"{self.kind}(...)"

    def __getitem__(self, name: str) -> Any:
        """A field."""
        return self.fields[name]


def read_event(given: object) -> Event:
    """The event that a text spells, or that an object of dp_accounting is. Numbers are exact: those
    of the text, or those that the doubles are. Raises InvalidArgument.
    """
    if not isinstance(given, str):
        return _of_object(given, 0)
    if len(given) > MOST_CHARACTERS:
        raise _bad(f"of at most {MOST_CHARACTERS} characters", f"{len(given)} characters")
    if _depth(given) > 2 * MOST_DEPTH:
        raise _bad(f"nested at most {MOST_DEPTH} deep", "more")
    try:
        tree = ast.parse(given.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _bad("as dp_accounting prints it", f"{type(error).__name__}", EXAMPLE) from None
    found = _value(tree.body, 0)
    if not isinstance(found, Event):
        raise _bad("an event", given[:80], EXAMPLE)
    return found


def _depth(text: str) -> int:
    """How deep brackets are nested, before a parser sees them."""
    deepest = depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _value(node: ast.expr, depth: int) -> Any:
    if depth > MOST_DEPTH:
        raise _bad(f"nested at most {MOST_DEPTH} deep", "more")
    match node:
        case ast.Call():
            return _call(node, depth)
        case ast.List() | ast.Tuple():
            return tuple(_value(one, depth + 1) for one in node.elts)
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return Fraction(_written(node))
    raise _bad("of events, lists and numbers", ast.unparse(node)[:80], EXAMPLE)


def _written(node: ast.Constant) -> Any:
    """A whole number, or a double as its shortest decimal, which is how it was written."""
    value = node.value
    if isinstance(value, float) and value - value != 0:
        raise _bad("of finite numbers", str(value))
    if isinstance(value, int) and value.bit_length() > 256:
        raise _bad("of numbers below 1e77", "a larger one")
    return value if isinstance(value, int) else str(value)


def _call(node: ast.Call, depth: int) -> Event:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    name = node.func.id if isinstance(node.func, ast.Name) else name
    fields = _known(name)
    words = {one.arg: one.value for one in node.keywords if one.arg is not None}
    repeated = len(words) != len(node.keywords) or set(fields[: len(node.args)]) & set(words)
    given = dict(zip(fields, node.args, strict=False)) | words
    if repeated or len(node.args) > len(fields) or set(given) != set(fields):
        raise _bad(f"{name}({', '.join(fields)})", ast.unparse(node)[:80])
    return Event(name, {key: _value(one, depth + 1) for key, one in given.items()})


def _known(name: str) -> tuple[str, ...]:
    if name not in FIELDS:
        raise _bad(f"made of {KNOWN}", name or "something else", WAY_OUT)
    return FIELDS[name]


def _of_object(given: object, depth: int) -> Event:
    name = type(given).__name__
    if depth > MOST_DEPTH:
        raise _bad(f"nested at most {MOST_DEPTH} deep", "more")
    if type(given) is not getattr(sys.modules.get("dp_accounting"), name, None):
        raise _bad("an event of dp_accounting, or its text", given, EXAMPLE)
    found = {key: _part(getattr(given, key), depth) for key in _known(name)}
    return Event(name, found)


def _part(value: Any, depth: int) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_of_object(one, depth + 1) for one in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if isinstance(value, float) and value - value != 0:
            raise _bad("of finite numbers", value)
        return shortest(value) if isinstance(value, float) else Fraction(value)
    return _of_object(value, depth + 1)


def _bad(wanted: str, value: object, way_out: str = "") -> InvalidArgument:
    return InvalidArgument("event", wanted, value, way_out)
