"""PrivateRegressor: a declaration, a budget and a setting, fitted the way scikit-learn fits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypedDict, Unpack

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.graph import Regression, Setting
from dpframe.inference.estimates import critical
from dpframe.inference.evidence import Evidence
from dpframe.inference.inference import infer
from dpframe.inference.result import Inference, Units
from dpframe.inference.row_set import RowSet
from dpframe.inference.words import brief, sentences
from dpframe.privacy import Guarantee
from dpframe.prover import Certificate
from dpframe.regressions.advice import FOR_INTERVALS, IN_UNITS, default_regression, written
from dpframe.regressions.joint_ssp import JointSSP

from .base import PrivateEstimator, check_known
from .hidden import named
from .links import check_numbers
from .outside import warn_outside
from .released import evidence_of
from .scikit import RegressorMixin, check_is_fitted
from .summary import Summary, between, constant_of, counted, in_units
from .units import Scale, entry_bound, label_scale, own_maps, predictions, row_set_of

Array = NDArray[Any]
MOST = 0.5  # of the variance of a coefficient
SHORTER = (
    "Noise for privacy is most of what makes these intervals long. Where intervals matter more "
    f"than predictions, {written(FOR_INTERVALS)} has mostly shorter ones and worse predictions; "
    "choose it before the budget is spent."
)
NEARER = (
    "fitted is shrunk towards zero: it is mostly much nearer to the truth than the ends of the "
    "interval are, but has no proved interval of its own."
)
NEARLY, SURE = 0.9, 4.0  # of all labels; stds of the noise on a count
AT_ENDS = (
    "By released counts more than {:.0%} of labels lie near or beyond an end of {}: are these "
    "bounds right, in the units of the table?"
)
MORE = "summary(notes=True) says the rest."
SHORT = 0.25  # of the norm of rows: below it released units gain most
IN_THE_BALL = (
    "Rows are at most {share:.0%} as long as their declared norm, in root mean square, by the "
    "released X'X. Noise is as large as the longest row allowed: declare the least norm that is "
    f"public knowledge, or fit {written(IN_UNITS)}, which finds the lengths of rows with 3% of the "
    "squared mu, for as many records as dp.recommend names it. It is another fit, which costs its "
    "own budget."
)


class Assumptions(TypedDict, total=False):
    """What intervals cover and assume: the arguments of `PrivateRegressor.inference`."""

    target: str
    largest: float
    normal_residuals: bool
    equal_variance: bool | None


class PrivateRegressor(RegressorMixin, PrivateEstimator):
    """A scikit-learn regressor whose fit is certified before it reads a row.

    Parameters
    ----------
    regression : dp.Regression or None
        What is fitted: `dp.SSP()`, or a declaration of your own. None takes `dp.JointSSP()`;
        without a delta objective perturbation, for budgets of people's own their regressions.
    epsilon : number, text, mapping, array, dp.each("epsilon") or None
        The budget of one `fit`, for everybody. Or public budgets of the records' own: a mapping
        {group: number}, whose groups `fit` is given; the name of a column of X, which is then no
        feature; one number a record; dp.each("epsilon") or None, which leave them to `fit`. What
        cross-validation is to split goes to `fit(X, y, epsilon=...)`, which it indexes like
        sample_weight; an array here fits tables of its own length only.
    delta : number, mapping, array or None
        Beside it; 0 or None asks for pure differential privacy.
    setting : dp.Setting
        Public bounds, who is a neighbour, what one unit is. Nothing is guessed from data.
    rng : None, seed or numpy Generator
        None takes noise from the operating system; anything else is a simulation, not private.
    missing : "refuse" or "drop"
        What happens to rows with missing or infinite numbers in `fit`.
    ledger, dataset : dp.Ledger and text, or None
        Where every `fit`, also of clones, is charged, and for which data set; not with budgets of
        the records' own.
    accountant, trust
        As of `dp.certify`: who adds up what is spent, and the list of your own classes whose word
        the proof may take. Clones keep both.

    Attributes
    ----------
    coef_, intercept_
        In the units of codebook and label where the setting has a codebook; of the clipped rows
        otherwise. Scaling of rows by public numbers (`X.scaled_columns`) or one released number is
        undone, which is post-processing: it costs nothing. A declaration that scales labels, or
        rows otherwise, is to undo it itself, in the function of dp.post(...). After a map that is
        no scale (normalised rows, or `X.clip(norm=1)` below the norm that rows have before) they
        are those of the mapped rows, and named `age (mapped)`; the constant column's is among them.
        So they are named where X'X and X'y are released times different numbers, which a function
        may undo or not. Rows and labels that are weighed differently are refused.
        Where the declaration clips labels, coefficients and predictions are of the clipped labels.
        Bounds centre, too: without an intercept in the setting the fit goes through the middle of
        all bounds, and `intercept_` is the constant that follows from it.
    coef_names_
        One name a coefficient: a column's, or `column=level`.
    certificate_, receipt_, result_
        What was proved, what was spent, everything that was released.
    ridge_
        The ridge that was added, where the regression tells; else None.
    budget_report_
        Where records have budgets of their own: what each group or budget asks for, what it really
        pays, and how much of its noise is wasted (dp.audits.BudgetReport); it has a plot().
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn; with a codebook, its columns, picked by name from a frame.

    Notes
    -----
    Every `fit` costs again, also of clones: cross-validation with k folds costs k times, and warns
    with the sum. `predict` costs nothing. `score` (and so cross-validation) compares with labels
    without noise: what it returns is not private.

    Bad arguments are refused in `fit`, by name, before data is touched.

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

    Two groups, of which one allows more:

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

        `X` and `y` are whatever `execute` takes: arrays, data frames, files, streams, collections
        of Dask; `y` may be the name of a column of X. `executor` reads parts of X in parallel.

        `epsilon` has the public budget of each record, shape (n,), or with groups the name of each
        record's; or it is the name of a column of X. It takes the place of a column or an array
        that the estimator was given. With `set_fit_request(epsilon=True)` pipelines and
        cross-validation hand it on, split like the rows (sklearn.set_config(
        enable_metadata_routing=True)).

        Raises InvalidArgument, Uncertified or NotExecutable for bad parameters, BadData or
        SourceFailed for a bad table, BudgetExceeded where the ledger has less left; nothing has
        been released then. Warns PrivacyWarning where people were fitted before.
        """
        check_known(others)
        self._fitted(X, y, epsilon, executor)
        found = self._in(self._theta, label_scale(self.certificate_.setting.y))
        self.coef_, self.intercept_ = found.coefficients, found.intercept
        self.coef_names_ = found.names
        return self

    def predict(self, X: Any) -> Array:
        """Predicted labels, in the label's units, shape (n,).

        Rows are treated as `fit` treats them: clipped onto the declared bounds and scaled. So a row
        outside them is predicted as the nearest row inside, of which DataWarning warns where X is a
        data frame. Raises BadData.
        """
        check_is_fitted(self, "certificate_")
        warn_outside(X, self.certificate_.setting.X.columns or ())
        scale = label_scale(self.certificate_.setting.y)
        return predictions(self._blocks(X), self._theta, scale)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 of predictions, shapes (n, d) and (n,). It is computed without noise:
        not private, of which PrivacyWarning warns after a private fit.
        """
        self._warn_of_score()
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(super().score(X, y, **weights))

    def inference(
        self,
        *,
        target: str = "population",
        largest: float = math.inf,
        normal_residuals: bool = False,
        equal_variance: bool | None = None,
    ) -> Inference:
        """The joint law of the coefficients in their units, of released values only, with the names
        of statsmodels: `conf_int`, `cov_params`, `t_test`, `wald_test`, `get_prediction`, `scale`,
        `rsquared`. It costs nothing.

        Of a regression that releases X'X and X'y with Gaussian noise: dp.JointSSP, dp.SSP,
        dp.AdaSSP. The last two release no y'y, so the residual variance is taken for the squared
        bound of labels: intervals hold, and are too long where sampling outweighs noise.

        `target` is "population", or "sample": the least squares coefficients of this table.

        Where noise hides a direction, coefficients that lie along it have no interval, and the
        notes of `summary` name it. The others' assume that labels change by no more than their
        declared range from one end of it to the other; or `largest` declares a public bound on the
        length of the coefficients of the scaled rows, and all have intervals.

        Intervals rest on sums of labels, for labels of any law. dp.JointSSP also releases sums of
        clipped residuals; with `normal_residuals=True` they count, and intervals are up to fifteen
        times shorter. They are false where residuals are not normal, which nothing that is released
        tests: labels that are counts, classes, skewed or mostly zero.

        Residuals may have another variance in every row, as those of classes, counts and incomes
        do: dp.JointSSP releases X' diag(r^2) X for robust standard errors. Regressions that release
        y'y without it have the residual variance and the norm of rows as a bound, which makes
        sampling's part of a standard error about sqrt(d) times longer for rows that fill their
        norm, and more for shorter ones. `equal_variance=True` assumes one variance; False also
        gives new labels no interval but the bound.

        Rows of one person may depend on each other in any way: with rows_per_person=k the variance
        that sampling makes counts k times, but for `equal_variance=True`, which takes rows for
        independent. Raises InvalidArgument.

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
        return infer(
            evidence,
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

    def summary(
        self,
        alpha: float = 0.05,
        *,
        simultaneous: str | None = None,
        notes: bool = False,
        **assumptions: Unpack[Assumptions],
    ) -> Summary:
        """Coefficients in their units with standard errors and intervals that miss with probability
        `alpha`, each or, as of `conf_int`, all as `simultaneous` says. It prints as a table, and
        has `as_text`, `as_html`, `as_latex`, `summary_frame`, `to_dict` and `plot`.

        `coef` is the centre of an interval; `fitted`, in coef_ too, is what predictions use. Under
        the table stand few sentences, with `notes` all. `assumptions` are the arguments of
        `inference`. Raises InvalidArgument.
        """
        inference, units = self.inference(**assumptions), self._units
        estimates = inference.t_test()
        some = bool(np.isfinite(estimates.hidden).any())
        critical(alpha, estimates.root[:0], simultaneous)
        fitted = units.matrix @ self._theta + units.offset
        noisy = not np.median(np.nan_to_num(estimates.shares, nan=1.0)) <= MOST
        default = noisy and self.certificate_.regression == JointSSP()
        if notes:
            hidden = named(inference.unseen.lost, inference.units)
            said = [*sentences(inference, hidden, some=some), *([SHORTER] if default else [])]
        else:
            said = [*brief(inference, some=some, instead=written(FOR_INTERVALS) if default else "")]
        found = Summary(
            estimates=estimates,
            fitted=fitted,
            ranges=self._in(self._theta, Scale()).ranges,
            label=self.certificate_.setting.y.name,
            alpha=alpha,
            simultaneous=simultaneous,
            header=self._header(inference, alpha),
            notes=(),
        )
        said += [*self._at_ends(), *self._of_short_rows()]
        said += [NEARER] if inference.unseen.lost.size and found.shrunken else []
        together = f"Intervals hold all together, by {simultaneous!r}; p values are of each alone."
        said += [together] if simultaneous else []
        return attrs.evolve(found, notes=(*said, *([] if notes else [MORE])))

    def _at_ends(self) -> list[str]:
        """That bounds of labels may be wrong, where released counts have nearly all near an end."""
        labels, counts = self.certificate_.setting.y, self._evidence.counts
        if counts is None or (labels.lower, labels.upper) == (0, 1):
            return []
        many = float(np.sum(counts.observed))
        if not counts.observed[-1] - SURE * counts.std > NEARLY * many > 0:
            return []
        scale = label_scale(labels)
        ends = f"[{scale.centre - scale.half:.12g}, {scale.centre + scale.half:.12g}]"
        return [AT_ENDS.format(NEARLY, ends)]

    def _of_short_rows(self) -> Iterator[str]:
        """Whether rows are far below their norm, unless they were fitted in units of their own."""
        evidence, norm = self._evidence, self.certificate_.setting.nodes()[0].norm
        if evidence.shrunk is None and norm is not None:
            share = evidence.filled(self._number(norm))
            if share <= SHORT:
                yield IN_THE_BALL.format(share=share)

    @property
    def _evidence(self) -> Evidence:
        return evidence_of(self.certificate_, self.result_, self._sizes, self._constant)

    @property
    def _row_set(self) -> RowSet:
        """Where rows of the setting can lie; a ball where a declaration maps them otherwise."""
        rows = self.certificate_.setting.nodes()[0]
        found = row_set_of(rows, len(self._theta), self._number)
        known = self._evidence.shrunk is not None or not own_maps(self.certificate_)
        return found if known else RowSet(found.norm)

    @property
    def _constant(self) -> Array | None:
        return constant_of(self._maps, len(self._theta), self._number)

    @property
    def _units(self) -> Units:
        """From the coefficients of mapped rows to coef_ and intercept_."""
        scale = label_scale(self.certificate_.setting.y)
        found = in_units(lambda theta: self._in(theta, scale), len(self._theta))
        return attrs.evolve(found, centre=scale.centre, half=scale.half, rows=self._rows)

    def _rows(self, X: Any) -> Array:
        """Rows as the statistics see them. Raises BadData."""
        return np.concatenate(list(self._blocks(X)))

    def _header(self, inference: Inference, alpha: float) -> dict[str, str]:
        """What stands above the table of coefficients."""
        evidence, scale = self._evidence, np.sqrt(inference.scale)
        explained = inference.rsquared if np.isfinite(scale) else np.nan
        return {
            **self._what(),
            "records": counted(evidence.count, evidence.count_std),
            "residual std": between(scale, np.sqrt(inference.scale_conf_int(alpha))),
            "R-squared": between(explained, inference.rsquared_conf_int(alpha)),
            "identified": f"{inference.identified} of {len(inference.centre)} directions",
        }

    def __sklearn_tags__(self) -> Any:
        """Noise makes it non-deterministic and, at a small budget, a poor scorer."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.rng is None
        tags.regressor_tags.poor_score = True
        return tags

    def _declared(self, target: Guarantee, setting: Setting) -> tuple[Regression, Setting]:
        if setting.y is None:
            wanted = "a dp.Setting with y=dp.Column(...)"
            raise InvalidArgument("setting", wanted, setting, "fit has labels to bound.")
        chosen = self.regression
        if chosen is None:
            chosen = default_regression(target, setting)
        return chosen, setting

    def _check_link(self, certificate: Certificate) -> None:
        check_numbers(certificate)
