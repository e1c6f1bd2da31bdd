"""The names of noise and of functions that a description may use: those of dpframe, and the kinds
of trusted classes. The file itself imports nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, get_type_hints

import attrs

from dpframe.errors import InvalidArgument
from dpframe.exact.ring import NAME
from dpframe.graph import DataNode
from dpframe.mechanisms import AdditiveNoise
from dpframe.mechanisms.base import Calibration
from dpframe.symbols import Expression, Number

from .functions import FUNCTIONS, Function, Value
from .keys import JOINTLY, MECHANISMS, THEOREMS, theorems_of


@attrs.frozen
class Vocabulary:
    """Mechanisms and functions by name."""

    mechanisms: Mapping[str, type[AdditiveNoise]] = MECHANISMS
    functions: Mapping[str, Function] = FUNCTIONS

    @property
    def theorems(self) -> tuple[str, ...]:
        """The names of calibrations, of every mechanism."""
        own = (theorems_of(one) for one in self.mechanisms.values())
        return tuple(dict.fromkeys([*THEOREMS, *(name for some in own for name in some)]))

    def theorems_for(self, kind: type[AdditiveNoise]) -> Mapping[str, Calibration | None]:
        """The calibrations of one mechanism; the joint one is no theorem about it alone."""
        jointly = {JOINTLY: None} if kind.kind == "gaussian" else {}
        return {**{name: getattr(kind, name) for name in theorems_of(kind)}, **jointly}


@lru_cache(maxsize=64)
def vocabulary_of(trust: tuple[type, ...] = ()) -> Vocabulary:
    """The names of dpframe and the kinds of these classes, those of noise with spaces for
    underscores. Raises InvalidArgument for a kind that is no new name.
    """
    mechanisms, functions = dict(MECHANISMS), dict(FUNCTIONS)
    for one in trust:  # a theorem stands in its mechanism; an accountant is an argument of its own
        if issubclass(one, AdditiveNoise):
            mechanisms[_new_kind(one, mechanisms).replace("_", " ")] = one
        elif issubclass(one, DataNode):
            name = _new_kind(one, functions)
            functions[name] = _function(name, one)
    return Vocabulary(mechanisms, functions)


def _new_kind(one: Any, names: Mapping[str, object]) -> str:
    """The kind of a class, which must be a new name. Raises InvalidArgument."""
    name = getattr(one, "kind", "")
    if not NAME.match(name) or name.replace("_", " ") in names or name in names:
        way_out = "Give the class a kind of its own."
        raise InvalidArgument(f"kind of {one.__name__}", "a new name", name, way_out)
    return str(name)


def _function(name: str, kind: Any) -> Function:
    """A class of nodes as a function of its fields, in order."""
    fields = [one for one in attrs.fields(kind) if one.init] if attrs.has(kind) else []
    try:
        hints = get_type_hints(kind)
    except NameError:  # an annotation that is imported for checkers only
        hints = {}
    types = [hints.get(one.name, object) for one in fields]

    def make(*values: Value) -> Any:
        try:
            return kind(*map(_plain, values, types))
        except (TypeError, ValueError, AttributeError) as error:
            raise InvalidArgument(name, f"arguments of {kind.__name__}", str(error)) from None

    takes = tuple(_accepted(hint) for hint in types)
    least = sum(one.default is attrs.NOTHING for one in fields)
    written = f"{name}({', '.join(one.name.lstrip('_') for one in fields)})"
    return Function(written, (kind.__doc__ or "").partition("\n")[0], takes, make, least)


def _accepted(hint: object) -> type:
    """Nodes of the class that the field names; anything else is checked by the class itself."""
    return hint if isinstance(hint, type) and issubclass(hint, (DataNode, Expression)) else object


def _plain(value: Value, hint: object) -> object:
    """A number where the field is a plain one."""
    if hint is int and isinstance(value, Number) and value.value.denominator == 1:
        return int(value.value)
    return value
