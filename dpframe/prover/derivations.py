"""A derivation is an accountant: the one that is passed, or each that certify tries by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from dpframe.accountants import ACCOUNTANTS, Accountant, AdditiveAccountant
from dpframe.errors import InvalidArgument, address
from dpframe.identity import strangers

from .basic import basic
from .joint_total import gaussian
from .numeric import numeric
from .obligation import Attempt
from .problem import Problem
from .total import total

PROOFS: Mapping[str, Callable[[Problem, Accountant], Attempt | None]] = MappingProxyType(
    {"shares": basic, "joint": gaussian, "total": total, "numbers": numeric}
)
"""How a total is derived, by what an accountant says of itself in `proof`."""


@attrs.frozen
class Derivation:
    """A derivation of the total with one accountant, cited by its `name`."""

    name: str
    accountant: Accountant
    proof: str

    @property
    def symbolic(self) -> bool:
        """Whether the total is compared in symbols, never by adding losses as numbers."""
        return self.proof in {"shares", "joint"}

    def __call__(self, problem: Problem) -> Attempt | None:
        """The attempt; None where the accountant cannot add these releases, or for this target."""
        attempt = PROOFS[self.proof](problem, self.accountant)
        return None if attempt is None else attrs.evolve(attempt, name=self.name)


DERIVATIONS: Mapping[str, Derivation] = MappingProxyType(
    {one.name: Derivation(one.name, one, one.proof) for one in ACCOUNTANTS}
)


def named(name: str, accountant: Accountant | None) -> tuple[Derivation, ...]:
    """The derivations of this name: with `auto` those that are tried in turn, one being enough;
    with an accountant of the user's own, what follows from its own methods. Raises InvalidArgument.
    """
    if accountant is not None and place(accountant) == name:
        additive = isinstance(accountant, AdditiveAccountant)
        return (Derivation(name, accountant, "total" if additive else "numbers"),)
    if name == "auto":
        return tuple(one for one in DERIVATIONS.values() if one.accountant.automatic)
    if name not in DERIVATIONS:
        raise _unknown(name)
    return (DERIVATIONS[name],)


def derivation_of(accountant: object) -> tuple[str, Accountant | None]:
    """The name of the derivation that adds as this accountant does, or "auto"; and the accountant
    itself where it is the user's own, to be believed where its class is trusted. Raises
    InvalidArgument for what is no accountant.
    """
    if isinstance(accountant, str):
        return str.__str__(accountant), None
    if not isinstance(accountant, Accountant):
        raise _unknown(accountant)
    if strangers((accountant,)):
        kind: Any = type(accountant)
        fields = {one.name for one in attrs.fields(kind)} if attrs.has(kind) else set()
        if loose := getattr(accountant, "__dict__", {}).keys() - fields:
            way_out = "Decorate its class with attrs.frozen: a certificate names its numbers."
            raise InvalidArgument("accountant", "one of fields of attrs", sorted(loose), way_out)
        return place(accountant), accountant
    found = (name for name, one in DERIVATIONS.items() if one.accountant == accountant)
    name = next(found, None)
    if name is None:
        raise _unknown(accountant)
    return name, None


def place(accountant: Accountant) -> str:
    """`module:class`, which no accountant of dpframe's own has for a name."""
    return f"{type(accountant).__module__}:{type(accountant).__qualname__}"


def _unknown(value: object) -> InvalidArgument:
    kinds = ", ".join(f"{address(type(one).__name__)}()" for one in ACCOUNTANTS)
    wanted = f"'auto', one of {', '.join(map(repr, DERIVATIONS))}, or one of {kinds}"
    way_out = (
        "A class of your own derives from dp.accountants.AdditiveAccountant, and is named in "
        "trust=[...]."
    )
    return InvalidArgument("accountant", wanted, value, way_out)
