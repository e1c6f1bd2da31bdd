"""Budgets and costs of users: a number, one a group, one a record, or those of a target."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain
from dpframe.numbers import doubles, shortest
from dpframe.numerics import to_float
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PersonalizedDP, Share, number
from dpframe.privacy.personal import Grouped, Listed
from dpframe.symbols import Expression, exact, rational

from ..filters.prices import Amounts, Kind, checked, kind_of, price

# --------------------------------------------------- Amounts as whole numbers of one public quantum
Counts: TypeAlias = NDArray[np.int64]
Doubles: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]

PARTS = 2520  # the least number that 1, ..., 10 divide: thirds and sevenths of decimals are whole
PLACES = 19  # 2520 * 10^19 is still a double, and 10^19 too
MOST = 1 << 61  # quanta of a budget; a cost counts as at most twice that, and their sum fits
FINE = 10**9  # quanta of a budget, at least
DIGITS = 1e15  # a decimal of at most 15 digits is determined by its double
SLIP = 2.0**-51  # more than the reading of a double and one product are off, relatively
CHUNK = 1 << 16


def parts(n: int) -> Iterator[slice]:
    """0, ..., n - 1 in pieces that stay in the cache."""
    return (slice(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK))


@attrs.frozen
class Quantum:
    """1/(2520 * 10^places). Decimals of so many places, and their k-th parts for k <= 10, are
    whole numbers of it.

    A double is read as its shortest decimal. Where that has at most `places` places it is counted
    exactly; any other is moved to the safe side, by at most 1 quantum and 2^-50 of itself.
    """

    places: int

    @property
    def per_one(self) -> int:
        """Quanta in 1; exact as a double."""
        return int(PARTS * 10**self.places)

    def amount(self, count: int) -> Fraction:
        """`count` quanta as a number."""
        return Fraction(count, self.per_one)

    def up(self, amount: Fraction) -> int:
        """The fewest quanta that are at least `amount`; where that is above 2^62, that."""
        return min(math.ceil(amount * self.per_one), 2 * MOST)

    def down(self, amount: Fraction) -> int:
        """The most quanta that are at most `amount`."""
        return math.floor(amount * self.per_one)

    def all_up(self, values: Doubles) -> Counts:
        """At least each of `values` >= 0, infinities included, in quanta; as `up` at most 2^62."""
        values = np.minimum(values, 2 * MOST / self.per_one)
        decimals, exact = self._decimals(values)
        above = np.floor(values * float(self.per_one) * (1 + SLIP)).astype(np.int64) + 1
        return np.where(exact, decimals, above)

    def of_objects(self, values: Any) -> Any:
        """Fractions as `up` has them; doubles as they are."""
        if values.dtype != object:
            return values
        return np.array([self.up(each) for each in values], np.int64)

    def all_down(self, values: Doubles) -> Counts:
        """At most each of `values` in [0, 2^61 quanta], in quanta."""
        decimals, exact = self._decimals(values)
        below = np.floor(values * float(self.per_one) * (1 - SLIP)).astype(np.int64)
        return np.where(exact, decimals, below)

    def doubles(self, counts: Counts, *, up: bool) -> Doubles:
        """The amounts of `counts` >= 0 as doubles, exact decimals or rounded to the given side."""
        near = counts / float(self.per_one)
        decimals, exact = self._decimals(near)
        beyond = near * (1 + SLIP if up else 1 - SLIP)
        return np.where(exact & (decimals == counts), near, beyond)

    def _decimals(self, values: Doubles) -> tuple[Counts, Mask]:
        """The nearest decimals of `places` places, in quanta, and where they are the shortest ones:
        of at most 15 digits, and the double nearest to them is the value.
        """
        scale = float(10**self.places)
        nearest = np.rint(values * scale)
        exact = (nearest / scale == values) & (nearest < DIGITS)
        return np.where(exact, nearest, 0).astype(np.int64) * PARTS, exact


def quantum_for(least: Fraction, most: Fraction) -> Quantum:
    """The finest quantum in which the largest budget fits 64 bits.

    Raises InvalidArgument where rounding would reach 1e-9 of the smallest budget: where the
    largest is more than 1e8 times the smallest, or budgets lie outside [4e-14, 9e14].
    """
    fine = (p for p in range(PLACES, -1, -1) if most * Quantum(p).per_one <= MOST)
    places = next(fine, None)
    if places is None or least * Quantum(places).per_one < FINE:
        requirement = "between 4e-14 and 9e14, the largest at most 1e8 times the smallest"
        way_out = "Sums in 64 bits would round too much: keep several ledgers, for small and large."
        raise InvalidArgument("budgets", requirement, _range(least, most), way_out)
    return Quantum(places)


def _range(least: Fraction, most: Fraction) -> str:
    return f"{to_float(least, up=False):g} to {to_float(most, up=True):g}"


if TYPE_CHECKING:
    from .columns import Members

ONE = (Real, Decimal, Expression, Guarantee, Share)


Cost: TypeAlias = Amounts | Doubles | Counts
"""One exact amount a group; or an array of one a record, in doubles or whole numbers of quanta."""


def costs(
    given: object, kind: Kind, members: Members, quanta: Sequence[Quantum], who: Mask | None
) -> tuple[Cost, ...]:
    """A cost a currency. Raises InvalidArgument where a participant would pay nothing."""
    if isinstance(given, Mapping):
        return _by_group(given, kind, members)
    if is_one(given, kind):
        return tuple((amount,) * members.groups for amount in amounts_of("cost", given, kind))
    columns = columns_of("cost", given, kind)
    arrays = tuple(
        _by_record(column, quantum, members.n)
        for column, quantum in zip(columns, quanta, strict=True)
    )
    paying = arrays[0] > 0
    if not (paying if who is None else paying | ~who).all():
        way_out = "Leave out records that pay nothing: who=."
        raise InvalidArgument("each cost", "above 0", Plain("an array with a 0"), way_out)
    return arrays


def is_one(given: object, kind: Kind) -> bool:
    """Whether it is one budget or cost, and not one a group or a record."""
    if isinstance(given, tuple) and kind is ApproxDP:
        return len(given) == 2 and all(isinstance(part, ONE) for part in given)
    return isinstance(given, (str, bytes, np.bool_, *ONE)) or given is None


def amounts_of(name: str, given: object, kind: Kind) -> Amounts:
    """One number in the currency of `kind` (of two, a pair), or a guarantee or share.

    Raises InvalidArgument for an amount that is not above 0; only the delta of a cost may be 0.
    """
    if isinstance(given, (Guarantee, Share)):
        amounts = price(given, kind)
    else:
        pair = given if isinstance(given, tuple) else (given,)
        if len(pair) != len(kind.currency):
            raise InvalidArgument(name, f"({', '.join(kind.currency)})", given, _example(kind))
        pairs = zip(kind.currency, pair, strict=True)
        amounts = tuple(_number(f"{currency} of the {name}", each) for currency, each in pairs)
    checked(name, kind.currency, amounts)
    if not amounts[0]:
        raise InvalidArgument(
            name, "above 0", Plain(given), "Leave out records that pay nothing: who=."
        )
    return amounts


def columns_of(name: str, given: object, kind: Kind) -> tuple[object, ...]:
    """One array a currency: of two currencies, a pair of arrays."""
    if kind is not ApproxDP:
        return (given,)
    if not isinstance(given, tuple) or len(given) != 2:
        raise InvalidArgument(name, "a pair (epsilon, delta)", type(given).__name__, _example(kind))
    return given


def array_of(name: str, given: object, n: int | None, *, private: bool = False) -> Any:
    """`given` as doubles, or as an object array of Fractions, of shape (n,), all at least 0.

    Raises InvalidArgument, which shows no entries. Where `private` it does not show their number
    either, and infinities may pass.
    """
    try:
        found = np.asarray(given)
    except ValueError:
        found = np.empty((0, 0))
    if found.ndim != 1 or not found.size or (n is not None and len(found) != n):
        wanted = "one a record" if private or n is None else f"an array of length {n}, one a record"
        shown = Plain("another shape") if private else Plain(f"an array of shape {found.shape}")
        raise InvalidArgument(name, wanted, shown)
    if found.dtype == object:
        found = np.array([_number(name, each, hidden=True) for each in found], dtype=object)
    elif found.dtype.kind in "iuf" and found.dtype.itemsize <= 8:
        found = doubles(found)
    else:
        way_out = "Give doubles, or Fractions; text and truth values are no numbers here."
        raise InvalidArgument(name, "numbers", Plain(f"an array of {found.dtype}"), way_out)
    _check_range(name, found, private=private)
    return found


def _check_range(name: str, found: Any, *, private: bool) -> None:
    fine = found >= 0  # false for nan
    if found.dtype != object and not private:
        fine &= np.isfinite(found)
    if not fine.all():
        requirement = "at least 0 and no nan" if private else "finite and at least 0"
        raise InvalidArgument(f"each {name}", requirement, Plain("an array with others"))


def _by_group(given: Mapping[Any, object], kind: Kind, members: Members) -> tuple[Cost, ...]:
    if not members.names or set(given) != set(members.names):
        wanted = ", ".join(members.names) or "one a record, or one for all"
        way_out = "Name every group; leave records out by who=." if members.names else ""
        raise InvalidArgument("cost", f"one for each of {wanted}", list(given), way_out)
    rows = [amounts_of(f"cost of {name}", given[name], kind) for name in members.names]
    return tuple(zip(*rows, strict=True))


def _by_record(given: object, quantum: Quantum, n: int) -> Any:
    values = array_of("cost", np.full(n, given) if isinstance(given, ONE) else given, n)
    return quantum.of_objects(values)


def _number(name: str, value: object, *, hidden: bool = False) -> Fraction:
    text = isinstance(value, str) and not hidden
    if isinstance(value, (bytes, bool, np.bool_)) or not (text or isinstance(value, ONE)):
        shown = type(value).__name__ if hidden else value
        raise InvalidArgument(name, "a number", shown, "Write 0.1, or Fraction(1, 3).")
    found = rational(value, name)
    if found < 0:
        raise InvalidArgument(name, "at least 0", Plain("less") if hidden else value)
    return found


def _example(kind: Kind) -> str:
    return "Such as (0.1, 1e-8)." if kind is ApproxDP else ""


def budgets_and_kind(
    budgets: object, kind: type[Guarantee] | None, *, up: bool = False
) -> tuple[object, Kind]:
    """Budgets as they are, or those of a personalised target; and their kind. Squares of listed
    mus, and a common delta, are rounded down, or `up` where they are to be charged. Raises
    InvalidArgument.
    """
    if not isinstance(budgets, PersonalizedDP):
        return budgets, kind_of(kind)
    found = kind_of(type(budgets.each))
    if kind is not None and kind_of(kind) is not found:
        raise InvalidArgument("kind", f"{found.__name__}, that of the target", kind)
    return (_grouped(budgets) if budgets.groups else _listed(budgets, up=up)), found


def _grouped(target: PersonalizedDP) -> dict[str, Guarantee]:
    """A guarantee a group."""
    named = {name: _amounts(one, len(target.groups)) for name, one in target.given.items()}
    each: Any = target.each
    return {
        group: attrs.evolve(each, **{name: amounts[k] for name, amounts in named.items()})
        for k, group in enumerate(target.groups)
    }


def _amounts(given: object, count: int) -> tuple[object, ...]:
    return given.amounts if isinstance(given, Grouped) else (given,) * count


def _double(common: object, *, up: bool) -> float:
    """A number that all records share, as a double whose shortest decimal is on this side of it.
    Raises InvalidArgument for a parameter.
    """
    amount = number("budget", exact(common))
    near = to_float(amount, up=up)
    beyond = shortest(near) >= amount if up else shortest(near) <= amount
    return near if beyond else math.nextafter(near, math.inf if up else 0)


def _listed(target: PersonalizedDP, *, up: bool) -> Any:
    """One array; of epsilon and delta a pair of arrays."""
    lists = [one for one in target.given.values() if isinstance(one, Listed)]
    if not lists:
        way_out = "Give numbers: an array of one a record, or groups."
        raise InvalidArgument("budgets", "of numbers", Plain(target), way_out)
    count = len(lists[0].numbers)
    columns = [
        one.numbers if isinstance(one, Listed) else np.full(count, _double(one, up=up))
        for one in target.given.values()
    ]
    if isinstance(target.each, GaussianDP):
        away = np.inf if up else 0
        moved = np.nextafter(columns[0], away)  # beyond the decimal that the double means
        return np.nextafter(moved * moved, away)
    return columns[0] if len(columns) == 1 else tuple(columns)
