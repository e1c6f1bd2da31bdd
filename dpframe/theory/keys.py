"""Types of the keys of nodes: an entry declares them, and is given values that were read."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, TypeAlias, get_args, get_origin

from dpframe.exact.documents import Json, Refused, keys
from dpframe.exact.formula import Formula

from .at import Context

Reader = Callable[[Context, Json, str], Any]  # a value of the file and the name of its key


def between(least: int, most: int) -> Reader:
    """A whole number of the file in this range."""

    def read(at: Context, value: Json, name: str) -> Any:
        rule = f"{name}: a whole number from {least} to {most}"
        at.require(type(value) is int and least <= value <= most, rule)
        return value

    return read


def sizes(*positive: str, free: tuple[str, ...] = ()) -> Reader:
    """Formulas with exactly these keys: those that are positive, and those that may be any."""
    known = {name: name not in free for name in (*positive, *free)}

    def read(at: Context, value: Json, _: str) -> Any:
        keys(value, at.where, **dict.fromkeys(known, object))
        return {
            key: at.positive(value[key], key) if sign else at.formula(value[key])
            for key, sign in known.items()
        }

    return read


def increasing(at: Context, value: Json, name: str) -> list[Fraction]:
    """Cuts."""
    at.require(type(value) is list and 1 <= len(value) <= 10_000, f"{name}: a list of numbers")
    ends = [at.rational(one) for one in value]
    at.require(sorted(set(ends)) == ends, f"{name} must increase")
    return ends


Read: TypeAlias = Annotated[Formula, lambda at, value, _: at.formula(value)]
Positive: TypeAlias = Annotated[Formula, lambda at, value, name: at.positive(value, name)]
Whole: TypeAlias = Annotated[Formula, lambda at, value, name: at.whole(value, name)]
Number: TypeAlias = Annotated[Fraction, lambda at, value, _: at.rational(value)]
Bits: TypeAlias = Annotated[int, between(4, 24)]
Place: TypeAlias = Annotated[int, between(0, 10_000)]
Trusted: TypeAlias = Annotated[str, lambda at, value, _: at.trust(value)]
Cuts: TypeAlias = Annotated[list[Fraction], increasing]


def reader(kind_of: Any) -> Reader:
    """How values of a type are read: of one of the above, `| None`, list[...], plain JSON types.
    Anything else is given as the file has it.
    """
    own = get_args(kind_of)
    if type(None) in own:
        inner = reader(own[0])
        return lambda at, value, name: None if value is None else inner(at, value, name)
    if hasattr(kind_of, "__metadata__"):
        found: Reader = kind_of.__metadata__[0]
        return found
    if get_origin(kind_of) is list:
        inner = reader(own[0])
        return lambda at, many, name: [inner(at, one, name) for one in _typed(at, many, name, list)]
    kind_of = get_origin(kind_of) or kind_of
    plain = kind_of in (str, bool, int, list, dict)
    return lambda at, value, name: _typed(at, value, name, kind_of) if plain else value


def _typed(at: Context, value: Json, name: str, kind_of: type) -> Json:
    if type(value) is not kind_of:
        raise Refused(f"{at.where}: {name} has the wrong type: {value!r:.80}")
    return value
