"""What each record really pays: noise is the largest that any budget requires, so that some
pay less than they allow, and the rest of that noise is wasted on them. From
a certificate and public budgets; nothing is executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.budgets.roster import Roster
from dpframe.errors import InvalidArgument, Plain
from dpframe.execution.numbers import PublicNumbers
from dpframe.execution.public_budgets import requested_budgets
from dpframe.graph import Joint, OfBudgets, Release
from dpframe.graph.graph import Class, classes
from dpframe.graph.rows import COLUMNS
from dpframe.numerics.fast import gaussian_epsilon, gaussian_mu
from dpframe.privacy import (
    ApproxDP,
    GaussianDP,
    PersonalizedDP,
    PureDP,
    ZeroConcentratedDP,
)
from dpframe.prover import Certificate
from dpframe.prover.parallel import moving
from dpframe.prover.problem import Problem, joint_moves, thinnings
from dpframe.sources.budgets import listed
from dpframe.symbols import RELEASED, Expression, Number, add, exp, log, power, sqrt

from .budget_reports import BudgetReport

Array = NDArray[np.float64]
Common = Mapping[str, Fraction]
ZERO = Number(Fraction(0))
CLAIM = "the claim, which is proved"
BASIC = "basic composition [DworkR14, Thm B.1], noise as executed"
JOINT = "joint Gaussian privacy [DongRS22, Cor 3.3], noise as executed"
ZCDP = "zero-concentrated composition [BunS16, Lem 2.3], noise as executed"
SAMPLE = "log(1 + p (e^t - 1)) for a record kept with probability p [JorgensenYC15, Thm 1]"


@attrs.frozen(eq=False)
class Paid:
    """For every different budget, shape (k,): an upper bound on what its records pay, in the
    target's first parameter, and how much of the noise they need; `rule` says by what.
    """

    costs: Array
    needed: Array
    rule: str

    def __or__(self, other: Paid) -> Paid:
        """Whichever is dearer."""
        costs, needed = np.maximum(self.costs, other.costs), np.maximum(self.needed, other.needed)
        return Paid(costs, needed, self.rule)


@attrs.frozen
class Spent:
    """What one record spends on releases, as formulas of its own budget: the joint squared mu of
    Gaussian ones, the sum of the epsilons and of their squares, the sum of the rhos.
    """

    squared_mu: Expression
    epsilon: Expression
    squares: Expression
    rho: Expression


def record_costs(certificate: Certificate, roster: Roster, common: Common) -> BudgetReport:
    """What every budget of `roster` pays for one execution at the numbers `common` (of parameters,
    public sizes, and of all budgets): each release costs its guarantee at the record's own
    sensitivity, with noise of the size that is drawn. Upper bounds, at most the budget, which is
    proved. Raises InvalidArgument while a number is missing.
    """
    problem, target = certificate.report.problem, certificate.target
    if not isinstance(target, PersonalizedDP):
        raise TypeError(target)
    each = target.each
    name = each.parameters[0]
    low, high = roster.ends(getattr(each, name), common)
    paid = _sampled(problem, roster, common, low) or _paid(problem, roster, common)
    if paid is None:
        paid = Paid(high, np.ones(roster.size), CLAIM)
    total = roster.counts.sum()
    shares = target.shares is not None and len(roster.names) > 0 and total <= 1 + 1e-9
    return BudgetReport(
        name=name,
        groups=roster.names,
        budgets=high,
        deltas=roster.ends(each.delta, common)[0] if isinstance(each, ApproxDP) else None,
        costs=np.minimum(paid.costs, high),
        wasted=np.clip(1 - paid.needed, 0, 1),
        counts=roster.counts.astype(float) if roster.counts.any() else None,
        counted="share" if shares else "records",
        rule=paid.rule,
    )


def _sampled(problem: Problem, roster: Roster, common: Common, budgets: Array) -> Paid | None:
    """Of a sample: what it costs at its threshold, times the chance to be in it. (proofs/thinning)

    Of a delta a record needs no more than its part, for which its whole delta is enough.
    """
    found = thinnings(problem.graph)
    if not found:
        return None
    whole = _paid(problem, roster, common)
    if whole is None:
        return None
    threshold = Number(Fraction(float(whole.costs.max())))
    own = log(1 + found[0].keep * (exp(threshold) - 1))
    costs = roster.ends(own, common)[1]
    return Paid(costs, costs / budgets, SAMPLE)


def _paid(problem: Problem, roster: Roster, common: Common) -> Paid | None:
    """By the releases' own guarantees; None where nothing adds them up here."""
    graph = problem.graph
    plain = graph.additive and not graph.loops and graph.releases
    if not plain or any(RELEASED in (r.mechanism.formula * r.times).scope for r in graph.releases):
        return None
    drawn = {release: executed(release, roster, common) for release in graph.releases}
    found = None
    for choice in moving(problem, classes(graph.releases)):
        spent = _spent(problem, [(drawn[release], count) for release, count in choice])
        paid = None if spent is None else _in_currency(problem, spent, roster, common)
        if paid is None:
            return None
        found = paid if found is None else found | paid
    return found


