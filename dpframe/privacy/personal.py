"""Personalised differential privacy: every record has a budget of its own."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, listed_words, of_kind
from dpframe.symbols import Expression, rational

from .base import Guarantee
from .each import own_symbols
from .given import Given, Grouped, Listed, given, symbol_of
from .kinds import GUARANTEES

KINDS: dict[frozenset[str], type[Guarantee]] = {
    frozenset(one.parameters): one for one in GUARANTEES.values()
}


def _epsilon(value: object) -> Given | None:
    return None if value is None else given("epsilon", value)


def _delta(value: object) -> Given | None:
    return None if value is None else given("delta", value)


def _rho(value: object) -> Given | None:
    return None if value is None else given("rho", value)


def _mu(value: object) -> Given | None:
    return None if value is None else given("mu", value)


def _shares(value: object) -> Mapping[str, Fraction] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidArgument("shares", "a mapping from groups to fractions", value)
    found = {name: rational(share, f"share of {name}") for name, share in value.items()}
    if any(share <= 0 for share in found.values()) or sum(found.values()) != 1:
        way_out = "Write them exactly: Fraction(1, 3), or '0.34'."
        raise InvalidArgument("shares", "positive, of sum 1", dict(value), way_out)
    return found


@attrs.frozen(eq=False, slots=False)
class PersonalizedDP(Guarantee):
    """Record i has the guarantee of its own budget against tables that differ in record i:
    epsilon_i, (epsilon_i, delta_i), rho_i or mu_i. [JorgensenYC15, Def 6] [Acharya24, Def 2.2]

    Each parameter is a number for everybody, a mapping from names of groups to numbers or
    parameters, an array of one number a record, or dp.each(name), which stands for any budgets.
    `shares` says which part of the records each group has, where that is public. Budgets are known
    to everybody: `public=False` declares that they are not, and is refused by the verifier. Raises
    InvalidArgument.

    >>> import dpframe as dp
    >>> dp.PersonalizedDP({"careful": 0.1, "open": 1}, delta=1e-6)
    personalised (epsilon, 1e-6)-differential privacy: epsilon in [1/10, 1], of each record
    """

    kind: ClassVar[str] = "personalized"
    currency: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[str, ...]] = ()
    epsilon: Given | None = attrs.field(default=None, converter=_epsilon)
    delta: Given | None = attrs.field(default=None, converter=_delta)
    rho: Given | None = attrs.field(default=None, converter=_rho, kw_only=True)
    mu: Given | None = attrs.field(default=None, converter=_mu, kw_only=True)
    shares: Mapping[str, Fraction] | None = attrs.field(
        default=None, converter=_shares, kw_only=True
    )
    public: bool = attrs.field(default=True, validator=of_kind(bool), kw_only=True)

    def __attrs_post_init__(self) -> None:
        """One notion, one list of records, the same groups everywhere."""
        if frozenset(self.given) not in KINDS:
            wanted = "epsilon, epsilon and delta, rho, or mu"
            raise InvalidArgument("budgets", wanted, listed_words(sorted(self.given)))
        own = own_symbols_of(self.each)
        if not own:
            way_out = "A budget for everybody is dp.PureDP, dp.ApproxDP, ..."
            raise InvalidArgument("budgets", "of each record", str(self.each), way_out)
        if {symbol.name: symbol for symbol in own}.items() - self._plain.items():
            wanted = "dp.each(name) itself, under its own name"
            raise InvalidArgument("budgets", wanted, str(self.each))
        self._check_groups()

    @property
    def _plain(self) -> dict[str, Expression]:
        """Each parameter as a formula, by its name."""
        return {name: getattr(self.each, name) for name in self.given}

    def _check_groups(self) -> None:
        names = {one.names for one in self.given.values() if isinstance(one, Grouped)}
        lengths = {len(one.numbers) for one in self.given.values() if isinstance(one, Listed)}
        if len(names) + len(lengths) > 1:
            wanted = "given by the same groups, or for the same records"
            raise InvalidArgument("budgets", wanted, listed_words(sorted(self.given)))
        if self.shares is not None and {tuple(self.shares)} != names:
            got = listed_words(sorted(self.shares))
            raise InvalidArgument("shares", f"of {names or 'groups'}", got)

    @property
    def given(self) -> dict[str, Given]:
        """The budgets as they were given, by name."""
        named = {name: getattr(self, name) for name in ("epsilon", "delta", "rho", "mu")}
        return {name: value for name, value in named.items() if value is not None}

    @cached_property
    def each(self) -> Guarantee:
        """What one record is promised, its own budgets being symbols."""
        formulas = {
            name: one if isinstance(one, Expression) else symbol_of(one, public=self.public)
            for name, one in self.given.items()
        }
        kind: Any = KINDS[frozenset(formulas)]
        return kind(**formulas)  # type: ignore[no-any-return]

    @property
    def amounts(self) -> tuple[Expression, ...]:
        """Those of one record."""
        return self.each.amounts

    @property
    def budget(self) -> Any:
        """That of one record, to be split."""
        return self.each.budget

    @property
    def formulas(self) -> tuple[Expression, ...]:
        """The budgets of a record, and those of all groups."""
        grouped = [one for one in self.given.values() if isinstance(one, Grouped)]
        return (*self.each.amounts, *(amount for one in grouped for amount in one.amounts))

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of groups; none where records are given one by one, or not at all."""
        return next((one.names for one in self.given.values() if isinstance(one, Grouped)), ())

    def __str__(self) -> str:
        """As a person reads it."""
        own = own_symbols_of(self.each)
        ranges = ", ".join(f"{symbol.name} {symbol.domain}" for symbol in own)
        return f"personalised {self.each}: {ranges}, of each record"

    __repr__ = __str__


def own_symbols_of(guarantee: Guarantee) -> list[Any]:
    """The symbols of a guarantee that each record has of its own, by name."""
    found = {symbol.name: symbol for one in guarantee.amounts for symbol in own_symbols(one)}
    return [found[name] for name in sorted(found)]
