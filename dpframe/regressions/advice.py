"""Recommend a regression and predict its accuracy from public quantities alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, cast

import attrs

from dpframe.errors import InvalidArgument, Plain, PrivacyWarning, address, warn
from dpframe.execution.preview import Foreseen, columns_of, foreseen, large_delta, predicted
from dpframe.graph import Column, Regression, Rows, Setting
from dpframe.numerics.calibrate import analytic_mu, profile_epsilon
from dpframe.privacy import ADD_REMOVE, ApproxDP, Guarantee, PersonalizedDP, PureDP
from dpframe.prover.certify import certify
from dpframe.symbols import Number, exact, rational

from .ambssgd import AdaptiveGradientDescent
from .bayesian import BayesianSSPPure
from .gradient_descent import NoisyGradientDescent
from .joint_ssp import JointSSP
from .logistic_descent import LogisticDescent
from .many_models import TheilSen
from .of_classes import LogOdds, foreseen_of_descent, penalised
from .personalized import PersonalizedObjective, PersonalizedSSP
from .perturbation import NO_PURE_LOGISTIC, ObjPertPure

ONE = exact(1)
MANY = 2000  # columns, beyond which a d by d matrix is too large
LOST = 4.0  # the ratio of noise to signal is LOST (d/(n mu))^2/R^2
HOPELESS = 0.9  # the loss to noise beyond which more records are needed
AT_ONCE: Regression = cast("Any", JointSSP)(moment=35, rounds=0, levels=0)  # no corrections
FOR_INTERVALS = JointSSP.for_intervals()
FEWEST, LEAST_NOISE, MOST_NOISE = 150.0, 0.1, 0.33  # n mu and d/(n mu) for gradient descent
FEWEST_PAIRS, MOST_RECORDS = 150, 2000  # n epsilon and n for medians of slopes of one column
MORE_INTERVALS = "more and shorter ones, worse predictions; choose before the budget is spent"
SMALL = 100.0  # no corrections are made if the sampling error is SMALL times the noise or more


@attrs.frozen
class Recommendation:
    """A regression to fit, the reason, and its alternatives.

    Attributes
    ----------
    regression, because : dp.Regression and str
        The recommendation and its reason.
    lost : float or None
        About the fraction of the variance explained by least squares that noise takes away, from 0
        to 1; None if no rule of thumb is known.
    intervals : Foreseen or None
        Which coefficients will probably have intervals; None for a regression without intervals.
    instead, instead_intervals
        A variant that spends more on X'X, with mostly shorter intervals, and which ones.
    enough : (int, float) or None
        About the n, and about the epsilon, at which most columns of a codebook have an interval
        (with `instead` if there is one); None if they do already.
    of_one_column : dp.Regression or None
        The median of slopes, for one column without an intercept and few records.
    of_even_rows : dp.Regression or None
        Gradient descent, where noise hides X'X but not gradients.
    log_odds, of_odds, at_once, of_numbers
        For two classes: the effect of noise on log-odds; the variant with intervals of log-odds;
        one release of the coefficients with the best penalty; least squares on labels 0 and 1.
    """

    regression: Regression
    because: str
    lost: float | None = None
    intervals: Foreseen | None = None
    instead: Regression | None = None
    instead_intervals: Foreseen | None = None
    of_one_column: Regression | None = None
    enough: tuple[int, float] | None = None
    log_odds: LogOdds | None = None
    of_odds: Regression | None = None
    at_once: Regression | None = None
    of_numbers: Regression | None = None
    of_even_rows: Regression | None = None

    def __str__(self) -> str:
        """The expected intervals, the regression and its variants, then a line per column."""
        if self.intervals is not None and self.intervals.by_column:
            return "\n".join([*self._by_column(self.intervals), *self._others()])
        lines = [written(self.regression), *self._reasons()]
        if self.intervals is not None:
            lines.append(f"  intervals: {self.intervals}")
        if self.instead is not None:
            lines.append(f"for shorter intervals: {written(self.instead)}")
            lines.append(f"  {self.instead_intervals}")
        return "\n".join([*lines, *self._others()])

    def _by_column(self, expected: Foreseen) -> Iterator[str]:
        """The lines if a codebook names the columns."""
        yield f"At this size expect {expected.expected}."
        by = f" with {written(self.instead)}" if self.instead else ""
        if self.enough is not None:
            n, epsilon = self.enough
            more = f"n = {n:,}, or epsilon = {epsilon:.2g}, or fewer columns"
            yield f"Most columns have an interval{by} at about {more}."
        elif expected.few and by:
            yield f"Most columns have an interval{by}."
        first, *rest = [written(self.regression), *self._reasons()]
        if self.instead is not None:
            yield from (f"for intervals: {written(self.instead)}", f"  {MORE_INTERVALS}")
            first = f"for predictions: {first}"
        yield from (first, *rest)
        yield from expected.table(self.instead_intervals)

    def _reasons(self) -> Iterator[str]:
        yield f"  {self.because}"
        if self.lost is not None:
            yield f"  privacy noise lowers R-squared by about {self.lost:.0%} of its value"
        if self.log_odds is not None:
            yield f"  {self.log_odds}"
        if (self.lost or 0) > HOPELESS or (self.log_odds and self.log_odds.hopeless):
            yield "  more records, fewer columns or a larger epsilon are needed"

    def _others(self) -> Iterator[str]:
        """Variants for other tables, two lines each."""
        for field, when, limits in OTHERS:
            variant = getattr(self, field)
            if variant is not None:
                yield from (when.format(written(variant)), f"  {limits}")


OTHERS = (  # the field of a variant, when to take it, and its limits
    (
        "of_one_column",
        "if labels scatter evenly about a line: {}",
        "not for classes, counts or labels that are mostly zero; no intervals",
    ),
    (
        "of_even_rows",
        "if all columns have similar variances and no common factor: {}",
        "no intervals",
    ),
    (
        "of_odds",
        "for intervals of log-odds: {}",
        "of dp.PrivateClassifier; none for few records or strong effects: simulate made-up rows",
    ),
    (
        "of_numbers",
        "for intervals of differences of probabilities: {}",
        "a linear probability model, of dp.PrivateRegressor with the same setting",
    ),
    (
        "at_once",
        "one release of coefficients: {}",
        "with the best penalty for about n records; predicts worse than the first",
    ),
)


def written(regression: Regression) -> str:
    """As a user writes it, without defaults: `dp.regressions.ObjPertPure(radius=1)`."""
    if regression.full_name.endswith(".for_intervals"):
        return f"{address(type(regression).__name__)}.for_intervals()"
    fields: Any = attrs.fields(type(regression))  # type: ignore[arg-type]  # every one uses attrs
    values = ((field, getattr(regression, field.name)) for field in fields)
    changed = (f"{field.name}={value}" for field, value in values if value != field.default)
    return f"{address(type(regression).__name__)}({', '.join(changed)})"


def recommend(
    *,
    n: int,
    d: int | None = None,
    epsilon: object,
    delta: object = 0,
    each: bool = False,
    explained: float = 0.5,
    setting: Setting | None = None,
) -> Recommendation:
    """Recommend a regression for about n records of d columns, from public quantities alone.

    Parameters
    ----------
    n, d : int
        The approximate number of records, and the number of columns; `setting` may supply d.
    epsilon, delta : number or text
        The budget.
    each : bool
        Whether records have budgets of their own.
    explained : float
        A guess of R^2.
    setting : dp.Setting or None
        The public description of the table. With a codebook, intervals are predicted column by
        column.

    Notes
    -----
    The accuracy is a rule of thumb for labels with a std of a third of their bound: noise takes the
    fraction q/(1 + q) of the explained variance, q = 4 (d/(n mu))^2/R^2, where mu is the Gaussian
    privacy that (epsilon, delta) allows. It is for add/remove and rows that fill their ball evenly;
    of a codebook for typical variation, and for its relation and rows per person. Uneven rows lose
    more. If 100 q is below d/n, the sampling error, one pass over the table suffices, and one more
    for standard errors.

    Whether coefficients will have intervals follows from n, the noise on X'X, and how columns
    usually vary; columns are assumed to be uncorrelated, and without a setting rows to fill their
    ball. For one column without an intercept and at most 2,000 records the median of slopes is
    named as well, and for wide tables, where noise hides X'X, gradient descent. Warns where delta
    is not far below 1/n. Raises InvalidArgument.

    Examples
    --------
    >>> advice = recommend(n=10_000, d=10, epsilon="0.01", delta="1e-6")
    >>> print(type(advice.regression).__name__, f"{advice.lost:.0%}", advice.because)
    JointSSP 43% nothing to tune
    >>> print(advice.intervals)
    unlikely for any coefficient
    >>> recommend(n=2_000_000, d=50, epsilon=1, delta="1e-8").because.partition(":")[0]
    'skips the correction rounds'
    """
    spent, failure = rational(epsilon, "epsilon"), rational(delta, "delta")
    size = number_of_columns(setting, d)
    _check(n, size, spent, failure, explained)
    if (text := large_delta(float(failure), n)) is not None:
        warn(text, PrivacyWarning)
    if setting is not None:
        _check_setting(setting, each=each, pure=failure == 0)
    target = PureDP(spent) if failure == 0 else ApproxDP(spent, failure)
    if setting is not None and setting.y is not None and setting.y.levels is not None:
        return of_classes(target, setting, n, size)
    if each or failure == 0:
        return Recommendation(*(of_personal(target) if each else of_pure(setting)))
    lost = lost_to_noise(n, even_columns(setting, size), spent, failure, explained)
    if size > MANY:
        why = f"more than {MANY} columns: a round releases d numbers, never a matrix"
        return Recommendation(NoisyGradientDescent(), why, lost)
    table = (target, setting, n, size)
    if SMALL * lost < size / n:
        return Recommendation(AT_ONCE, NO_CORRECTIONS, lost, intervals_of(AT_ONCE, *table))
    advice = of_least_squares(table, spent, failure)
    return attrs.evolve(advice, lost=lost, enough=enough_for_most(advice, n, spent, failure))


NO_CORRECTIONS = (
    "skips the correction rounds: at this size sampling error exceeds privacy noise, assuming "
    "labels use about a tenth of their range"
)


def of_least_squares(
    table: tuple[Guarantee, Setting | None, int, int], epsilon: Fraction, delta: Fraction
) -> Recommendation:
    """JointSSP, with its variants for the target, setting, n and d in `table`."""
    _, _, n, d = table
    first = intervals_of(JointSSP(), *table)
    other = None if first is None else intervals_of(FOR_INTERVALS, *table)
    more = None if other is None or other.none else other
    line = d == 1 and few_for_a_line(n, epsilon)
    return Recommendation(
        JointSSP(),
        "nothing to tune",
        intervals=first,
        instead=FOR_INTERVALS if more else None,
        instead_intervals=more,
        of_one_column=cast("Any", TheilSen)(pairs=n // 2) if line else None,
        of_even_rows=AdaptiveGradientDescent() if descent_wins(n, d, epsilon, delta) else None,
    )


def enough_for_most(
    advice: Recommendation, n: int, epsilon: Fraction, delta: Fraction
) -> tuple[int, float] | None:
    """The approximate n at which most columns have an interval, by the variant with more of them,
    and the epsilon with the same ratio of signal to noise; None if they do already.
    """
    expected = advice.instead_intervals or advice.intervals
    if expected is None or not expected.by_column or not expected.few:
        return None
    times = expected.times_for_most
    if not math.isfinite(times):
        return None
    least = times * analytic_mu(epsilon, delta)
    return int(float(f"{times * n:.1e}")), profile_epsilon(delta, least)


def few_for_a_line(n: int, epsilon: Fraction) -> bool:
    """Whether the median of slopes of one column errs less than noisy sums: by a factor of 1.5 or
    more in 25 simulated settings with normal or Student residuals (docs/flagship).
    """
    return FEWEST_PAIRS <= n * epsilon and n <= MOST_RECORDS


def descent_wins(n: int, d: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether gradient descent errs less than noisy sums if rows fill their ball evenly: noise
    hides X'X, with eigenvalues of about n/d, but not a sum of d numbers (docs/flagship).
    """
    clear = n * analytic_mu(epsilon, delta)
    return clear >= FEWEST and LEAST_NOISE <= d / clear <= MOST_NOISE