def executed(release: Release, roster: Roster, common: Common) -> Release:
    """The release on all rows, with noise of the size that is drawn, or an ulp less."""
    mechanism: Any = release.mechanism
    size = roster.largest(mechanism.formula, common, up=False)
    stated = attrs.evolve(mechanism, **{mechanism.noise: Number(Fraction(size))})
    return attrs.evolve(release, stated=stated, sampled=None)


def _spent(problem: Problem, grouped: Sequence[Class]) -> Spent | None:
    """Of Gaussian noise the joint squared mu of one pair of neighbours. (proofs/joint)"""
    gaussian = [one for one in grouped if one[0].gives is GaussianDP]
    amounts: dict[type, list[tuple[Expression, Expression]]] = {PureDP: [], ZeroConcentratedDP: []}
    for release, count in grouped:
        moved = release.statistic.sensitivity(release.noise.norm)
        if release.gives is GaussianDP:
            continue
        if moved is None or release.gives not in amounts:
            return None
        amount = release.guarantee(moved.value).amounts[0]
        amounts[release.gives].append((amount, release.times * count))
    joint = Joint.of([one.statistic for one, _ in gaussian], problem.setting.relation)
    if gaussian and joint is None:
        return None
    pure, concentrated = amounts[PureDP], amounts[ZeroConcentratedDP]
    return Spent(
        ZERO if joint is None else joint.total(joint_moves(problem.rows, joint, gaussian)),
        add(ZERO, *(amount * times for amount, times in pure)),
        add(ZERO, *(power(amount, 2) * times for amount, times in pure)),
        add(ZERO, *(amount * times for amount, times in concentrated)),
    )


def _in_currency(problem: Problem, spent: Spent, roster: Roster, common: Common) -> Paid | None:
    """What is spent, in the target's own terms."""
    target = problem.target
    mu = sqrt(spent.squared_mu)

    def up(formula: Expression) -> Array:
        return np.asarray(roster.ends(formula, common)[1], dtype=float)

    def own(formula: Expression) -> Array:
        return np.asarray(roster.ends(formula, common)[0], dtype=float)

    match target:
        case PureDP(epsilon) if spent.squared_mu == spent.rho == ZERO:
            costs = up(spent.epsilon)
            return Paid(costs, costs / own(epsilon), BASIC)
        case ApproxDP(epsilon, delta) if spent.rho == ZERO:
            return _approximate(spent, own(epsilon), own(delta), up(mu), up(spent.epsilon))
        case GaussianDP() if spent.epsilon == spent.rho == ZERO:
            costs = up(mu)
            return Paid(costs, costs / own(target.mu), JOINT)
        case ZeroConcentratedDP(rho):
            costs = up(spent.rho + (spent.squared_mu + spent.squares) * Fraction(1, 2))
            return Paid(costs, np.sqrt(costs / own(rho)), ZCDP)
    return None


def _approximate(spent: Spent, budgets: Array, deltas: Array, mu: Array, pure: Array) -> Paid:
    """Pure releases, and Gaussian ones at the whole delta. [DworkR14, Thm B.1] [BalleW18, Thm 8]"""
    if spent.squared_mu == ZERO:
        return Paid(pure, pure / budgets, BASIC)
    gaussian = np.asarray(gaussian_epsilon(deltas, mu))
    if spent.epsilon == ZERO:
        return Paid(gaussian, mu / np.asarray(gaussian_mu(budgets, deltas)), JOINT)
    costs = np.nextafter(gaussian + pure, np.inf)
    return Paid(costs, costs / budgets, BASIC)


