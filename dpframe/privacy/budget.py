"""Shares of a budget: exact, in the currency that composition adds up."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import attrs

from dpframe.errors import SHORT, InvalidArgument, check_kind, listed_words
from dpframe.symbols import Expression, Number, exact, multiply, sqrt

ONE = Number(Fraction(1))


@attrs.frozen(slots=False, cache_hash=True)
class Share:
    """Amounts of a currency: (epsilon, delta), (epsilon), (rho) or (mu squared), each a weight
    times the whole it was split from.

    A share may be wrong: the verifier judges it.
    """

    currency: tuple[str, ...]
    wholes: tuple[Expression, ...]
    weights: tuple[Expression, ...]

    @cached_property
    def amounts(self) -> tuple[Expression, ...]:
        """weight times whole, in the order of the currency."""
        return tuple(
            whole if weight is ONE else multiply(weight, whole)
            for weight, whole in zip(self.weights, self.wholes, strict=True)
        )

    def amount(self, name: str) -> Expression:
        """The amount called `name`. Raises InvalidArgument where the currency has none."""
        check_kind("name", name, str)
        if name not in self.currency:
            raise InvalidArgument(
                "share",
                f"in a currency with {name}" if len(name) <= SHORT else "in another currency",
                listed_words(self.currency),
                "Choose the target that has it.",
            )
        index = self.currency.index(name)
        weight = self.weights[index]
        return self.wholes[index] if weight is ONE else multiply(weight, self.wholes[index])

    @cached_property
    def epsilon(self) -> Expression:
        """The share of epsilon."""
        return self.amount("epsilon")

    @property
    def delta(self) -> Expression:
        """The share of delta; 0 in a pure budget."""
        return Number(Fraction(0)) if self.currency == ("epsilon",) else self.amount("delta")

    @property
    def rho(self) -> Expression:
        """The share of rho (zCDP)."""
        return self.amount("rho")

    @property
    def mu(self) -> Expression:
        """The mu that this share of mu squared affords (Gaussian DP)."""
        return sqrt(self.amount("mu^2"))

    def split(self, *weights: object, **apart: tuple[object, ...]) -> tuple[Share, ...]:
        """One share a weight, every amount multiplied by it; or apart: split(epsilon=(...),
        delta=(...)).

        Weights are exact (Fraction, int, text, expressions; a float is its shortest decimal). That
        they are nonnegative
        and sum to at most 1 is proved by the verifier, for all parameter values.
        """
        if weights and not apart:
            return tuple(
                self._part((exact(weight, "weight"),) * len(self.currency)) for weight in weights
            )
        if (
            set(apart) != set(self.currency)
            or weights
            or len({len(part) for part in apart.values()}) != 1
        ):
            wanted = ", ".join(f"{name}=(...)" for name in self.currency)
            raise InvalidArgument(
                "split",
                f"split(w1, w2, ...) or split({wanted}) of equal lengths",
                listed_words([*weights, *(f"{name}=(...)" for name in apart)]),
                "",
            )
        columns = [[exact(weight, name) for weight in apart[name]] for name in self.currency]
        return tuple(self._part(row) for row in zip(*columns, strict=True))

    def _part(self, weights: tuple[Expression, ...]) -> Share:
        if all(own is ONE for own in self.weights):
            return Share(self.currency, self.wholes, weights)
        return Share(
            self.currency,
            self.wholes,
            tuple(multiply(own, weight) for own, weight in zip(self.weights, weights, strict=True)),
        )

    def split_evenly(self, k: int) -> tuple[Share, ...]:
        """k equal shares, exactly 1/k each. Domain: k >= 1."""
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InvalidArgument("k", "a whole number of at least 1", k, "")
        return (self.split(Fraction(1, k))[0],) * k

    def __str__(self) -> str:
        """`epsilon/3, delta/3`."""
        return ", ".join(map(str, self.amounts))
