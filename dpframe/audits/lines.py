"""One line a release: what it adds, what it claims, what it costs alone by the exact profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import DPFrameError
from dpframe.graph import ColumnNode, Regression, Release, RowsNode, Setting
from dpframe.graph.graph import classes
from dpframe.graph.post import ancestors
from dpframe.graph.rows import RowsOrLabels
from dpframe.graph.statistics import Statistic
from dpframe.graph.statistics.base import variable
from dpframe.numerics import arb_upper, profile_delta, profile_epsilon, to_float
from dpframe.privacy import Guarantee, PureDP, Share
from dpframe.privacy.guarantees import GUARANTEES
from dpframe.prover import Constraint, Obligation, Report, Verdict
from dpframe.prover.algebra import enclose, ends_of, number, rational_ball
from dpframe.prover.exactly import earns_exactly
from dpframe.prover.judge import Earned, root
from dpframe.prover.mixture import ADDED
from dpframe.prover.problem import Problem
from dpframe.prover.rounding import hidden_onto_whole
from dpframe.symbols import (
    DATA,
    DELTA,
    EPSILON,
    MU,
    RELEASED,
    RHO,
    Expression,
    Number,
    parameter,
)
from dpframe.wording import Formula, Text, joined, say

OF_TABLES = {RowsNode.written, ColumnNode.written}
ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


LETTERS = {one.name: one for one in (EPSILON, DELTA, RHO, MU)}
SYMBOLIC: Mapping[str, Guarantee] = {
    name: kind(*(LETTERS.get(own, parameter(own, 0)) for own in kind.parameters))
    for name, kind in GUARANTEES.items()
}


@attrs.frozen(kw_only=True)
class ReleaseLine:
    """One release. Numbers are None while a parameter is left; costs that depend on released
    numbers are the largest over their ranges.

    `size` is the std (Laplace: the scale); `formula` is that as it was verified, `written` as the
    declaration writes it, over epsilon, delta, B and Y (`meanings`).
    `exact_delta` (at the claimed epsilon), `exact_epsilon` (at the claimed delta) and `mu` =
    sensitivity/std are rounded up; they are exact where some pair of neighbours attains the
    sensitivity (`attained`), and upper bounds elsewhere, as `exact_epsilon` of pure noise is beside
    a delta above 0. `verdict` judges the claimed share; it is None where nothing is claimed.
    `unbounded` says why there is no
    sensitivity; "" where there is one. `open` is the requirement of a claim that is neither proved
    nor refuted. `sampled` is the rate of the sample of each draw; mu, delta and epsilon do not
    count it. `sized`: whether its noise has a size, which a theorem gives for a positive
    sensitivity only. `derived` is the rule of the sensitivity, `law` the class of the noise.
    `attained_if` is what would have to hold for a sensitivity to be attained that is not known to
    be, where execution decides it.
    """

    name: str
    statistic: str
    sensitivity: Expression | None
    norm: str
    attained: bool
    noise: str
    kind: str
    formula: Expression
    written: Expression
    rule: str
    parameters: tuple[tuple[str, Expression], ...]
    size: float | None
    times: Expression
    sampled: Number | None
    share: Share | None
    mu: float | None
    exact_delta: float | None
    exact_epsilon: float | None
    verdict: Verdict | None
    witness: str = ""
    note: str = ""
    where: tuple[Constraint, ...] = ()
    unbounded: str = ""
    open: str = ""
    sized: bool = True
    derived: str = ""
    law: str = ""
    attained_if: str = ""

    @property
    def claim(self) -> str:
        """`proved`, `proved in part` (`where` says of which values), `refuted`, `unproved` or `no
        claim`.
        """
        if self.verdict is None:
            return "no claim"
        return f"{self.verdict}{' in part' * bool(self.where)}"

    def record(self) -> dict[str, object]:
        """Every field as a JSON value; formulas as text."""
        share, found = self.share, attrs.asdict(self, recurse=False)
        parameters = {name: str(one) for name, one in self.parameters}
        for name in ("kind", "written", "verdict", "open", "sized", "derived", "law", "parameters"):
            del found[name]
        return {
            **found,
            "sensitivity": None if self.sensitivity is None else str(self.sensitivity),
            "noise": self.kind,
            "formula": str(self.written) if self.sized else None,
            **({"parameters": parameters} if parameters else {}),
            "times": str(self.times),
            "sampled": None if self.sampled is None else str(self.sampled),
            "share": share and dict(zip(share.currency, map(str, share.amounts), strict=True)),
            "claim": self.claim,
            "where": [str(constraint) for constraint in self.where],
        }


def lines(regression: Regression, report: Report) -> tuple[ReleaseLine, ...]:
    """One line a release, in order; equal releases are judged once."""
    problem = report.problem
    releases = problem.graph.releases
    written = as_written(regression, problem)
    judged = {_key(release): _line(report, release) for release, _ in classes(releases)}
    return tuple(
        attrs.evolve(judged[_key(release)], name=release.label, written=formula)
        for release, formula in zip(releases, written, strict=True)
    )


def _key(release: Release) -> object:
    return (release.statistic, release.stated, release.share, release.times, release.sampled)


def _line(report: Report, release: Release) -> ReleaseLine:
    problem, mechanism = report.problem, release.mechanism
    moved = None if _leaks(release) else release.statistic.sensitivity(mechanism.norm)
    reached = release.statistic.one_row(mechanism.norm, problem.setting.relation)
    sized = release.rule is None or (moved is not None and moved.value != ZERO)
    amount = None if moved is None else _amount(release, moved.value)
    cost = {} if amount is None else _cost(release, amount)
    result, note = _earned(report, release)
    obligation = None if result is None else result.obligation
    attained = reached is not None and reached.attained and _attained(release)
    attained = attained and (amount is None or RELEASED not in amount.scope)
    return ReleaseLine(
        name=release.label,
        statistic=Formula(release.statistic.title),
        sensitivity=None if moved is None else moved.value,
        norm=str(mechanism.norm),
        attained=attained,
        attained_if="" if attained else _attained_if(release),
        noise=mechanism.noise,
        kind=mechanism.kind,
        formula=mechanism.formula,
        written=mechanism.formula,
        rule="stated" if release.rule is None else release.rule.name,
        parameters=tuple(release.parameters.items()),
        size=finite(mechanism.formula) if sized else None,
        sized=sized,
        times=release.times,
        sampled=release.sampled,
        share=release.share,
        mu=cost.get("mu"),
        exact_delta=cost.get("delta"),
        exact_epsilon=cost.get("epsilon"),
        verdict=None if obligation is None else obligation.verdict,
        witness="" if obligation is None else obligation.example,
        note=note,
        where=() if result is None else result.constraints,
        unbounded="" if moved is not None else _why_unbounded(report, release),
        derived="" if moved is None else moved.rule,
        law=release.noise.__name__,
        open=obligation.rule if obligation and obligation.verdict is Verdict.UNPROVED else "",
    )


def _attained(release: Release) -> bool:
    """Whether the pair that moves its statistic furthest costs what is shown: the profile of
    Gaussian noise less where it is rounded onto whole numbers.
    """
    return release.reached and (release.gives is PureDP or hidden_onto_whole(release) == ZERO)


def _attained_if(release: Release) -> Text:
    """Of gradients and residuals: all of them are small at some points, and which points execution
    visits depends on noise, so no pair of tables is known to attain the bound.
    (proofs/clipped_gradients)
    """
    names = [name for name in _sums(release.statistic) if name not in OF_TABLES]
    if not names:
        return say("")
    replaced = release.statistic.unit.relation.replaced
    two, one = "two records' {} are opposite and reach", "one record's {} reaches"
    met = say(two, names[0]) if replaced else say(one, names[0].removesuffix("s"))
    return say("at every point where {} are computed, {} the bound", names[0], met)


def _sums(statistic: Statistic) -> Iterator[str]:
    """What a statistic is computed from: `X`, `y`, `gradients`, `residuals`."""
    for one in statistic.inputs:
        if isinstance(one, RowsOrLabels):
            yield variable(one)
        elif isinstance(one, Statistic):
            yield from _sums(one)


def _why_unbounded(report: Report, release: Release) -> str:
    """What is open about the sensitivity of a release that has none."""
    found = (
        o for o in report.common if o.node == release.label and o.verdict is not Verdict.PROVED
    )
    first = next(found, None)
    if first is None:
        return "what it reads has no public bound"
    grows = first.example if first.verdict is Verdict.REFUTED else ""
    return joined("; ", filter(None, (first.rule, grows)))


def finite(formula: Expression) -> float | None:
    """The number of a formula without symbols, rounded up; None where it has none."""
    if formula.symbols():
        return None
    value = number(formula, {}, up=True)
    return value if 0 < value < float("inf") else None


def lower_end(formula: Expression) -> Fraction | None:
    """A lower bound on a formula without symbols, exact for a number; None where it has none."""
    found = ends_of(formula)
    return None if found is None else found[0]


def _amount(release: Release, sensitivity: Expression) -> Expression | None:
    """What one draw of additive noise spends, epsilon or mu^2; None for other noise, or none."""
    if release.gives not in ADDED or sensitivity == ZERO:
        return None
    return release.guarantee(sensitivity).amounts[0]


def _cost(release: Release, amount: Expression) -> dict[str, float]:
    """Of one draw, rounded up: epsilon of pure noise; mu, and the profile at the claim, of Gaussian
    noise. Where it depends on released numbers, the largest over their ranges.
    """
    ranges = _released_ranges(amount)
    ball = None if ranges is None else enclose(amount, ranges)
    if ball is None or not ball.is_finite():
        return {}
    if release.gives is PureDP:
        return {"epsilon": to_float(arb_upper(ball), up=True)}
    whole = root(ball)  # not finite where the ball reaches below 0
    mu = arb_upper(whole if whole.is_finite() else root(rational_ball(arb_upper(ball))))
    return {"mu": number(Number(mu), {}, up=True), **_profile(release.share, mu)}


def _released_ranges(amount: Expression) -> dict[str, Any] | None:
    """A ball over the range of each symbol of a formula; None unless all are released numbers."""
    found = {}
    for symbol in amount.symbols():
        low, high = symbol.domain.lower, symbol.domain.upper
        if symbol.scope is not RELEASED or low is None or high is None:
            return None
        found[symbol.name] = rational_ball(low).union(rational_ball(high))
    return found


def _profile(share: Share | None, mu: Fraction) -> dict[str, float]:
    if share is None or share.currency != ("epsilon", "delta"):
        return {}
    found = {}
    epsilon, delta = lower_end(share.epsilon), lower_end(share.delta)
    if epsilon is not None and epsilon >= 0:
        found["delta"] = profile_delta(epsilon, mu)
    if delta is not None and 0 < delta < 1:
        found["epsilon"] = profile_epsilon(delta, mu)
    return found


def _earned(report: Report, release: Release) -> tuple[Earned | None, str]:
    """What became of the claim, judged by the noise itself; and a word on the theorem it names."""
    if release.share is None:
        return None, ""
    blocking = _blocking(report, release)
    if blocking is not None:
        return Earned(blocking), ""
    result = earns_exactly(report.problem, release)
    if release.rule is None or result.obligation.verdict is Verdict.PROVED:
        return result, ""
    stated = attrs.evolve(release, stated=release.mechanism)
    return earns_exactly(report.problem, stated), say(
        "outside its theorem: {}", result.obligation.rule
    )


def _blocking(report: Report, release: Release) -> Obligation | None:
    """An open obligation of the graph or the plan without which the claim means nothing."""
    if any(DATA in formula.scope for formula in release.formulas.values()):
        rule = "noise and share must be public"
        return Obligation("structure", release.label, rule, (), Verdict.UNPROVED)
    if _leaks(release):
        rule = "what it reads must have bounds and scales that are public"
        return Obligation("structure", release.label, rule, (), Verdict.UNPROVED)
    open_ones = [o for o in (*report.common, *report.plan) if o.verdict is not Verdict.PROVED]
    same = [other.label for other in report.problem.graph.releases if other.share == release.share]
    return next(
        (o for o in open_ones if o.node == release.label or (o.kind == "plan" and o.node in same)),
        None,
    )


def _leaks(release: Release) -> bool:
    """Whether a bound or a scale of what it reads is private, so that nothing bounds its moves."""
    read = (formula for node in ancestors(release) for formula in node.formulas.values())
    return any(DATA in formula.scope for formula in read)


def as_written(regression: Regression, problem: Problem) -> list[Expression]:
    """Each release's noise over epsilon, delta, B and Y.

    Checked: with the numbers put back it must be what was verified, which stays otherwise.
    """
    own = [release.mechanism.formula for release in problem.graph.releases]
    setting, letters = _lettered(problem.setting)
    target = SYMBOLIC.get(problem.target.kind)
    if target is None:
        return own
    fields: Any = attrs.fields(type(target))  # type: ignore[arg-type]  # every guarantee is of attrs
    for field in fields:
        letters[field.name] = getattr(problem.target, field.name)
    try:
        graph = regression.graph(setting, target.budget)
        found = [release.mechanism.formula for release in graph.releases]
        back = [formula.substitute(letters) for formula in found]
    except (DPFrameError, TypeError, ValueError):
        return own
    if len(found) != len(own):
        return own
    return [f if b == o else o for f, b, o in zip(found, back, own, strict=True)]


def meanings(lines: Iterable[ReleaseLine]) -> dict[str, Text]:
    """The bounds and sizes that stand as letters in statistics and noise of the releases."""
    known = {
        "B": say("bound on the norm of a row"),
        "box": say("bound on an entry of a row"),
        "Y": say("bound on a label"),
        "n": say("number of rows, as `dp.count(X)` counts them"),
    }
    every = list(lines)
    used = {symbol.name for line in every for symbol in line.written.symbols()}
    used |= {line.statistic for line in every}
    return {name: meaning for name, meaning in known.items() if name in used}


def _lettered(setting: Setting) -> tuple[Setting, dict[str, Expression]]:
    """The setting with B, or box, and Y for its numbers, and what they stand for."""
    letters: dict[str, Expression] = {}
    rows, column = setting.X, setting.y
    if isinstance(rows.norm, Number):
        letters["B"], rows = rows.norm, attrs.evolve(rows, norm=parameter("B"))
    elif rows.norm is None and isinstance(rows.box, Number):
        letters["box"], rows = rows.box, attrs.evolve(rows, box=parameter("box"))
    if column is not None and isinstance(column.bound, Number):
        letters["Y"], column = column.bound, attrs.evolve(column, bound=parameter("Y"))
    return attrs.evolve(setting, X=rows, y=column), letters
