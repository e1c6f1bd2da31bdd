"""What is attacked: (epsilon, delta) at tables of so many rows, and with which seed."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, open_unit, positive
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE, Relation

from .refutation import Refutation, Rigour
from .search import Searched


class Claim(NamedTuple):
    """(epsilon, delta) at |x| <= 1, |y| <= 1 and d = 2."""

    epsilon: Fraction
    delta: Fraction
    rows: int
    relation: Relation
    seed: int

    @classmethod
    def of(
        cls, epsilon: Exact, delta: Exact, rows: int, seed: int, relation: Relation = ADD_REMOVE
    ) -> Claim:
        """The same, checked: epsilon > 0, 0 < delta < 1, an even number of rows."""
        if rows < 2 or rows % 2:
            raise InvalidArgument("rows", "an even number, at least 2", rows)
        return cls(positive("epsilon", epsilon), open_unit("delta", delta), rows, relation, seed)

    @property
    def replaced(self) -> bool:
        """Whether a record is replaced, not added."""
        return self.relation is REPLACE_ONE

    def refutation(
        self, what: str, searched: Searched, found: float, rigour: Rigour, *, control: bool
    ) -> Refutation:
        """The record of a lower bound on delta(epsilon)."""
        first = "larger" if searched.swapped else "smaller"
        return Refutation(
            what=what,
            parameters=(
                ("epsilon", f"{float(self.epsilon):g}"),
                ("n", power(self.rows)),
                ("relation", str(self.relation)),
            ),
            quantity="delta",
            claimed=float(self.delta),
            found=max(found, 0.0),
            rigour=rigour,
            how=f"{searched.pair}; the {'second' if self.replaced else first} table first",
            seed=self.seed,
            control=control,
        )


def power(number: int) -> str:
    """A large power of ten as `1e4`.

    >>> power(10**4), power(250)
    ('1e4', '250')
    """
    text = str(number)
    zeros = len(text) - 1
    return f"1e{zeros}" if zeros > 2 and text == "1" + "0" * zeros else text
