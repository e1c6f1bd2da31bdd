"""Results and receipts of executions, and what functions of released values return, or how they
fail; the charge of the accounts of records before a release; the
proof, replayed by the kernel; and the executions of this process on tables in memory.

This last note is a courtesy, not a ledger. A table is identified by its memory, so views of an
array are one table, or by the paths of its files. No row is read or hashed. Copies, as of
cross-validation, and other processes go unnoticed: only a ledger adds up reliably.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from dpframe.accountants import ACCOUNTANTS, AdditiveAccountant, GaussianAccountant
from dpframe.accountants.composed import DIGITS
from dpframe.accountants.conversions import epsilon_of
from dpframe.budgets.records.amounts import budgets_and_kind
from dpframe.errors import (
    KEPT,
    InvalidArgument,
    NotExecutable,
    Plain,
    PostFailed,
    PrivacyWarning,
    SourceFailed,
    shown,
    warn,
)
from dpframe.notebooks import card, folded, sentences, table
from dpframe.numbers import rounded_up
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PersonalizedDP, Unit, number
from dpframe.privacy.personal import Grouped, Listed, own_symbols_of
from dpframe.prover import Certificate
from dpframe.prover.at_numbers import AtNumbers
from dpframe.prover.derivations import DERIVATIONS as PROVED_BY
from dpframe.prover.text import BUT_FOR_THE_SUM, TESTED
from dpframe.prover.witnesses import replayed
from dpframe.symbols import Expression, Number
from dpframe.theory import DERIVATIONS

if TYPE_CHECKING:
    from dpframe.budgets.records import RecordLedger

UNRECORDED = "; not recorded in a ledger: earlier runs on this table are not counted"


@attrs.frozen(kw_only=True, repr=False, str=False)
class Receipt:
    """The spent guarantee, the certificate and the source of noise. Nothing in it depends on rows.

    `rows` is the number of rows where that is public (replace-one) and None elsewhere; `time` is
    UTC in ISO 8601; `recorded` says whether a ledger was charged; `together` is the cost of all
    fits of an estimator and its clones up to this one, in words; `remark` is that of the
    regression.
    """

    guarantee: Guarantee
    unit: Unit
    certificate: str
    randomness: str
    private: bool
    columns: int
    rows: int | None
    time: str
    assumptions: tuple[str, ...]
    recorded: bool
    together: str = ""
    remark: str = ""

    @property
    def cost(self) -> str:
        """`(1, 1e-6)-differential privacy for one row added or removed`."""
        return f"{self.guarantee} for {self.unit}"

    def __str__(self) -> str:
        """The proof and its tests; the cost and its time; the noise and the assumptions."""
        others = [one for one in self.assumptions if not one.endswith(str(self.unit))]
        assumed = "; ".join(one.partition(": ")[0] for one in others) or "nothing"
        lines = [
            f"Proved: the cost of the graph, by certificate {self.certificate}. {TESTED}",
            *self._spent,
            f"Noise: {self.randomness}. Assumed: {assumed}.",
            *([self.remark] if self.remark else []),
        ]
        return "\n".join(lines)

    __repr__ = __str__

    @property
    def brief(self) -> str:
        """The cost, its time and the certificate."""
        remark = [self.remark] if self.remark else []
        return "\n".join([*self._spent, *remark, f"By certificate {self.certificate}."])

    @property
    def _spent(self) -> list[str]:
        spent = "Spent" if self.private else f"{self.randomness}: a private run would spend"
        together = [self.together] if self.together else []
        return [f"{spent} {self.cost}, at {self.time}{self._unrecorded}.", *together]

    @property
    def _unrecorded(self) -> str:
        return UNRECORDED if self.private and not self.recorded else ""

    def _repr_html_(self) -> str:
        free = f"nothing private; a private run: {self.cost}"
        spent = f"{self.cost}{self._unrecorded}" if self.private else free
        rows = [("spent", spent), ("by certificate", self.certificate), ("at", self.time)]
        rows += [("together", self.together)] if self.together else []
        rows += [("noise", self.randomness), ("assumed", "; ".join(self.assumptions) or "nothing")]
        title = "receipt" if self.private else f"receipt: {self.randomness}"
        notes = [one for one in (TESTED, self.remark) if one]
        return card(title, table(rows, texts=2), sentences(notes))


@attrs.frozen(kw_only=True, repr=False, str=False, eq=False)
class Result:
    """The output of a graph, every released value by name (arrays read-only), and the receipt;
    `known`, by name, are the numbers that formulas read of released values (dp.known).
    """

    output: Any
    released: Mapping[str, Any]
    receipt: Receipt
    known: Mapping[str, Fraction] = attrs.field(factory=dict)

    def __str__(self) -> str:
        """The output, then the receipt."""
        return f"{self.output}\n{self.receipt}"

    def __repr__(self) -> str:
        """One line."""
        mark = "" if self.receipt.private else f"{self.receipt.randomness}; "
        names = ", ".join(self.released)
        cost = self.receipt.cost
        return f"Result({mark}output={self.output!r}, released=[{names}], cost={cost})"

    def _repr_html_(self) -> str:
        rows = [
            (name, np.array2string(np.asarray(one), precision=4, threshold=20))
            for name, one in self.released.items()
        ]
        return card(
            "result",
            table([("output", self.output)], texts=2),
            folded("Everything that was released", "\n".join(f"{n}: {v}" for n, v in rows)),
            self.receipt._repr_html_(),
        )


@attrs.frozen
class Spending:
    """A private execution: its guarantee and its unit of privacy; the Gaussian DP of all its
    releases, where their noise is Gaussian.
    """

    guarantee: Guarantee
    unit: Unit
    joint: GaussianDP | None = None


# by the id of an object that is alive, or by paths
_SPENT: dict[int | tuple[str, ...], tuple[Spending, ...]] = {}


def note(data: object, guarantee: Guarantee, unit: Unit, joint: GaussianDP | None = None) -> None:
    """Record that `data` is about to be spent; before that, warn where it was spent before.

    `data` is the array or data frame that holds the table's memory, or a tuple of paths. An object
    without weak references is not followed.
    """
    key = data if isinstance(data, tuple) else id(data)
    before = _SPENT.get(key, ())
    spent = (*before, Spending(guarantee, unit, joint))
    if before:
        warn(_message(spent), PrivacyWarning)
    elif not isinstance(data, tuple) and not _follow(data):
        return
    _SPENT[key] = spent


def together(spent: Sequence[Spending]) -> Guarantee | None:
    """The guarantee of several executions together, by the first accountant that can add them; of
    Gaussian noise the epsilon of all releases at the sum of the deltas, rounded up to 6 digits.

    None where their units of privacy differ, where no accountant can, as where deltas sum to 1 or
    more, and where records have budgets of their own: who was in which group may differ from one
    to the next.
    """
    personal = any(isinstance(one.guarantee, PersonalizedDP) for one in spent)
    if personal or len({one.unit for one in spent}) > 1:
        return None
    for accountant in ACCOUNTANTS:
        if not isinstance(accountant, AdditiveAccountant):
            continue
        admitted = [accountant.admit(one.guarantee) for one in spent]
        known = [guarantee for guarantee in admitted if guarantee is not None]
        if len(known) == len(spent):
            with suppress(InvalidArgument):  # the sum of the deltas guarantees nothing
                return _jointly(accountant.total(known), [one.joint for one in spent])
    return None


def _jointly(total: Guarantee, joint: Sequence[GaussianDP | None]) -> Guarantee:
    """`total`, or (epsilon, delta) at its delta by Gaussian DP where that is smaller."""
    gaussian = [one for one in joint if one is not None]
    if not isinstance(total, ApproxDP) or len(gaussian) < len(joint):
        return total
    delta = number("delta", total.delta)
    epsilon = epsilon_of(GaussianAccountant().total(gaussian), delta).upper
    if not 0 < epsilon < number("epsilon", total.epsilon):
        return total
    return ApproxDP(rounded_up(Fraction(epsilon), DIGITS), delta)


def costs(spent: Sequence[Spending]) -> str:
    """The cost of several executions in words: their sum, or else each, equal ones once."""
    total = together(spent)
    if total is not None:
        return f"{total} for {spent[0].unit}"
    said = [f"{one.guarantee} for {one.unit}" for one in spent]
    if not any(isinstance(one.guarantee, PersonalizedDP) for one in spent):
        return "; then ".join(said)
    times = [text if many == 1 else f"{many} times {text}" for text, many in Counter(said).items()]
    return f"{'; and '.join(times)}; each record pays the sum over those that it is part of"


def _follow(data: object) -> bool:
    try:
        weakref.finalize(data, _SPENT.pop, id(data), None).atexit = False
    except TypeError:
        return False
    return True


def _message(spent: Sequence[Spending]) -> str:
    by = "" if together(spent) is None else ", by composition,"
    return (
        f"This is execution {len(spent)} on the same table in this process. Together they "
        f"cost{by} {costs(spent)}. Every execution costs again."
    )


def check_records(records: object, *, private: bool) -> None:
    """Refuse anything but a ledger of records, and simulations. Raises InvalidArgument."""
    from dpframe.budgets.records import RecordLedger

    if not isinstance(records, RecordLedger):
        raise InvalidArgument("records", "a dp.RecordLedger", type(records).__name__)
    if not private:
        way_out = "Leave rng out, or simulate on data that is no secret without a ledger."
        raise InvalidArgument("rng", "left out where accounts are charged", Plain("one"), way_out)


def no_ledger(ledger: object, target: PersonalizedDP, before: str = "") -> InvalidArgument:
    """The error on a ledger of a data set with a personalised run, and lines that charge an account
    of each record, after the lines `before`.
    """
    listed = any(isinstance(one, Listed) for one in target.given.values())
    doubled = personalised_text(target, 2)
    of = "run.target, budgets" if target.groups else doubled
    given = "" if listed else "budgets=budgets, "
    way_out = (
        f"Charge an account of each record: {before}records = dp.RecordLedger({of}); "
        f"dp.execute(run, X, y, {given}records=records)"
    )
    wanted = f"left out, since it has one budget for all records; the run is {target}"
    return InvalidArgument("ledger", wanted, Plain(getattr(ledger, "path", shown(ledger))), way_out)


def personalised_text(target: PersonalizedDP, times: int = 1) -> str:
    """Python that makes such a target, with `times` its budgets; those of single records, which are
    left open unless they are listed or multiplied, are `budgets`.
    """

    def literal(name: str, one: Any) -> str:
        if isinstance(one, Grouped):
            amounts = (str(times * amount) for amount in one.amounts)
            return repr(dict(zip(one.names, amounts, strict=True)))
        if isinstance(one, Number):
            return repr(str(times * one))
        own = "budgets" if isinstance(one, Listed) else f"dp.each({name!r})"
        return own if times == 1 else f"{times} * budgets"

    given = (f"{name}={literal(name, one)}" for name, one in target.given.items())
    return f"dp.PersonalizedDP({', '.join(given)})"


def record_costs(records: RecordLedger, certificate: AtNumbers, budgets: object) -> Any:
    """The cost of a certificate for each record: one for all, one a group, or an array of one a
    record. Raises InvalidArgument.
    """
    values = {name: Number(value) for name, value in certificate.values.items()}
    target: Guarantee = certificate.target
    if not isinstance(target, PersonalizedDP):
        return target.substitute(values)
    if target.groups:
        return _of_groups(records, target, values, budgets)
    cost, kind = budgets_and_kind(_listed(target, values, budgets), None, up=True)
    if kind is not records.kind:
        way_out = f"dp.RecordLedger(..., kind=dp.{kind.__name__}) adds it."
        raise InvalidArgument("records", f"accounts in {kind.__name__}", records.kind, way_out)
    return cost


def _listed(
    target: PersonalizedDP, values: Mapping[str, Expression], budgets: object
) -> PersonalizedDP:
    """The target with a number for each record."""
    given: dict[str, Any] = {
        name: one.substitute(values) if isinstance(one, Expression) else one
        for name, one in target.given.items()
    }
    if any(isinstance(one, Listed) for one in given.values()):
        return PersonalizedDP(**given)
    if isinstance(budgets, str) or budgets is None:
        way_out = "Give the column itself, or list the budgets with the target."
        raise InvalidArgument("budgets", "one number a record, to be charged", budgets, way_out)
    return PersonalizedDP(**{**given, own_symbols_of(target.each)[0].name: budgets})


def _of_groups(
    records: RecordLedger, target: PersonalizedDP, values: Mapping[str, Expression], budgets: object
) -> dict[str, Guarantee]:
    """One a group, where the ledger has the same records in the same groups."""
    same = records.groups is not None and np.array_equal(
        records.groups, np.asarray(budgets).astype(str)
    )
    if not same:
        wanted = "the groups of the ledger's records, in their order"
        way_out = "dp.RecordLedger(target, groups) has them."
        raise InvalidArgument("budgets", wanted, Plain("others"), way_out)
    named: Any = budgets_and_kind(target, None)[0]
    return {group: one.substitute(values) for group, one in named.items()}


def charge(
    records: RecordLedger, certificate: AtNumbers, budgets: object, rows: int | None
) -> None:
    """Charge every record its cost, or no record; `rows` is the number of rows of the table. Raises
    BudgetExceeded or InvalidArgument.
    """
    if rows != records.n:
        wanted = "accounts of the records of the table, one each"
        raise InvalidArgument("records", wanted, Plain(f"{records.n} accounts"))
    cost = record_costs(records, certificate, budgets)
    records.spend(cost, unit=certificate.setting.unit)


def unreplayed_total(certificate: Certificate) -> tuple[str, ...]:
    """The total of a derivation as an assumption, where the kernel cannot add it in numbers. Raises
    NotExecutable where it refuses anything else.
    """
    verdict, name = certificate.verdict, certificate.derivation
    if verdict.accepted:
        return ()
    symbolic = name in PROVED_BY and PROVED_BY[name].symbolic
    in_numbers = verdict.reason.startswith("total: ") and not symbolic
    if name not in DERIVATIONS or in_numbers:
        verdict = replayed(certificate.claim, total=False)
    if verdict.accepted:
        return (f"the total of {name}: {BUT_FOR_THE_SUM}",)
    raise NotExecutable(
        f"the kernel does not replay this proof: {verdict.reason}. Two parts of dpframe disagree, "
        "which is a defect: report it, with the file that certificate.save writes."
    )


def applied(function: Callable[..., Any], name: str, arguments: Sequence[Any]) -> Any:
    """function(*arguments), on released values and public numbers. Raises PostFailed, with the
    original error as its cause, whose traceback starts in the function. Frames of the execution,
    which knows the table, stand behind it while the error is handled; none is pickled.
    """
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - any error of a user's function
        failed, cause = PostFailed(name, said(error)), error
    trace = cause.__traceback__
    raise failed from cause.with_traceback(None if trace is None else trace.tb_next)


def said(error: Exception) -> str:
    """`ValueError: the text`."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def with_releases(
    failed: BaseException, released: dict[str, Any], receipt: object
) -> BaseException:
    """The failure with the releases that were charged, of the same cause: a new error of its class,
    or a note on any other error, such as an interrupt. Unchanged where nothing was drawn.
    """
    whole: BaseException
    if isinstance(failed, PostFailed):
        whole = PostFailed(failed.function, failed.said, released=released, receipt=receipt)
    elif released and isinstance(failed, SourceFailed):
        fields = (failed.where, failed.cause, failed.way_out)
        whole = SourceFailed(*fields, released=released, receipt=receipt)
    else:
        if not released:
            return failed
        with suppress(AttributeError):  # of an error with slots
            failed.released, failed.receipt = released, receipt  # type: ignore[attr-defined]
            failed.add_note(f"The run was charged: {KEPT}.")
        return failed
    whole.__cause__ = failed.__cause__
    return whole