def number_of_columns(setting: Setting | None, d: int | None) -> Any:
    """d, or the number of columns of a codebook after coding. Raises InvalidArgument."""
    if setting is None or setting.X.columns is None:
        return d
    columns_of(setting, d)
    return setting.X.width


def intervals_of(
    regression: Regression, target: Guarantee, setting: Setting | None, n: int, d: int
) -> Foreseen | None:
    """The coefficients predicted to have intervals; None if the setting has free parameters."""
    plain = Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)
    certificate = certify(regression, target=target, setting=setting or plain)
    return None if certificate.free else foreseen(certificate, n, {"n": n, "d": d})


def _check(n: int, d: int, epsilon: Fraction, delta: Fraction, explained: float) -> None:
    """Raises InvalidArgument."""
    for name, value in (("n", n), ("d", d)):
        if type(value) is not int or value < 1:
            raise InvalidArgument(name, "a whole number, 1 or more", value, "A guess is enough.")
    if not epsilon > 0:
        raise InvalidArgument("epsilon", "positive", Plain(epsilon), "")
    if not 0 <= delta < 1:
        raise InvalidArgument("delta", "in [0, 1)", Plain(delta), "0 requests pure privacy.")
    if not 0 < explained <= 1:
        raise InvalidArgument("explained", "R^2, in (0, 1]", explained, "0.5 is a fair guess.")


