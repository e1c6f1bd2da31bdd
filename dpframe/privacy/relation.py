"""Neighbouring relations between tables, and the unit of privacy."""

from __future__ import annotations

import enum
from fractions import Fraction

import attrs

from dpframe.errors import InvalidArgument, Plain, of_kind
from dpframe.symbols import Expression, Number, Symbol, exact
from dpframe.theory.guarantees import RELATIONS


class Relation(enum.Enum):
    """Neighbouring relations between tables."""

    ADD_REMOVE = "add_remove"
    REPLACE_ONE = "replace_one"

    def __str__(self) -> str:
        """`add/remove` or `replace-one`."""
        return "add/remove" if self is Relation.ADD_REMOVE else self.option

    @property
    def replaced(self) -> bool:
        """Whether changed rows are replaced: the number of rows is public."""
        return RELATIONS[self.value].replaced

    @property
    def all_pairs(self) -> bool:
        """Whether any two tables that differ by so many rows are neighbours: then a pair of them
        may attain a bound.
        """
        return RELATIONS[self.value].all_pairs

    @property
    def words(self) -> str:
        """What happens to the rows of one person: `added or removed`."""
        return RELATIONS[self.value].words

    @property
    def option(self) -> str:
        """As files and the command line write it: `add-remove`."""
        return self.value.replace("_", "-")


ADD_REMOVE = Relation.ADD_REMOVE
REPLACE_ONE = Relation.REPLACE_ONE


def _rows(value: object) -> Expression:
    rows = exact(value, "rows_per_person")
    whole = isinstance(rows, Number) and rows.value.denominator == 1 and rows.value >= 1
    ranged = isinstance(rows, Symbol) and rows.domain.integer and (rows.domain.lower or 0) >= 1
    if not (whole or ranged):
        wanted, way_out = "a whole number of at least 1", "Bound it before this table is built."
        raise InvalidArgument("rows_per_person", wanted, Plain(rows), way_out)
    return rows


@attrs.frozen(cache_hash=True)
class Unit:
    """One person, with at most `rows_per_person` rows, joins or leaves (add/remove), or changes
    those rows (replace-one).

    k rows a person cost k times the one-row sensitivity: the triangle inequality along k one-row
    steps, attained by k equal rows.
    """

    relation: Relation = attrs.field(validator=of_kind(Relation))
    rows_per_person: Expression = attrs.field(default=Number(Fraction(1)), converter=_rows)

    def __str__(self) -> str:
        """`one row added or removed`."""
        one = self.rows_per_person == Number(Fraction(1))
        rows = "one row" if one else f"the rows of one person (at most {self.rows_per_person})"
        return f"{rows} {self.relation.words}"
