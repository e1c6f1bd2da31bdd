"""Personalised differential privacy: every record has a budget of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain, check_word, listed_words, of_kind
from dpframe.numbers import doubles, shortest
from dpframe.symbols import (
    RECORD,
    Domain,
    Expression,
    Number,
    Origin,
    Scope,
    Symbol,
    exact,
    parameter,
    rational,
)

from .guarantees import GUARANTEES, Guarantee

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

BUDGETS = {"epsilon": None, "delta": 1, "rho": None, "mu": None}


@attrs.frozen
class Each(Origin):
    """The origin of a symbol for a number of each record; `public`: whether all are public."""

    scope: ClassVar[Scope] = RECORD
    public: bool = True


def each(
    name: str, lower: object = 0, upper: object = None, *, closed: str = "neither"
) -> Expression:
    """The epsilon, delta, rho or mu of each record, public and anywhere in (lower, upper): the
    parameter of dp.PersonalizedDP before budgets are given. Raises InvalidArgument.

    >>> each("epsilon"), each("epsilon", upper=1).symbols() == each("epsilon").symbols()
    (epsilon, False)
    """
    check_word("name", name, BUDGETS, f"one of {', '.join(BUDGETS)}")
    most = BUDGETS[name] if upper is None else upper
    return attrs.evolve(parameter(name, lower, most, closed=closed), origin=Each())


def own_symbols(formula: Expression) -> list[Symbol]:
    """The symbols of a formula for numbers of each record, by name."""
    found = [symbol for symbol in formula.symbols() if isinstance(symbol.origin, Each)]
    return sorted(found, key=lambda symbol: symbol.name)


REAL = "iuf"
WAY_OUT = "Give every record a positive number; leave out records without a budget."


@attrs.frozen(eq=False)
class Listed:
    """One number for each record: doubles, shape (n,), each meaning its shortest decimal."""

    name: str
    numbers: Array

    @property
    def domain(self) -> Domain:
        """From the least to the largest."""
        ends = (self.numbers.min(), self.numbers.max())
        low, high = (shortest(float(end)) for end in ends)
        return Domain(low, high, lower_closed=True, upper_closed=True)


@attrs.frozen
class Grouped:
    """One number or parameter for each group, by the names of groups."""

    name: str
    names: tuple[str, ...]
    amounts: tuple[Expression, ...]

    @property
    def domain(self) -> Domain:
        """From the least to the largest where all are numbers; else every budget of this name."""
        values = [one.value for one in self.amounts if isinstance(one, Number)]
        if len(values) < len(self.amounts):
            return whole_range(self.name)
        return Domain(min(values), max(values), lower_closed=True, upper_closed=True)


Given = Expression | Listed | Grouped


def whole_range(name: str) -> Domain:
    """Every budget of this name."""
    most = BUDGETS[name]
    return Domain(Fraction(0), None if most is None else Fraction(most))


def given(name: str, value: object) -> Given:
    """A budget: a number or formula for all records, a mapping from groups to numbers, or an array
    of numbers. Raises InvalidArgument.
    """
    if isinstance(value, (Grouped, Listed)):
        return value
    if isinstance(value, Mapping):
        return _grouped(name, value)
    if isinstance(value, Expression) or not _is_list(value):
        return _checked(name, exact(value, name))
    return _listed(name, value)


def symbol_of(budget: Listed | Grouped, *, public: bool) -> Symbol:
    """The symbol that stands for each record's number."""
    return Symbol(budget.name, budget.domain, Each(public))


