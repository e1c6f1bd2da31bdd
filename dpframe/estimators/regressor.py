"""PrivateRegressor: a declaration, a budget and a setting, fitted the way scikit-learn fits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Never, TypedDict, Unpack

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, missing, nearest, warn
from dpframe.execution.preview import delta_warning
from dpframe.graph import Regression, Setting
from dpframe.identity import own
from dpframe.inference.estimates import Estimates, critical
from dpframe.inference.evidence import Evidence
from dpframe.inference.inference import Specification, infer
from dpframe.inference.result import OF_INFERENCE, ONLY_RELEASED, Inference, Units
from dpframe.inference.row_set import RowSet
from dpframe.inference.words import brief, sentences
from dpframe.privacy import Guarantee, PureDP
from dpframe.prover import Certificate
from dpframe.regressions.advice import FOR_INTERVALS, default_regression, written
from dpframe.regressions.joint_ssp import JointSSP

from .base import SAVE, PrivateEstimator, check_known
from .label_bounds import SURE, notes_on_bounds
from .links import check_numbers
from .released import evidence_of
from .scikit import RegressorMixin, check_is_fitted
from .summary import (
    CHANCE,
    INTERCEPT,
    LOST,
    NOT_RELEASED,
    PENALTY,
    REASONS,
    CoefficientSummary,
    Summary,
    between,
    constant_of,
    counted,
    leading,
    named,
)
from .units import (
    entry_bound,
    label_scale,
    own_maps,
    predictions,
)

Array = NDArray[Any]
MOST = 0.5  # the share of privacy noise in the variance of a coefficient
SHORTER = (
    "Noise for privacy is most of what makes these intervals long. Where intervals matter more "
    f"than predictions, {written(FOR_INTERVALS)} has mostly shorter ones and worse predictions; "
    "choose it before the budget is spent."
)
NEARER = (
    "fitted is drawn towards zero, levels towards their average, and has no interval; (fitted) in "
    "parentheses says nothing of sign or size."
)
OUTPUT = (
    "coef and its interval are the least squares fit of the released X'X and X'y. fitted is the "
    "output of {}, and may estimate other coefficients."
)
NO_DELTA = (
    "delta is 0, so the default regression is {}: its coefficients come without standard errors "
    "and confidence intervals. With a delta such as '1e-6' the default, dp.JointSSP(), has them. "
    "Nothing has been spent yet; name the regression to fit it without this warning."
)
NONE_FOLLOW = "There are no intervals: {} is not {}. {}"
MORE = "summary(notes=True) prints all notes."
ABOUT = ", about {:.12g}, not the mean: no intercept"
TOGETHER = "Intervals hold jointly, by {!r}; p values are individual."
SHORT = 0.25  # the root mean square over the norm bound, below which released units help most
IN_THE_BALL = (
    "Rows are at most {share:.0%} as long as their declared norm, in root mean square, by the "
    "released X'X. Noise is as large as the longest row allowed: declare the least norm that is "
    "public knowledge, or fit dp.JointSSP(scaling='0.03'), which releases the lengths of rows for "
    "3% of the squared mu. It is another fit, which spends its own budget."
)


class Assumptions(TypedDict, total=False):
    """The arguments of `PrivateRegressor.inference`: the target and assumptions of intervals."""

    target: str
    largest: float
    normal_residuals: bool
    equal_variance: bool | None


class PrivateRegressor(RegressorMixin, PrivateEstimator):
    """A scikit-learn regressor whose privacy is proved before it reads a row.

    Parameters
    ----------
    regression : dp.Regression or None
        The declaration to fit, such as `dp.SSP()` or one of your own. Its output is the
        coefficients: an array with one entry for each column, a dp.regressions.Fit, or a tuple that
        begins with one of them (`result_.output` is the whole output). None selects
        `dp.JointSSP()`; objective perturbation if delta is 0; a personalised regression if records
        have budgets of their own.
    epsilon : number, text, mapping, array, dp.each("epsilon") or None
        The budget of one `fit`, the same for all records. Or public budgets of the records: a
        mapping {group: number}, with the group of each record passed to `fit`; the name of a column
        of X, which is then not a feature; one number per record; or dp.each("epsilon") or None, if
        they are passed to `fit`. In cross-validation pass them as `fit(X, y, epsilon=...)`, which
        is split like sample_weight; an array passed here fits tables of its own length only.
    delta : number, mapping, array or None
        The delta of the budget; 0 or None requests pure differential privacy.
    setting : dp.Setting
        Public bounds, neighbouring relation and unit of privacy. Nothing is inferred from data.
    rng : None, seed or numpy Generator
        None draws noise from the operating system's randomness; anything else is a reproducible
        simulation, which is not private.
    missing : "refuse" or "drop"
        What `fit` does with rows that have missing or infinite numbers, or levels that are not
        declared. Replace-one refuses "drop", since the number of rows is public.
    ledger, dataset : dp.Ledger and text, or None
        The ledger, and the data set in it, that every `fit` is charged to, also of clones. Not
        available if records have budgets of their own.
    accountant, trust
        As in `dp.certify`: the accountant, and plug-in classes that the proof may trust. Clones
        keep both.

    Attributes
    ----------
    coef_, intercept_
        Coefficients in the units of codebook and label if the setting has a codebook; otherwise in
        those of the clipped rows. Without an intercept in the setting, the fit passes through the
        middle of all bounds, and `intercept_` is the constant that follows from it; it is 0 where a
        category has a coefficient for each level, which is the mean of labels there.

        Scaling of rows by public numbers (`X.scaled_columns`) or by one released number is inverted
        as post-processing, at no cost. A declaration that scales labels, or rows in other ways,
        must invert this in its function of dp.post(...). If rows are mapped otherwise (normalised,
        or clipped below their norm bound), or if X'X and X'y are released with different factors,
        the coefficients are those of the mapped rows and are named `age (mapped)`, with the
        constant column's among them. Declarations that weight rows and labels differently are
        refused. If the declaration clips labels, coefficients and predictions refer to the clipped
        labels.
    coef_names_
        One name per coefficient: that of a column, or `column[level]`.
    certificate_, receipt_, result_
        The proof, the cost, and all released values.
    ridge_
        The ridge penalty that was added, if the regression reports it; else None.
    budget_report_
        If records have budgets of their own: for each group or budget, what it allows, what it
        pays, and the share of noise that is wasted (dp.audits.BudgetReport, with a plot()).
    n_features_in_, feature_names_in_
        As in scikit-learn; with a codebook, its columns, selected by name from a data frame.

    Notes
    -----
    Every `fit` spends its budget, also those of clones: cross-validation with k folds spends it k
    times, and a warning states the total. `predict` is free. `score` (and so cross-validation)
    compares predictions with labels without noise: its result is not private.

    Invalid arguments are refused by name in `fit`, before data are read.

    Examples
    --------
    >>> import dpframe as dp
    >>> setting = dp.Setting(
    ...     X=dp.Rows(columns=[dp.Numeric("age", 18, 90)], intercept=True),
    ...     y=dp.Column("hours of sleep", lower=4, upper=12),
    ...     relation=dp.ADD_REMOVE,
    ... )
    >>> ages = np.linspace(18, 90, 10_000)[:, None]
    >>> hours = 9 - ages[:, 0] / 36
    >>> model = PrivateRegressor(dp.SSP(), epsilon=1, delta="1e-6", setting=setting, rng=0)
    >>> model.fit(ages, hours).coef_.round(2), model.predict([[54]]).round(1)
    (array([-0.03]), array([7.5]))
    >>> print(model.receipt_.randomness)
    simulation, NOT private

    Two groups with different budgets:

    >>> own = {"careful": 0.1, "open": 1}
    >>> model = PrivateRegressor(dp.SSP(), epsilon=own, delta="1e-6", setting=setting, rng=0)
    >>> model = model.fit(ages, hours, epsilon=np.where(hours > 8, "open", "careful"))
    >>> print(model.budget_report_)
      group    epsilon  delta   pays  of it  noise wasted
      careful    0.100   1e-6  0.100   100%            0%
      open       1.000   1e-6  0.100    10%           88%
    <BLANKLINE>
    Costs are upper bounds: joint Gaussian privacy [DongRS22, Cor 3.3], noise as executed.
    """

    def fit(
        self, X: Any, y: Any = None, epsilon: Any = None, *, executor: Any = None, **others: Any
    ) -> PrivateRegressor:
        """Certify, then execute once: X of shape (n, d), y of shape (n,), any n, 0 included.

        `X` and `y` are as in `execute`: arrays, data frames, files or streams; `y` may be
        the name of a column of X. `executor` reads parts of X in parallel.

        `epsilon` is the public budget of each record, shape (n,); the group of each record; or the
        name of a column of X with either. It replaces a column or an array that the estimator was
        given. With `set_fit_request(epsilon=True)` and sklearn.set_config(
        enable_metadata_routing=True), pipelines and cross-validation pass it on, split like rows.

        Raises InvalidArgument, Uncertified or NotExecutable for invalid parameters, BadData or
        SourceFailed for a table that cannot be used, BudgetExceeded if the ledger has too little
        budget left; nothing has been released then. Warns PrivacyWarning if a table with the same
        people was fitted before.
        """
        check_known(others)
        self._fitted(X, y, epsilon, executor)
        fit = self._in(self._theta, label_scale(self.certificate_.setting.y))
        self.coef_, self.intercept_ = fit.coefficients, fit.intercept
        self.coef_names_ = fit.names
        return self

    def predict(self, X: Any) -> Array:
        """Predicted labels, in the label's units, shape (n,); X is as in `fit`, without labels, in
        memory or a path of files.

        Rows are preprocessed as in `fit`: clipped to the declared bounds of columns and scaled. A
        row outside these bounds is predicted as the nearest row inside; with a codebook DataWarning
        says so. Predictions themselves are not clipped to the bounds of labels. Raises BadData.
        """
        check_is_fitted(self, "certificate_")
        scale = label_scale(self.certificate_.setting.y)
        return predictions(self._blocks(X), self._theta, scale)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 of predictions, for shapes (n, d) and (n,). It is computed without noise and is not
        private; PrivacyWarning says so after a private fit.
        """
        self._warn_of_score()
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        levels = self.certificate_.setting.y.levels
        y = y if levels is None else np.asarray(y) == levels[1]
        return float(super().score(X, y, **weights))

    def inference(
        self,
        *,
        target: str = "population",
        largest: float = math.inf,
        normal_residuals: bool = False,
        equal_variance: bool | None = None,
    ) -> Inference:
        """The joint distribution of the coefficients, computed from released values at no cost.

        The result follows statsmodels: `conf_int`, `cov_params`, `t_test`, `wald_test`,
        `get_prediction`, `scale`, `rsquared`. It is available for regressions that release X'X and
        X'y with Gaussian noise: dp.JointSSP, dp.SSP, dp.AdaSSP. The last two do not release y'y, so
        the squared bound on labels stands in for the residual variance: their intervals are valid,
        and too long if the sampling error outweighs the noise.

        Parameters
        ----------
        target : "population" or "sample"
            The coefficients to cover: those of the population, or the least squares coefficients of
            this table.
        largest : float
            A public bound on the norm of the coefficients of the scaled rows. With it every
            coefficient has an interval. Without it, coefficients along a direction that noise hides
            have none (the notes of `summary` name the direction), and the others assume that the
            label changes along it by at most its declared range, or by what the released sums
            support, if that is more; the notes state the size.
        normal_residuals : bool
            Intervals rest on sums of labels and are valid for every distribution of labels.
            dp.JointSSP also releases sums of clipped residuals; True uses them, which makes
            intervals up to fifteen times shorter. They are invalid if residuals are not normal
            (counts, classes, skewed or mostly zero labels), which no released value can test.
        equal_variance : bool or None
            By default residuals may be heteroscedastic: dp.JointSSP releases X' diag(r^2) X for
            robust standard errors. Regressions that release y'y without it use the residual
            variance and the norm bound of rows, which makes the sampling part of standard errors
            about sqrt(d) times larger for rows that attain their bound, and more for shorter ones.
            True assumes homoscedastic residuals; False gives new labels no prediction interval
            narrower than their bound.

        Rows of one person may be dependent: with rows_per_person=k the sampling variance counts k
        times, except with `equal_variance=True`, which assumes independent rows. Raises
        InvalidArgument.

        Examples
        --------
        >>> import dpframe as dp
        >>> setting = dp.Setting(
        ...     X=dp.Rows(columns=[dp.Numeric("age", 18, 90)], intercept=True),
        ...     y=dp.Column("hours of sleep", lower=4, upper=12),
        ...     relation=dp.ADD_REMOVE,
        ... )
        >>> made = np.random.default_rng(0)
        >>> ages = made.uniform(18, 90, (50_000, 1))
        >>> hours = 9 - ages[:, 0] / 36 + made.normal(0, 0.7, 50_000)
        >>> model = PrivateRegressor(epsilon=1, delta="1e-6", setting=setting, rng=0)
        >>> law = model.fit(ages, hours).inference()
        >>> law.names, law.conf_int(alpha=0.1).shape
        (('age', 'intercept'), (2, 2))
        >>> ten_years = law.t_test({"age": 10}, -0.25)
        >>> ten_years.effect.round(1), ten_years.pvalue < 0.01
        (array([-0.3]), array([ True]))
        >>> law.wald_test(["age", "intercept"], [-1 / 36, 9]).pvalue > 0.05
        True
        >>> new = law.get_prediction([[54]], residuals="normal")
        >>> new.conf_int(obs=True).round(0)
        array([[6., 9.]])
        >>> low, high = law.rsquared_conf_int()
        >>> bool(low < 0.40 < high)
        True
        """
        check_is_fitted(self, "certificate_")
        evidence = self._evidence
        labels = self.certificate_.setting.nodes()[1]
        bound = math.inf if labels is None else self._number(labels.radius)
        wanted = Specification(
            target=target,
            bound=bound,
            largest=largest,
            believed=bound / entry_bound(self._maps, self._number),
            constant=self._constant,
            rows=self._row_set,
            normal_residuals=normal_residuals,
            equal_variance=equal_variance,
            dependent=self._number(self.certificate_.setting.rows_per_person),
            units=self._units,
        )
        return infer(evidence, wanted)

    def summary(
        self,
        alpha: float = 0.05,
        *,
        simultaneous: str | None = None,
        notes: bool = False,
        **assumptions: Unpack[Assumptions],
    ) -> Summary | CoefficientSummary:
        """A table of coefficients with standard errors and confidence intervals of level
        1 - `alpha`.

        `simultaneous` makes intervals hold jointly, as in `conf_int`. The table prints as text, and
        has `as_text`, `as_html`, `as_latex`, `summary_frame`, `to_dict` and `plot`. `coef` is the
        centre of an interval; `fitted`, also in coef_, is used for predictions. The most important
        notes are printed below the table, all of them with `notes=True`. `assumptions` are the
        arguments of `inference`. Raises InvalidArgument.

        Of a regression from whose releases no intervals follow, the table has the coefficients
        alone, and a note says why.
        """
        check_assumptions(assumptions)
        check_is_fitted(self, "certificate_")
        if (reason := self._no_intervals) is not None:
            return self._without_intervals(reason)
        inference, labels = self.inference(**assumptions), self.certificate_.setting.y
        estimated = self._estimated(inference, self._units)
        critical(alpha, estimated["estimates"].root[:0], simultaneous)
        options = {"alpha": alpha, "simultaneous": simultaneous, "label": labels.name}
        header = self._header(inference, alpha)
        summary = Summary(**options, **estimated, header=header, notes=())
        of_bounds = [*notes_on_bounds(self._evidence, labels, self._constant)]
        texts = (
            *self._of_intervals(inference, summary.estimates, tighter=not of_bounds, all_of=notes),
            *self._of_fitted(summary, hides=bool(inference.unseen.lost.size)),
            *of_bounds,
            *self._of_short_rows(),
            *self._of_delta(),
            *self._of_grid(),
            *(f"{text} {REASONS}" if notes else text for text in summary.on_lengths),
            *([TOGETHER.format(simultaneous)] if simultaneous else []),
            *([] if notes else [MORE]),
        )
        return attrs.evolve(summary, notes=texts)

    def _of_intervals(
        self, inference: Inference, estimates: Estimates, *, tighter: bool, all_of: bool
    ) -> list[str]:
        """Notes on what intervals cover, assume and refuse: all of them, or the most important."""
        hidden = estimates.bounded & (estimates.spread.unclear | (inference.dependent == 1))
        shares = np.where(hidden, 1.0, np.nan_to_num(estimates.shares, nan=1.0))
        noisy = not np.median(shares) <= MOST
        default = noisy and self.certificate_.regression == JointSSP()
        some = bool(np.isfinite(estimates.hidden).any())
        options: dict[str, Any] = {"some": some, "tighter": tighter}
        lost = inference.unseen.lost, inference.units
        if all_of:
            return [*sentences(inference, named(*lost), **options), *([SHORTER] if default else [])]
        instead = written(FOR_INTERVALS) if default else ""
        return [*brief(inference, instead=instead, columns=leading(*lost), **options)]

    def _of_fitted(self, summary: Summary, *, hides: bool) -> Iterator[str]:
        """Notes on the difference between `fitted` and coef; `hides` says whether noise hides some
        directions.
        """
        declared = type(self.certificate_.regression)
        if not own(declared):
            yield from summary.outside(".")
            if summary.shrunken:
                yield OUTPUT.format(declared.__name__)
            return
        by_noise = isinstance(getattr(self.result_.output, "evidence", None), Evidence)
        yield from summary.outside(CHANCE if by_noise else PENALTY)
        if len(self._evidence.moments) == 1:
            yield from summary.shrunken_levels
        if hides and summary.shrunken:
            yield NEARER

    def _of_delta(self) -> Iterator[str]:
        """A note that delta is not far below 1/n, by the n that is public or was released."""
        evidence = self._evidence
        least = evidence.count - SURE * evidence.count_std
        if (text := delta_warning(self.certificate_, max(least, 1))) is not None:
            yield text

    def _of_short_rows(self) -> Iterator[str]:
        """A note that rows are far shorter than their norm bound, if no units were released."""
        evidence, norm = self._evidence, self.certificate_.setting.nodes()[0].norm
        if evidence.shrunk is None and norm is not None:
            share = evidence.filled(self._number(norm))
            if share <= SHORT:
                yield IN_THE_BALL.format(share=share)

    def _without_intervals(self, reason: str) -> CoefficientSummary:
        return CoefficientSummary(
            header=self._what(),
            names=(*map(str, self.coef_names_), INTERCEPT),
            coefficients=np.append(self.coef_, self.intercept_),
            reason=reason,
            notes=(reason, *self._of_grid()),
        )

    @property
    def _no_intervals(self) -> str | None:
        """Why there are no intervals, if none follow from what was released."""
        try:
            _ = self._evidence
        except InvalidArgument as error:
            return NONE_FOLLOW.format(error.value, error.requirement, error.way_out)
        return None

    @property
    def _evidence(self) -> Evidence:
        return evidence_of(self.certificate_, self.result_, self._sizes, self._constant)

    @property
    def _row_set(self) -> RowSet:
        """The set of rows that the setting allows; a ball if a declaration maps them further."""
        allowed = self._allowed
        known = self._evidence.shrunk is not None or not own_maps(self.certificate_)
        return allowed if known else RowSet(allowed.norm)

    @property
    def _constant(self) -> Array | None:
        return constant_of(self._maps, len(self._theta), self._number)

    @property
    def _units(self) -> Units:
        """From the coefficients of mapped rows to coef_ and intercept_."""
        scale = label_scale(self.certificate_.setting.y)
        units = self._units_of(lambda theta: self._in(theta, scale))
        return attrs.evolve(units, centre=scale.centre, half=scale.half)

    def _header(self, inference: Inference, alpha: float) -> dict[str, str]:
        """The header of the table of coefficients."""
        evidence, scale = self._evidence, np.sqrt(inference.scale)
        ends = np.sqrt(inference.scale_conf_int(alpha))
        most = inference.units.half * inference.bound
        scale = scale if ends[0] > 0 or ends[1] < most else np.nan
        explained = inference.rsquared if np.isfinite(scale) else np.nan
        otherwise = NOT_RELEASED if inference.not_released else LOST
        around = "" if self._constant is not None else ABOUT.format(inference.units.centre)
        share = between(explained, inference.rsquared_conf_int(alpha), otherwise)
        return {
            **self._what(),
            "records": counted(evidence.count, evidence.count_std),
            "residual std": between(scale, ends, otherwise),
            "R-squared": f"{share}{around if np.isfinite(explained) else ''}",
            "identified": f"{inference.identified} of {len(inference.centre)} directions",
        }

    def __getattr__(self, name: str) -> Never:
        """Raises UnknownName, which says where the names of statsmodels are."""
        instead = SAVE if name == "save" else OF_INFERENCE.get(name, "")
        missing(self, name, instead, elsewhere=OF_INFERENCE, why=ONLY_RELEASED)

    def __sklearn_tags__(self) -> Any:
        """Non-deterministic due to noise, and a poor scorer at a small budget."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.rng is None
        tags.regressor_tags.poor_score = True
        return tags

    def _declared(self, target: Guarantee, setting: Setting) -> tuple[Regression, Setting]:
        if setting.y is None:
            wanted = "a dp.Setting with y=dp.Column(...)"
            raise InvalidArgument("setting", wanted, setting, "fit has labels to bound.")
        if self.regression is not None:
            return self.regression, setting
        chosen = default_regression(target, setting)
        if isinstance(target, PureDP):
            warn(NO_DELTA.format(written(chosen)), UserWarning)
        return chosen, setting

    def _check_link(self, certificate: Certificate) -> None:
        check_numbers(certificate)


def check_assumptions(given: Assumptions) -> None:
    """Refuse unknown arguments of `summary`. Raises InvalidArgument."""
    known = ("alpha", "simultaneous", "notes", *Assumptions.__annotations__)
    for name in given:
        if name not in known:
            level = "level" in name or "conf" in name
            way_out = "alpha=0.1 has intervals at 90%." if level else nearest(name, known)
            raise InvalidArgument("summary", f"given {', '.join(known)}", name, way_out)
