"""execute: checks, one pass over the table, releases, post-processing, receipt - in this order. And
simulations of unproved declarations, for papers and audits, never for private data.
"""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import attrs
import numpy as np

from dpframe.errors import (
    BadData,
    InvalidArgument,
    NotExecutable,
    Plain,
    check_kind,
    check_word,
    shown,
)
from dpframe.graph import Graph, Node, Searcher, points_of
from dpframe.graph.post import checked_function
from dpframe.graph.procedure import everything
from dpframe.graph.procedures import ApproximateMinimum
from dpframe.graph.statistics import Count, Searched, Statistic
from dpframe.identity import state
from dpframe.privacy import PersonalizedDP
from dpframe.prover import Certificate
from dpframe.prover.at_numbers import AtNumbers
from dpframe.prover.certify import FAILURES, NOT_PRIVATE, Unproved
from dpframe.prover.mixture import joint_gaussian
from dpframe.randomness import Randomness
from dpframe.sources import Source, open_source
from dpframe.sources.running import limited_blas
from dpframe.symbols import DATA, PUBLIC, Number, Symbol

from .numbers import PublicNumbers
from .one_pass import check_sampling, given_of, read, sizes_read
from .public_budgets import RequestedBudgets, check_order, read_budgets, requested_budgets, spent_by
from .receipts import (
    Receipt,
    Result,
    charge,
    check_records,
    no_ledger,
    note,
    unreplayed_total,
    with_releases,
)
from .running import AnyDraw, Execution, changed_since, check_passes
from .stages import NO_GUESS, guess_of, staged
from .totals import real
from .views import NOTHING, common_grid

if TYPE_CHECKING:
    from dpframe.budgets.ledger import Ledger
    from dpframe.budgets.records import RecordLedger

MISSING = ("refuse", "drop")
_executed: WeakKeyDictionary[Certificate, tuple[object, Certificate]] = WeakKeyDictionary()
"""The numbers of each executed certificate then, and a copy that caches values computed from them.
"""


def execute(
    run: object,
    X: object,
    y: object = None,
    *,
    rng: object = None,
    missing: str = "refuse",
    ledger: Ledger | None = None,
    dataset: str | None = None,
    executor: Any = None,
    budgets: object = None,
    records: RecordLedger | None = None,
    rehearse: bool = True,
) -> Result:
    """Release the certified statistics of a table, with noise, once, and post-process them.

    `run` is a certificate with a number for every parameter. `X`, shape (n, d), and `y`, shape
    (n,), are arrays, lists, data frames, files, streams or iterators of blocks (docs/sources.md),
    of finite real numbers, of any n, 0 included; none is copied as a whole. `missing="drop"` leaves
    out rows with missing or infinite numbers (refused under replace-one). Noise
    comes from the operating system; `rng`, a seed or a numpy Generator, makes a simulation of it,
    which is not private. `ledger` is charged, for `dataset`, before anything is drawn
    (docs/ledger.md). `executor` reads parts of the table in parallel: anything with `submit`.
    `budgets`, where the certificate is personalised, has a number or the name of a group for each
    record, shape (n,), or is the name of a column of X; it is public. `records`, the accounts of
    the same records in the same order, are charged the cost of each record, before anything
    is drawn. `rehearse=False` leaves out the rehearsal of post-processing on synthetic
    releases, for functions that work on tables like the real one only.

    Raises NotExecutable, BadData, InvalidArgument or BudgetExceeded before anything is drawn, and
    PostFailed where post-processing fails on every synthetic release that it is rehearsed on
    (docs/faq.md). Where it fails later, PostFailed has what was released, and the receipt.
    Warns PrivacyWarning where the table is spent again, unless a ledger keeps count.
    """
    from .rehearsal import check_processing  # which imports this module

    certificate = executable(run)
    check_word("missing", missing, MISSING)
    randomness = Randomness.of(rng)
    charging = _charge(certificate, ledger, dataset, randomness)
    if records is not None:
        check_records(records, private=randomness.private)
    check_order(X, budgets)
    wanted = requested_budgets(certificate, budgets)
    column = None if wanted is None else wanted.column
    drop = missing == "drop"
    source = open_source(certificate.setting, X, y, drop=drop, budgets=column)
    with _few_threads(source, executor):
        running, sizes = first_pass(certificate, source, executor, randomness, wanted)
        if rehearse:
            check_processing(certificate, sizes)
        draws = running.draws(0)
        recorded = ledger is not None or records is not None
        refuses = records is not None or _record_may_refuse(certificate, source)
        receipt = _receipt(
            certificate, running, sizes, randomness, refuses=refuses, recorded=recorded
        )
        if records is not None:
            charge(records, certificate, budgets, sizes.get("n", source.rows))
        if randomness.private and not recorded:
            joint = joint_gaussian(certificate)
            note(source.identity, receipt.guarantee, receipt.unit, joint)
        return _released(running, draws, randomness, charging, receipt)


