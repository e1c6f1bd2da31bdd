"""Count the fits of an estimator and its clones, which cross-validation and searches add up."""

from __future__ import annotations

import os
import uuid
import weakref

import attrs

from dpframe.errors import InvalidArgument, PrivacyWarning, warn
from dpframe.execution.receipts import Spending, costs

OF_SCORES = (
    "This estimator and its clones were fitted to several tables, as in cross-validation. The "
    "ledger counts every fit, but not scores of predictions on private rows, nor choices made by "
    "them: they are computed without noise and are not private."
)
FOLDS = (
    "only if no person moves another between them. KFold and train_test_split do under add/remove, "
    "where one more row shifts their cuts, and stratified folds do always: no total is proved "
    "there. Draw the fold of each person alone, from a hash of a public identifier"
)
SCORES = "scores are computed without noise and are not private at all"
_process = [uuid.uuid4().hex]
_counted: weakref.WeakValueDictionary[str, Fits] = weakref.WeakValueDictionary()


def _renew() -> None:
    _process[0] = uuid.uuid4().hex


os.register_at_fork(after_in_child=_renew)


@attrs.define(eq=False)
class Fits:
    """The fits of one estimator and its clones in the process `home` where it was made; a pickled
    copy refers to them by `name`. Warnings are given once: of scores, `scored`; of what a ledger
    does not count, `warned`.
    """

    home: str = attrs.field(factory=lambda: _process[0])
    name: str = attrs.field(factory=lambda: uuid.uuid4().hex)
    spent: list[Spending] = attrs.field(factory=list, init=False)
    tables: list[weakref.ref[object] | tuple[str, ...]] = attrs.field(factory=list, init=False)
    scored: bool = attrs.field(default=False, init=False)
    warned: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Register, so that copies unpickled in this process share the count."""
        _counted[self.name] = self

    def check_counted(self) -> None:
        """Refuse to fit in another process, whose fits are not counted. Raises InvalidArgument."""
        if self.home != _process[0]:
            wanted = "given where fits run in other processes, as with n_jobs=2: it adds them up"
            way_out = (
                "ledger=dp.Ledger(path), dataset=name; or n_jobs=1, which warns with the sum; "
                "or make the estimator in the process that fits it."
            )
            raise InvalidArgument("ledger", wanted, None, way_out)

    def warn(self, table: object, fit: Spending) -> None:
        """Warn with the total guarantee of all fits, if another table was fitted before. `execute`
        warns about repeated fits of the same table.
        """
        if self._on_others(table):
            warn(f"{_message([*self.spent, fit])}; {SCORES}.", PrivacyWarning)

    def warn_of_scores(self, table: object) -> None:
        """Warn once that a ledger does not count scores, if another table was fitted before."""
        if self._on_others(table) and not self.warned:
            self.warned = self.scored = True
            warn(f"{OF_SCORES} Its total holds {FOLDS}.", PrivacyWarning)

    @property
    def total(self) -> str:
        """The cost of all fits of several tables together, in words; empty after one fit."""
        return f"{_message(self.spent)}." if len(self.spent) > 1 else ""

    def _on_others(self, table: object) -> bool:
        return len(self.spent) > sum(_same(known, table) for known in self.tables)

    def add(self, table: object, fit: Spending) -> None:
        """Count a completed fit."""
        self.spent.append(fit)
        try:
            self.tables.append(table if isinstance(table, tuple) else weakref.ref(table))
        except TypeError:  # such a table is taken for another one each time
            return

    def __reduce__(self) -> tuple[object, ...]:
        """A pickled estimator counts in the process where it was made, and nowhere else."""
        return _again, (self.home, self.name)


def _again(home: str, name: str) -> Fits:
    """The fits of that name in the process where they are counted; elsewhere empty."""
    return _counted.get(name) or Fits(home, name)


def _same(known: weakref.ref[object] | tuple[str, ...], table: object) -> bool:
    """Whether this is the same table: the same object, or the same paths."""
    return known == table if isinstance(known, tuple) else known() is table


def _message(spent: list[Spending]) -> str:
    return (
        f"Fit {len(spent)} of this estimator and its clones. Where their tables share people, the "
        f"fits together cost {costs(spent)}, {FOLDS}"
    )
