"""Every accountant, in the order of trial; importing this module loads all of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from dpframe import accountants
from dpframe.errors import InvalidArgument, address, nearest

from .base import Accountant
from .numeric import NumericAccountant

_EXPORTED = [getattr(accountants, one) for one in dir(accountants) if one.endswith("Accountant")]
ACCOUNTANTS: tuple[Accountant, ...] = tuple(
    sorted(
        (kind() for kind in _EXPORTED if not inspect.isabstract(kind)),
        key=lambda one: (not one.tried, one.tried, one.name),
    )
)
AUTO = "auto"


def accountant_of(value: object) -> Accountant:
    """An accountant, or dpframe's own of that name; "auto" is the numeric one. Raises
    InvalidArgument.
    """
    if isinstance(value, Accountant):
        return value
    if isinstance(value, str) and value == AUTO:
        return NumericAccountant()
    found = [one for one in ACCOUNTANTS if isinstance(value, str) and value == one.name]
    if not found:
        raise unknown_accountant(value)
    return found[0]


def unknown_accountant(value: object, own: str = "") -> InvalidArgument:
    """The refusal of what names no accountant; `own` says what one of the user's own needs."""
    names = [one.name for one in ACCOUNTANTS]
    kinds = ", ".join(f"{address(type(one).__name__)}()" for one in ACCOUNTANTS)
    wanted = f"{AUTO!r}, one of {', '.join(map(repr, names))}, or one of {kinds}"
    return InvalidArgument("accountant", wanted, value, _meant(value, [AUTO, *names]) or own)


def _meant(value: object, names: Iterable[str]) -> str:
    """What the user probably meant; empty where nothing is close."""
    if isinstance(value, type) and issubclass(value, Accountant):
        return f"Call it: {address(value.__name__)}()."
    return nearest(value, names).strip() if isinstance(value, str) else ""