def _check_setting(setting: Setting, *, each: bool, pure: bool) -> None:
    """Raises InvalidArgument if no regression suits the setting without further numbers."""
    if setting.y is None:
        wanted = "one with labels, such as y=dp.Column(lower=0, upper=100)"
        raise InvalidArgument("setting", wanted, None, "A regression predicts them.")
    if each and setting.y.levels is not None:
        wanted = "of labels that are numbers, where records have budgets of their own"
        way_out = "dp.regressions.PersonalizedSSP() fits labels of 0 and 1, lower=0, upper=1."
        raise InvalidArgument("setting", wanted, Plain("levels"), way_out)
    if each and setting.rows_per_person != ONE:
        wanted = "of one row a person, where records have budgets of their own"
        way_out = "Bound the rows of a person to 1 before the table is read."
        raise InvalidArgument("setting", wanted, Plain(setting.rows_per_person), way_out)
    if each and pure and setting.relation is ADD_REMOVE:
        wanted = "of dp.REPLACE_ONE, where records have budgets of their own and delta is 0"
        way_out = "dp.regressions.PersonalizedObjective(total=S) fits, S no less than their sum."
        raise InvalidArgument("setting", wanted, Plain("dp.ADD_REMOVE"), way_out)


def even_columns(setting: Setting | None, d: int) -> float:
    """The number of columns of rows that fill their ball evenly and lose as much to noise as d
    columns of a setting: its square is the squared norm of rows times the sum of 1/m over
    directions with the mean squares m, which are typical ones for a codebook and 1 along the
    intercept. The noise grows with the rows of a person, and 1.5 times under replace-one.
    """
    if setting is None:
        return d
    rows, person = setting.X, setting.rows_per_person
    noise = (1.5 if setting.relation.replaced else 1.0) * (
        float(person.value) if isinstance(person, Number) else 1.0
    )
    if not rows.parts:
        return noise * d
    longest = len(rows.parts)
    shrunk = (
        min(1.0, float(rows.norm.value) ** 2 / longest) if isinstance(rows.norm, Number) else 1.0
    )
    inverse = sum(
        math.prod(part.width for part in term) / predicted(term, 0, 0).usual for term in rows.parts
    )
    square = shrunk * longest + rows.intercept
    return noise * math.sqrt(square * (inverse / shrunk + rows.intercept))


