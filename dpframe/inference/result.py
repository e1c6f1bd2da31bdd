"""The joint law of coefficients, and the inferences that follow from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Never

import attrs
import numpy as np

from dpframe.errors import DataWarning, InvalidArgument, missing, warn
from dpframe.notebooks import data_frame

from .arrays import Array
from .contrasts import contrasts, finite
from .estimates import Estimates, Wald, checked
from .evidence import Shrunk
from .residual import Residual, taken
from .row_set import Clipped
from .sandwich import Sandwich
from .spectrum import Unidentified
from .spread import Spread
from .variation import Variation

COVERED = {
    "population": (
        "the population's coefficients{}. They include sampling error and privacy noise"
    ),
    "sample": (
        "the least squares coefficients of this very table{}. They include privacy noise, not "
        "sampling error"
    ),
}
LAWS: dict[str, Callable[[float], float]] = {
    "any": lambda alpha: 1 / np.sqrt(alpha),
    "unimodal": lambda alpha: max(2 / (3 * np.sqrt(alpha)), np.sqrt(8 / 3)),
}
"""How many stds from its mean a number is with probability alpha at most: Chebyshev's inequality,
and that of Vysochanskij and Petunin for laws of one mode."""
INSTEAD = {
    "f_test": "wald_test(R, r) tests several hypotheses together",
    "summary": "model.summary() is the table, t_test().summary_frame() a data frame",
}
ONLY_RELEASED = (
    "model.summary() has what was released, model.inference() what follows from it; nothing else, "
    "such as values of single records, is known after a fit."
)
OUTSIDE = (
    "{} of {} predicted means are outside the bounds [{:g}, {:g}] of labels: by noise, or because "
    "the mean of labels is not linear in the columns there."
)
NO_NEW_LABELS = "New labels have no interval but the bound."
UPPER_BOUND = (
    "The residual variance is lost in noise: intervals of new labels use an upper confidence bound "
    "of it, and are mostly longer than residuals require."
)
INDEPENDENT = 1e-10  # the least eigenvalue over the largest, of correlations of what is tested


def as_rows(X: Any) -> Array:
    """Rows as they are, (m, d)."""
    return np.atleast_2d(np.asarray(X, dtype=float))


@attrs.frozen(eq=False)
class Units:
    """matrix @ theta + offset are m coefficients by their names, for theta (d,) of the rows that
    sums were taken of, which `rows` makes of a table; labels are centre + half z. The last
    coefficient is the intercept where there is one. `baselines` are the names of the levels whose
    effect is 0.
    """

    matrix: Array
    offset: Array
    names: tuple[str, ...]
    centre: float = 0.0
    half: float = 1.0
    rows: Callable[[Any], Array] = as_rows
    baselines: tuple[str, ...] = ()

    @classmethod
    def plain(cls, d: int) -> Units:
        """Those of theta itself."""
        return cls(np.eye(d), np.zeros(d), tuple(f"x{j}" for j in range(d)))


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Inference:
    """The joint law of m coefficients, from released values only: it reads no data and costs
    nothing.

    Estimates are normal about the coefficients of the `target`, with the covariance `cov_params()`,
    of which the residual variance was itself observed with noise; besides, they may be off along
    directions that noise hides, and by what clips took off labels. Standard errors and
    `cov_params()` are of the first part alone; intervals and p values count all three.

    `params`, `bse`, `tvalues`, `pvalues` (m,), `conf_int`, `cov_params`, `t_test`, `wald_test`,
    `get_prediction`, `scale` and `rsquared` are named as in statsmodels.

    Of theta, the coefficients (d,) of the rows that sums were taken of: `centre`, `covariance` (d,
    d) and the part of it that the noise for privacy makes, `private`; what is not identified,
    `unseen`; and how far clips of labels moved them, `clipped`, None where they took nothing.
    `residual` is the variance of labels about the regression, None where nothing is known of it,
    `variation` what is known of it and R^2. `bound` is that of labels; of each label and residual
    at least `kept` was inside its clip. `settled` says whether the iteration found its fixed point,
    and clips took no more than half off the sizes of labels, of which `lost_share` is what they may
    have taken; `normal_residuals`, whether sums of clipped residuals count, by the normal law;
    `shrunk`, how long rows were shrunk, so that they weigh less; `equal_variance`, whether
    residuals are taken to have one variance in every row; if not, `sandwich` is what says how it
    varies, None where only the norm of rows bounds that. Groups of up to `dependent` records may
    depend on each other. `new_labels` says whether these have intervals, which hold over rows drawn
    like the table's. `not_released` names which of y'y and n were not released.
    """

    target: str
    centre: Array
    covariance: Array
    private: Array
    unseen: Unidentified
    clipped: Clipped | None
    residual: Residual | None
    variation: Variation | None
    bound: float
    kept: float
    settled: bool
    lost_share: float
    normal_residuals: bool
    equal_variance: bool
    units: Units
    shrunk: Shrunk | None = None
    sandwich: Sandwich | None = None
    dependent: float = 1.0
    new_labels: bool = True
    not_released: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Never:
        """Raises UnknownName, with what to write instead of names of statsmodels."""
        missing(self, name, INSTEAD.get(name, ""), why=ONLY_RELEASED)

    @property
    def identified(self) -> int:
        """How many directions of the coefficients are clear of the noise on X'X."""
        return int(len(self.centre) - self.unseen.lost.shape[1])

    @property
    def open_ended(self) -> bool:
        """Whether nothing is claimed: some direction is not identified and nothing bounds it."""
        lost = self.unseen.lost.size and np.isinf(self.unseen.length)
        return not self.settled or bool(lost)

    @property
    def sampling_bounded(self) -> bool:
        """Whether sampling enters every variance as an upper bound, with or without noise on it: by
        the squared bound of labels, by the norm of rows, or since rows of a person may depend on
        each other.
        """
        by_bounds = self.sandwich is None and (self.residual is None or not self.equal_variance)
        return self.target == "population" and (by_bounds or self.dependent > 1)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coefficients; "intercept" is the last where one was fitted."""
        return self.units.names

    @property
    def params(self) -> Array:
        """Estimates of the coefficients, the centres of their intervals, (m,); not a number where
        nothing is known.
        """
        tested = self.t_test()
        return np.where(np.isfinite(tested.sd), tested.effect, np.nan)

    @property
    def bse(self) -> Array:
        """Their standard errors, (m,); infinite where nothing is known."""
        return self.t_test().sd

    @property
    def tvalues(self) -> Array:
        """How many standard errors they are from 0, (m,), with what may be hidden taken off; not a
        number where nothing is known.
        """
        return self.t_test().statistic

    @property
    def pvalues(self) -> Array:
        """Two-sided, of 0, each alone, (m,); not a number where no test could reject."""
        return self.t_test().pvalue

    def cov_params(self) -> Array:
        """The covariance of the estimates, (m, m), of sampling and noise; not numbers in the rows
        and columns of those of which nothing is known.
        """
        matrix, known = self.units.matrix, np.isfinite(self.bse)
        covariance = matrix @ self.covariance @ matrix.T
        return np.where(known[:, None] & known[None, :], covariance, np.nan)

    def conf_int(self, alpha: float = 0.05, *, simultaneous: str | None = None) -> Array:
        """Intervals of the coefficients, (m, 2), as of `Estimates`. Raises InvalidArgument."""
        return self.t_test().conf_int(alpha, simultaneous=simultaneous)

    def t_test(self, R: Any = None, r: Any = 0.0) -> Estimates:
        """Estimates of R @ coefficients, with tests of the values r: `effect`, `sd`, `statistic`,
        `pvalue`, `conf_int(alpha)`, `summary_frame(alpha)`, one each row.

        `R` is an array (m,) or (q, m), a name, a combination such as "age - 0.5 bmi", a mapping of
        names to weights, or a list of these; None takes every coefficient. `r` is a number or (q,).
        Raises InvalidArgument.
        """
        rows, names = contrasts(R, self.names, self.units.baselines)
        estimates = self.of(rows @ self.units.matrix, names)
        values = finite(r)
        if values is None or values.shape not in {(), (1,), estimates.effect.shape}:
            wanted = f"a finite number, or {len(rows)} of them, one for each row of R"
            raise InvalidArgument("r", wanted, r)
        null = np.broadcast_to(values, estimates.effect.shape)
        return attrs.evolve(
            estimates, effect=estimates.effect + rows @ self.units.offset, null=null
        )

    def wald_test(self, R: Any, r: Any = 0.0) -> Wald:
        """Whether R @ coefficients = r, all of them; R and r as of `t_test`, the rows of R linearly
        independent. Raises InvalidArgument.
        """
        rows = contrasts(R, self.names, self.units.baselines)[0] @ self.units.matrix
        estimates = self.t_test(R, r)
        df, lengths = len(rows), np.sqrt(estimates.spread.errors)
        if not np.all(np.isfinite(estimates.hidden)):
            return Wald(float("nan"), df, float("nan"))
        scaled = rows / np.where(lengths > 0, lengths, 1.0)[:, None]
        whole = scaled @ self.covariance @ scaled.T
        values, vectors = np.linalg.eigh(whole)
        if not values[0] > INDEPENDENT * values[-1]:
            wanted = f"{df} linearly independent rows"
            raise InvalidArgument("R", wanted, R, "Leave out what follows from the others.")
        whiten = vectors / np.sqrt(values)
        off = whiten.T @ ((estimates.effect - estimates.null) / lengths)
        hidden = np.linalg.norm(whiten.T, axis=0) @ (estimates.bias / lengths)
        unsure = np.linalg.norm(whiten.T, axis=0) @ (estimates.unsure / lengths)
        size = max(float(np.linalg.norm(off)) - float(hidden), 0.0)
        if size == 0 < hidden:
            return Wald(0.0, df, float("nan"))
        known = np.linalg.eigvalsh(whiten.T @ (scaled @ self.private @ scaled.T) @ whiten)[0]
        one, part = np.ones(1), np.clip([known], 0.0, 1.0)
        least = self.spread(one, part)
        if self.sandwich is not None:
            least = Spread(
                one, part, one, self.sandwich.doubt(whiten.T @ scaled, 1 - part[0]) * one
            )
        from scipy.special import chdtrc

        stds = float(least.stds(np.array([size]), df, unsure=unsure)[0])
        return Wald(size**2, df, float(chdtrc(df, stds**2)))

    def get_prediction(self, X: Any, *, residuals: str | None = None) -> Prediction:
        """The mean of labels at rows of `X`, which are treated as `predict` treats them, and where
        new labels lie. Where the residual variance is lost in noise, an upper confidence bound of
        it is used, and `note` says so.

        `residuals` says what is assumed of their law: "any", nothing but one variance, so that
        intervals of new labels are Chebyshev's, 4.5 stds long to either side at 95%; "unimodal", 3
        stds; "normal", 2 stds. None takes "normal" with `normal_residuals`, else "any". Raises
        InvalidArgument, BadData.
        """
        law = residuals or ("normal" if self.normal_residuals else "any")
        if law not in {*LAWS, "normal"}:
            wanted = f"None or {', '.join(map(repr, (*LAWS, 'normal')))}"
            raise InvalidArgument("residuals", wanted, residuals)
        half, centre = self.units.half, self.units.centre
        rows = half * self.units.rows(X)
        estimates = self.of(rows, tuple(str(place) for place in range(len(rows))))
        label = None
        known = self.residual is not None and np.isfinite(self.residual.std)
        if self.new_labels and self.target == "population" and known and self.not_summed < np.inf:
            of_residuals = half**2 * (self.taken + self.not_summed)
            label = self.spread(estimates.spread.errors + of_residuals, estimates.spread.private)
        mean = attrs.evolve(estimates, effect=estimates.effect + centre)
        ends = (centre - half * self.bound, centre + half * self.bound)
        means = mean.effect[np.isfinite(mean.hidden)]
        outside = int(np.sum((means < ends[0]) | (means > ends[1])))
        if outside:
            warn(OUTSIDE.format(outside, len(mean.effect), *ends), DataWarning)
        return Prediction(mean, label, ends, law)

    @property
    def taken(self) -> float:
        """The residual variance that errors count, for labels in [-bound, bound]."""
        return taken(self.residual, self.bound**2)

    @property
    def not_summed(self) -> float:
        """How much larger the mean square of residuals may be since records were shrunk."""
        lost = 0.0 if self.shrunk is None else 1 - self.shrunk.weight
        if lost <= 0:
            return 0.0
        return np.inf if self.variation is None else lost * self.variation.largest**2

    @property
    def scale(self) -> float:
        """The variance of residuals, in units of the label; not a number where noise hides it."""
        if self.residual is None or not self.residual.known:
            return float("nan")
        return self.units.half**2 * self.residual.variance

    def scale_conf_int(self, alpha: float = 0.05) -> Array:
        """An interval of the population's residual variance, (2,).

        For residuals of any law, by a bound on their size, unless they are taken for normal: then
        longer than need be where they are short beside the bound of labels. From 0 to the square of
        half the range of labels where nothing is known. Raises InvalidArgument.
        """
        checked(alpha)
        nothing = np.array([0.0, self.bound**2])
        interval = nothing if self.variation is None else self.variation.scale_conf_int(alpha)
        return np.asarray(self.units.half**2 * interval)

    @property
    def rsquared(self) -> float:
        """The part of the labels' variance that the regression explains; not a number where noise
        hides it. Without a declared intercept the variance is about the middle of their range.
        """
        return float("nan") if self.variation is None else self.variation.rsquared

    def rsquared_conf_int(self, alpha: float = 0.05) -> Array:
        """An interval of the population's R^2, (2,), for labels of any law, as of
        `scale_conf_int`; from 0 to 1 where nothing is known. Raises InvalidArgument.
        """
        checked(alpha)
        nothing = np.array([0.0, 1.0])
        return nothing if self.variation is None else self.variation.rsquared_conf_int(alpha)

    def of(self, rows: Array, names: tuple[str, ...] = ()) -> Estimates:
        """rows @ theta, for rows (q, d)."""
        rows = as_rows(rows)
        root = np.zeros((len(rows), 0))
        variances = np.einsum("ia,ab,ib->i", rows, self.covariance, rows)
        private = np.einsum("ia,ab,ib->i", rows, self.private, rows)
        hidden, unsure = np.full(len(rows), np.inf), np.zeros(len(rows))
        if self.settled:
            values, vectors = np.linalg.eigh(self.covariance)
            above = values > values[-1] * np.finfo(float).eps * len(values)
            root = rows @ (vectors[:, above] * np.sqrt(values[above]))
            hidden = self.unseen.off(rows)
            if self.clipped is not None:
                moved, unsure = self.clipped.moved(rows)
                hidden = hidden + moved
        spread, null = self.spread(variances, private), np.zeros(len(rows))
        if self.sandwich is not None:
            most = self.sandwich.most(rows)
            limit = None if most is None else self.spread(private + most, private)
            spread = self.sandwich.spread(rows, variances, private, limit)
        spread = spread.cautious if self.sampling_bounded else spread
        return Estimates(names, rows @ self.centre, null, spread, hidden, unsure, root)

    def spread(self, variances: Array, private: Array) -> Spread:
        """The spread of variances (q,) whose part beside the `private` one is proportional to the
        residual variance, which was observed with noise.
        """
        residual = self.residual
        if residual is None or not 0 < residual.std < np.inf:
            return Spread(variances, private, variances, np.zeros(len(variances)))
        unit = np.maximum(variances - private, 0.0) / self.taken
        observed = private + unit * min(residual.variance, self.bound**2)
        return Spread(variances, private, observed, unit * residual.std)


OF_INFERENCE = {
    name: f"model.inference().{name}{'(...)' if callable(value) else ''}"
    for name, value in vars(Inference).items()
    if not name.startswith("_") and (callable(value) or isinstance(value, property))
}


@attrs.frozen(eq=False)
class Prediction:
    """Of q rows: `mean`, the regression there, in units of the label; what is known of the variance
    of a new label about it, `label`, None where that is not known or may change from row to row;
    the declared bounds of labels, `ends`; and what is assumed of residuals.
    """

    mean: Estimates
    label: Spread | None
    ends: tuple[float, float]
    residuals: str

    @property
    def predicted_mean(self) -> Array:
        """The regression at the rows, (q,): the centres of intervals."""
        return self.mean.effect

    @property
    def se_mean(self) -> Array:
        """Its standard errors, (q,)."""
        return self.mean.sd

    @property
    def note(self) -> str:
        """What is used in place of a residual variance that is not known; empty where it is."""
        if self.label is None:
            return NO_NEW_LABELS
        return UPPER_BOUND if self.label.unclear.any() else ""

    def __getattr__(self, name: str) -> Never:
        """Raises UnknownName, with the nearest name."""
        missing(self, name, why=ONLY_RELEASED)

    def conf_int(
        self, alpha: float = 0.05, *, obs: bool = False, simultaneous: str | None = None
    ) -> Array:
        """Intervals of the means (q, 2), as of `Estimates`; or with `obs` of a new label at each
        row: never outside the declared bounds, and all between them where less is known. Raises
        InvalidArgument.
        """
        if not obs:
            return self.mean.conf_int(alpha, simultaneous=simultaneous)
        if simultaneous is not None:
            raise InvalidArgument("simultaneous", "None with obs=True", simultaneous)
        half = np.full(len(self.mean.effect), np.inf)
        if self.label is not None:
            from scipy.special import ndtri

            law = LAWS.get(self.residuals)
            stds = float(-ndtri(checked(alpha) / 2)) if law is None else law(checked(alpha))
            half = self.label.half(stds, unsure=self.mean.unsure) + self.mean.bias
        checked(alpha)
        ends = np.stack([self.mean.effect - half, self.mean.effect + half], axis=1)
        return np.asarray(np.clip(ends, *self.ends))

    def summary_frame(self, alpha: float = 0.05) -> Any:
        """A data frame, one row each, with the columns of statsmodels: mean, mean_se,
        mean_ci_lower, mean_ci_upper, obs_ci_lower, obs_ci_upper; a mean without an interval is
        nan. Raises InvalidArgument, MissingExtra without pandas.
        """
        (low, high), (least, most) = self.conf_int(alpha).T, self.conf_int(alpha, obs=True).T
        mean = np.where(np.isfinite(self.se_mean), self.predicted_mean, np.nan)
        columns = {"mean": mean, "mean_se": self.se_mean}
        columns |= {"mean_ci_lower": low, "mean_ci_upper": high}
        return data_frame(columns | {"obs_ci_lower": least, "obs_ci_upper": most})