def _is_list(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _checked(name: str, formula: Expression) -> Expression:
    """A budget of one group: a number in range, or a parameter whose range is."""
    whole = whole_range(name)
    if isinstance(formula, Number) and formula.value not in whole:
        raise InvalidArgument(f"budget {name}", str(whole), Plain("another number"), WAY_OUT)
    if isinstance(formula, Symbol) and formula.domain.positive:
        return formula
    if not isinstance(formula, Number):
        wanted = "a number, or a parameter with a positive range"
        raise InvalidArgument(f"budget {name}", wanted, Plain(formula), WAY_OUT)
    return formula


def _is_name(group: object) -> bool:
    return isinstance(group, str) and bool(group) and group.isprintable()


def _grouped(name: str, groups: Mapping[Any, object]) -> Grouped:
    if not groups or not all(map(_is_name, groups)):
        way_out = "Such as {'careful': 0.1, 'open': 1}; arrays of texts lose NULs at their ends."
        raise InvalidArgument(f"groups of {name}", "a mapping from names", dict(groups), way_out)
    amounts = tuple(
        _checked(name, exact(value, f"{name} of {group}")) for group, value in groups.items()
    )
    if any(symbol.origin is not None for one in amounts for symbol in one.symbols()):
        wanted = "a number or a public parameter for each group"
        raise InvalidArgument(f"groups of {name}", wanted, listed_words(amounts))
    return Grouped(name, tuple(groups), amounts)


def _listed(name: str, value: Any) -> Listed:
    """The array of an argument, every entry of which is a budget."""
    import numpy as np

    try:
        numbers = np.asarray(value)
    except (TypeError, ValueError):
        raise InvalidArgument(f"budgets {name}", "one list of numbers", type(value)) from None
    if numbers.ndim != 1 or not numbers.size:
        wanted = "one number for each record, in one dimension"
        raise InvalidArgument(f"budgets {name}", wanted, Plain(f"shape {numbers.shape}"), WAY_OUT)
    if numbers.dtype.kind not in REAL:
        wanted, found = "real numbers", Plain(f"entries of type {numbers.dtype}")
        raise InvalidArgument(f"budgets {name}", wanted, found, WAY_OUT)
    return Listed(name, _sound(name, doubles(numbers).copy()))


def _sound(name: str, numbers: Array) -> Array:
    """Positive, finite, below the end of their range, with a finite sum."""
    import numpy as np

    most = BUDGETS[name] or math.inf
    good = np.isfinite(numbers) & (numbers > 0) & (numbers < most)
    if not good.all():
        found = Plain(f"{np.count_nonzero(~good)} of {len(numbers)} that are not")
        raise InvalidArgument(f"budgets {name}", str(whole_range(name)), found, WAY_OUT)
    with np.errstate(over="ignore"):
        total = numbers.sum()
    if not math.isfinite(total):
        way_out = "No useful budget is so large."
        raise InvalidArgument(f"budgets {name}", "of a finite sum", Plain("an overflow"), way_out)
    numbers.flags.writeable = False
    return numbers


KINDS: dict[frozenset[str], type[Guarantee]] = {
    frozenset(one.parameters): one for one in GUARANTEES.values()
}


def _optional(name: str, value: object) -> Given | None:
    return None if value is None else given(name, value)


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


def _epsilon(value: Any) -> Given | None:
    return _optional("epsilon", value)


def _delta(value: Any) -> Given | None:
    return _optional("delta", value)


def _rho(value: Any) -> Given | None:
    return _optional("rho", value)


def _mu(value: Any) -> Given | None:
    return _optional("mu", value)


@attrs.frozen(eq=False, slots=False)
class PersonalizedDP(Guarantee):
    """Record i has the guarantee of its own budget against tables that differ in record i:
    epsilon_i, (epsilon_i, delta_i), rho_i or mu_i. [JorgensenYC15, Def 6] [Acharya24, Def 2.2]

    Each parameter is a number for all records, a mapping from names of groups to numbers or
    parameters, an array of one number for each record, or dp.each(name), which stands for any
    budgets. `shares` are the public fractions of records in each group. Budgets are public:
    `public=False` declares that they are not, and is refused by the verifier. Raises
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
            way_out = "An equal budget for all records is dp.PureDP, dp.ApproxDP, ..."
            raise InvalidArgument("budgets", "of each record", Plain(self.each), way_out)
        if {symbol.name: symbol for symbol in own}.items() - self._plain.items():
            wanted = "dp.each(name) itself, under its own name"
            raise InvalidArgument("budgets", wanted, Plain(self.each))
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
        """The guarantee of one record, with symbols for its budgets."""
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
        """The names of groups; none for budgets of single records, or without budgets."""
        return next((one.names for one in self.given.values() if isinstance(one, Grouped)), ())

    def __str__(self) -> str:
        """As a person reads it."""
        own = own_symbols_of(self.each)
        ranges = ", ".join(f"{symbol.name} {symbol.domain}" for symbol in own)
        return f"personalised {self.each}: {ranges}, of each record"

    __repr__ = __str__


def own_symbols_of(guarantee: Guarantee) -> list[Any]:
    """The symbols of a guarantee for numbers of each record, by name."""
    found = {symbol.name: symbol for one in guarantee.amounts for symbol in own_symbols(one)}
    return [found[name] for name in sorted(found)]