def lost_to_noise(n: int, d: float, epsilon: Fraction, delta: Fraction, explained: float) -> float:
    """The rule of thumb of `recommend`, in [0, 1), for d columns that fill their ball evenly."""
    ratio = d / (n * analytic_mu(epsilon, delta))
    share = LOST * ratio**2 / explained
    return share / (1 + share)


def default_regression(target: Guarantee, setting: Setting | None = None) -> Regression:
    """The regression that an estimator fits by default."""
    if isinstance(target, PersonalizedDP):
        return of_personal(target.each)[0]
    return of_pure(setting)[0] if isinstance(target, PureDP) else JointSSP()


def of_personal(own: Guarantee) -> tuple[Regression, str]:
    """The regression, and the reason, if each record has a guarantee of this kind."""
    if isinstance(own, PureDP):
        return PersonalizedObjective(), "a budget for each record, and no delta"
    return PersonalizedSSP(), "a budget for each record, and a delta"


def of_classes(target: Guarantee, setting: Setting, n: int, d: int) -> Recommendation:
    """The recommendation for labels of two classes. Raises InvalidArgument if delta is 0."""
    if isinstance(target, PureDP):
        way_out = NO_PURE_LOGISTIC
        raise InvalidArgument("delta", "above 0 for labels of two classes", Plain("0"), way_out)
    why = "two classes, of dp.PrivateClassifier; nothing to tune"
    variants: dict[str, Any] = {
        "of_odds": LogisticDescent.for_intervals(),
        "of_numbers": FOR_INTERVALS,
    }
    advice = Recommendation(LogisticDescent(), why, **variants)
    if certify(advice.regression, target=target, setting=setting).free:
        return advice
    sizes = {"n": n, "d": columns_of(setting, None if setting.X.columns else d)}
    odds = foreseen_of_descent(target, setting, sizes)
    return attrs.evolve(advice, log_odds=odds, at_once=penalised(target, setting, sizes))


def of_pure(setting: Setting | None) -> tuple[Regression, str]:
    """The regression, and the reason, if delta is 0."""
    if setting is not None and setting.rows_per_person != ONE:
        return BayesianSSPPure(), "no delta, several rows a person: noise on X'X, X'y and y'y"
    why = "no delta: noise on d numbers in the objective; "
    return ObjPertPure(), why + "dp.regressions.BayesianSSPPure has credible intervals"