def _released(
    running: Execution,
    draws: Sequence[AnyDraw],
    randomness: Randomness,
    charging: AbstractContextManager[object],
    receipt: Receipt,
) -> Result:
    """Charge, draw and post-process. Raises PostFailed with the releases so far."""
    try:
        with charging:
            release_in_stages(running, draws, randomness.fresh())
        output = post_process(running)
    except BaseException as error:  # noqa: BLE001 - releases were charged
        failed = with_releases(error, _named(running), receipt)
    else:
        learned = running.numbers.learned
        known = {one.name: learned[one.name] for one in running.graph.known if one.name in learned}
        return Result(output=output, released=_named(running), receipt=receipt, known=known)
    raise failed


def _named(running: Execution) -> dict[str, Any]:
    """Everything that was drawn so far, by name."""
    known = running.released
    return by_name({node: known[node] for node in running.graph.charged if node in known})


def _few_threads(source: Source, executor: Any) -> AbstractContextManager[None]:
    """One thread of BLAS where columns are few: not with categories, which become many columns, nor
    where an executor may start processes, which would inherit the limit.
    """
    few = executor is None and not source.layout.mixed
    return limited_blas(source.columns) if few else nullcontext()


def release_in_stages(running: Execution, draws: Sequence[AnyDraw], randomness: Randomness) -> None:
    """Draw; compute functions of it, read the table again and draw, once for each stage."""
    running.release(draws, randomness)
    held = common_grid(running.stages)
    for stage in range(1, running.stages.count):
        running.learn(stage)
        running.reuse(stage)
        if stage in held.passes[:-1] and running.reads_rows(stage):
            running, held = running.on_grid(held), NOTHING
        running.compute(stage)
        running.release(running.draws(stage), randomness)


def first_pass(  # noqa: PLR0917 - a run, in the order in which it is put together
    certificate: AtNumbers,
    source: Source,
    executor: Any,
    randomness: Randomness,
    wanted: RequestedBudgets | None = None,
    raw: Sequence[Symbol] = (),
    *,
    ahead: bool = True,
) -> tuple[Execution, dict[str, int]]:
    """The first pass over the table, which checks it, and its public sizes. In a simulation
    formulas may read `raw` counts. `ahead`: read predicted sums of the second stage too.
    """
    stages = staged(certificate.graph)
    check_passes(stages, source)
    check_sampling(certificate.graph, executor)
    check_room(certificate.graph.statistics, {"d": source.columns})
    first = [node for node in stages.statistics(0) if not points_of(node)]
    budgets = read_budgets(certificate, wanted, source, executor)
    bits = randomness.bits
    guess = guess_of(stages) if ahead else NO_GUESS
    reading, sums, fixed_sample = read(certificate, source, executor, first, budgets, bits, guess)
    sizes = sizes_read(certificate, source, sums)
    roster = None if budgets is None else budgets.roster
    numbers = PublicNumbers.of(certificate, sizes, roster)
    for symbol in raw:
        numbers.learn(symbol.name, Fraction(int(sums.parts[reading.sums.index(symbol.origin)])))
    given = given_of(budgets, certificate.graph, numbers)
    of = (certificate, source, executor, numbers, stages)
    running = Execution(*of, budgets=given, fixed_sample=fixed_sample, guess=guess)
    running.take_over(reading, sums, first)
    running.released.update(constants(running))
    running.learn(0)
    return running, sizes


