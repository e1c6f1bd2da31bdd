"""The fits of an estimator and its clones: what cross-validation and searches add up to."""

from __future__ import annotations

import warnings
import weakref

import attrs

from dpframe.errors import PrivacyWarning
from dpframe.execution.spending import Spending, costs


@attrs.define(eq=False)
class Fits:
    """The fits of one estimator and its clones, in this process; a copy elsewhere counts anew."""

    spent: list[Spending] = attrs.field(factory=list, init=False)
    tables: list[weakref.ref[object] | tuple[str, ...]] = attrs.field(factory=list, init=False)

    def warn(self, table: object, fit: Spending) -> None:
        """Say what all fits satisfy together, where another table was fitted before.

        Another fit of the same table is for `execute` to warn about.
        """
        if self.spent and not any(_same(known, table) for known in self.tables):
            message = _message([*self.spent, fit])
            warnings.warn(message, PrivacyWarning, stacklevel=3)

    def add(self, table: object, fit: Spending) -> None:
        """Count a fit that has been done."""
        self.spent.append(fit)
        try:
            self.tables.append(table if isinstance(table, tuple) else weakref.ref(table))
        except TypeError:  # such a table is taken for another one each time
            return

    def __reduce__(self) -> tuple[type[Fits], tuple[()]]:
        """A pickled estimator starts to count anew."""
        return Fits, ()


def _same(known: weakref.ref[object] | tuple[str, ...], table: object) -> bool:
    """Whether this is the table: the object itself, or the same paths."""
    return known == table if isinstance(known, tuple) else known() is table


def _message(spent: list[Spending]) -> str:
    return (
        f"Fit {len(spent)} of this estimator and its clones. Where their tables share people, as "
        f"in cross-validation, the fits together cost {costs(spent)}; scores are computed without "
        "noise and are not private at all."
    )