def budget_report(
    certificate: Certificate,
    budgets: object = None,
    *,
    d: int | None = None,
    n: int | None = None,
) -> BudgetReport:
    """What each record would pay for one execution of `certificate` with these public budgets.

    `budgets`, shape (n,), has one number or the name of a group for each record, as for dp.execute;
    left out where the target lists them, or has groups. `d` is the number of columns, where noise
    depends on it, and `n` that of records, where it depends on that and groups have shares only.
    Nothing is executed. Raises NotExecutable or InvalidArgument.
    """
    if not isinstance(certificate, Certificate) or not isinstance(
        certificate.target, PersonalizedDP
    ):
        wanted = "a certificate for dp.PersonalizedDP(...)"
        raise InvalidArgument("certificate", wanted, type(certificate).__name__)
    if isinstance(budgets, str):
        way_out = "Give the column itself: frame[name]."
        raise InvalidArgument("budgets", "one number or name a record", budgets, way_out)
    roster = roster_for(certificate, budgets)
    target: Any = certificate.target
    public = certificate.setting.relation.replaced
    known = public and not (target.groups and budgets is None)
    if public and not known and target.shares is not None:
        roster = _of_many(certificate, roster, n)
        known = n is not None
    sizes = {"n": round(float(roster.counts.sum()))} if known else {}
    if d is None and any(COLUMNS in one.symbols() for one in _weighing(certificate)):
        raise InvalidArgument("d", "the number of columns, which weights depend on", None)
    return report_at(certificate, roster, sizes if d is None else {**sizes, "d": d})


def _of_many(certificate: Certificate, roster: Roster, n: int | None) -> Roster:
    """Shares of n records; as shares where nothing depends on n. Raises InvalidArgument."""
    totals = [one for one in certificate.graph.nodes if isinstance(one, OfBudgets)]
    requested = any(one.what in ("total", "cap") for one in totals) or "n" in certificate.symbols
    if n is None and requested:
        raise InvalidArgument("n", "the number of records, which noise depends on", None)
    return roster if n is None else attrs.evolve(roster, counts=roster.counts * n)


def _weighing(certificate: Certificate) -> list[Expression]:
    """The formulas that numbers of all budgets read."""
    nodes = [node for node in certificate.graph.nodes if isinstance(node, OfBudgets)]
    return [formula for node in nodes for formula in node.formulas.values()]


def report_at(
    certificate: Certificate,
    roster: Roster,
    sizes: Mapping[str, int],
    executed: Roster | None = None,
) -> BudgetReport:
    """The report at public sizes n and d, and at the numbers of the list of budgets as it was
    `executed`.
    """
    numbers = PublicNumbers.of(certificate, sizes, roster if executed is None else executed)
    return record_costs(certificate, roster, numbers.common)


def roster_for(certificate: Certificate, budgets: object) -> Roster:
    """The different budgets; who has which is counted under replace-one alone, where it is public.

    Raises NotExecutable or InvalidArgument.
    """
    target: Any = certificate.target
    given = target.groups if budgets is None and target.groups else budgets
    wanted = requested_budgets(certificate, given)
    if wanted is None or wanted.roster is None:
        raise InvalidArgument("budgets", "one number or name a record", type(budgets).__name__)
    if budgets is None or wanted.keys is not None:
        return wanted.roster
    check_names(target, budgets)
    return counted(certificate, wanted.roster, np.unique(_texts(budgets), return_counts=True))


def counted(
    certificate: Certificate, roster: Roster, found: tuple[NDArray[Any], NDArray[Any]]
) -> Roster:
    """A roster of groups with its records, where their number is public."""
    if not certificate.setting.relation.replaced:
        return roster
    counts = dict(zip(found[0].tolist(), found[1].tolist(), strict=True))
    return attrs.evolve(roster, counts=np.array([counts.get(name, 0) for name in roster.names]))


def check_names(target: PersonalizedDP, budgets: object, name: str = "budgets") -> None:
    """Names of groups that were declared, one a record. Raises InvalidArgument."""
    if not set(_texts(budgets).tolist()) <= set(target.groups):
        wanted = f"names of groups: {', '.join(target.groups)}"
        way_out = "Declare every group."
        raise InvalidArgument(name, wanted, Plain("others"), way_out)


def _texts(budgets: Any) -> NDArray[Any]:
    values = listed(budgets) if isinstance(budgets, (list, tuple)) else np.asarray(budgets)
    if values.ndim != 1:
        wanted = "one name of a group for each record, in one dimension"
        raise InvalidArgument("budgets", wanted, Plain(f"shape {values.shape}"))
    return values.astype(str)