def executable(run: object) -> Certificate:
    """`run`, if it is a certificate with a number for every parameter, and its code is the
    certified code. Raises NotExecutable, TouchesData.
    """
    if type(run) is not Certificate:
        raise NotExecutable(
            f"only a certificate is executed; got {type(run).__name__}. "
            "run = dp.certify(declaration, target=..., setting=...).at(...)"
        )
    if run.free:
        missing = ", ".join(f"{name}=..." for name in sorted(run.free))
        raise NotExecutable(f"the certificate still lacks numbers. run = run.at({missing})")
    for one in run.graph.calls:
        checked_function(one.function)
    if run.report.made_of != run.report.sealed:
        raise changed_since(run.report)
    values = state(run.values)
    checked, copy = _executed.get(run, (None, run))
    if copy.report is not run.report or checked != values:
        copy = attrs.evolve(run)  # its numbers are checked, and its hash is computed, anew
    _executed[run] = values, copy
    return copy


def _charge(
    certificate: Certificate, ledger: Ledger | None, dataset: str | None, randomness: Randomness
) -> AbstractContextManager[object]:
    """The charge that the releases stand in. Raises InvalidArgument."""
    if (ledger is None) != (dataset is None):
        wanted = "given together: a dp.Ledger and the name of its data set"
        got = Plain(f"ledger={shown(ledger)}, dataset={shown(dataset)}")
        raise InvalidArgument("ledger and dataset", wanted, got)
    if ledger is None or dataset is None:
        return nullcontext()
    from dpframe.budgets.ledger import Cost, Ledger

    way_out = f"dp.Ledger({ledger!r}) opens it." if isinstance(ledger, str) else ""
    check_kind("ledger", ledger, Ledger, way_out=way_out)
    check_kind("dataset", dataset, str, "the name of a data set of the ledger")
    if isinstance(certificate.target, PersonalizedDP):
        raise no_ledger(ledger, certificate.target)
    if not randomness.private:
        way_out = "Leave rng out, or simulate on data that is no secret without a ledger."
        raise InvalidArgument("rng", "left out where a ledger is charged", Plain("given"), way_out)
    also = joint_gaussian(certificate)
    cost = Cost.of(certificate, *([also] if also else []))
    ledger.admits(dataset, cost)
    return ledger.charging(dataset, cost)


def constants(running: Execution) -> dict[Node, Any]:
    """Statistics that are constant over neighbours: exact functions of n, public as they are."""
    values, number = running.values, running.numbers.towards_zero
    nodes = [node for node in running.graph.statistics if node.scope is PUBLIC and node in values]
    return {node: _plain(real(node, values, number)) for node in nodes}


def _plain(value: Any) -> Any:
    return float(value) if np.ndim(value) == 0 else value


def post_process(running: Execution) -> Any:
    """The graph's output, from released values and public numbers alone."""
    running.released.update(constants(running))
    running.learn(running.stages.count)
    outputs = tuple(running.released[node] for node in running.graph.outputs)
    return outputs if isinstance(running.graph.output, tuple) else outputs[0]


def by_name(released: Mapping[Node, Any]) -> dict[str, Any]:
    """Released values by name; the second of one name is called `name (2)`."""
    uses: Counter[str] = Counter()
    named = {}
    for release, value in released.items():
        uses[release.label] += 1
        count = uses[release.label]
        named[release.label if count == 1 else f"{release.label} ({count})"] = value
    return named


def may_fail(graph: Graph) -> bool:
    """Whether a run may be refused because of its rows, even if all are finite numbers."""
    kinds = (Searched, Searcher, ApproximateMinimum)
    return any(isinstance(node, kinds) for node in everything(graph.nodes))


def _record_may_refuse(certificate: Certificate, source: Source) -> bool:
    """Whether a single record may cause a refusal. A budget that is missing or of no declared group
    does, also where rows may be left out.
    """
    of_source = not source.layout.drop or source.record_may_refuse
    return of_source or source.layout.budget_kind is not None or may_fail(certificate.graph)


def _receipt(
    certificate: Certificate,
    running: Execution,
    sizes: Mapping[str, int],
    randomness: Randomness,
    *,
    refuses: bool,
    recorded: bool,
) -> Receipt:
    source, roster = running.source, running.numbers.roster
    values = {name: Number(value) for name, value in certificate.values.items()}
    assumed = [one for one in certificate.assumptions if refuses or one != FAILURES]
    return Receipt(
        guarantee=spent_by(certificate.target, roster).substitute(values),
        unit=certificate.setting.unit,
        certificate=certificate.hash,
        randomness=randomness.kind,
        private=randomness.private,
        columns=sizes["d"],
        rows=sizes.get("n"),
        time=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        assumptions=(*assumed, *unreplayed_total(certificate), *source.assumptions),
        recorded=recorded,
        remark=getattr(certificate.regression, "remark", ""),
    )


BYTES = 40  # at least, of an entry: its sum in words, its noise, the released value, copies
WAY_OUT = "Leave out columns or levels, or give the machine more memory; nothing was charged."


def check_room(
    statistics: Iterable[Statistic], sizes: Mapping[str, int], most: int | None = None
) -> None:
    """Refuse, before a row is read, statistics of more entries than `most` bytes hold, by default
    the memory of this machine. Raises BadData.
    """
    limit = memory() if most is None else most
    count = sum(entries(one, sizes) for one in statistics)
    if limit is not None and count * BYTES > limit:
        wanted = f"a table whose statistics fit into {_gigabytes(limit)} of memory"
        got = Plain(f"one of {count} numbers in its sums, at least {_gigabytes(count * BYTES)}")
        raise BadData("X", wanted, got, WAY_OUT)


def entries(statistic: Statistic, sizes: Mapping[str, int]) -> int:
    """The number of entries of its value, 0 where these sizes do not say."""
    numbers = {name: Number(Fraction(size)) for name, size in sizes.items()}
    shape = [length.substitute(numbers) for length in statistic.shape]
    known = [length.value for length in shape if isinstance(length, Number)]
    return int(prod(known)) if len(known) == len(shape) else 0


def memory() -> int | None:
    """Bytes of this machine's memory, None where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB"


@attrs.frozen(kw_only=True, repr=False, str=False, eq=False)
class Simulated:
    """The output and released values of an unproved declaration, labelled NOT PRIVATE."""

    output: Any
    released: dict[str, Any]
    label: str = NOT_PRIVATE

    def __str__(self) -> str:
        """The label, the output, the label."""
        return f"{self.label}: {self.output}\n{self.label}: nothing was proved of this declaration."

    __repr__ = __str__


def simulate(
    run: object, X: object, y: object = None, *, rng: object, budgets: object = None
) -> Simulated:
    """Run an `Unproved` declaration on a table, with simulated noise from `rng`, a seed or a numpy
    Generator; `budgets` as for dp.execute. Formulas may read raw numbers of rows. NOT PRIVATE.
    Raises NotExecutable, BadData, InvalidArgument.
    """
    if not isinstance(run, Unproved):
        raise NotExecutable(
            f"simulate takes what dp.audits.unproved(...) returns; got {type(run).__name__}. "
            "What is proved is run by dp.execute, which can be simulated with rng=."
        )
    raw = [s for s in run.symbols.values() if isinstance(s.origin, Statistic) and DATA in s.scope]
    unknown = [s.name for s in raw if not isinstance(s.origin, Count)]
    if unknown:
        raise NotExecutable(f"its formulas read {', '.join(unknown)}, for which there is no number")
    free = run.free - {symbol.name for symbol in raw}
    if free:
        missing = ", ".join(f"{name}=..." for name in sorted(free))
        raise NotExecutable(f"numbers are lacking. run = run.at({missing})")
    randomness = Randomness.of(0 if rng is None else rng)
    wanted = requested_budgets(run, budgets, simulated=True)
    column = None if wanted is None else wanted.column
    source = open_source(run.setting, X, y, drop=False, budgets=column)
    running, _ = first_pass(run, source, None, randomness, wanted, raw)
    release_in_stages(running, running.draws(0), randomness.fresh())
    output = post_process(running)
    released: dict[Node, Any] = {node: running.released[node] for node in run.graph.charged}
    return Simulated(output=output, released=by_name(released))
