"""PrivateClassifier: a private regression for two classes, with the interface of scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from dpframe.accountants import Accountant
from dpframe.errors import InvalidArgument, NotAvailable, Plain
from dpframe.graph import Regression, Setting
from dpframe.graph.rows import classes_of
from dpframe.identity import own
from dpframe.inference.evidence import Evidence
from dpframe.inference.inference import Specification, infer
from dpframe.inference.result import Inference, Units
from dpframe.inference.row_set import RowSet
from dpframe.inference.words import of_odds
from dpframe.privacy import Guarantee, PureDP
from dpframe.prover import Certificate
from dpframe.regressions.logistic_descent import LogisticDescent
from dpframe.regressions.perturbation import NO_PURE_LOGISTIC, LogisticOutputPerturbation
from dpframe.symbols import ONE, Number

from .base import PrivateEstimator, check_known
from .budgets import REQUIRED
from .label_bounds import SURE
from .links import Odds, with_classes
from .released import gaussian_stds, number_of_records
from .scikit import ClassifierMixin, check_is_fitted
from .summary import (
    INTERCEPT,
    NO_INTERVALS,
    PENALTY,
    LogOddsSummary,
    OddsSummary,
    affine,
    constant_of,
    counted,
    leading,
)
from .units import AffineScale

if TYPE_CHECKING:
    from dpframe.budgets.ledger import Ledger

Array = NDArray[Any]

PENALISED = (
    "The penalty is {}. dp.recommend(n=..., epsilon=..., delta=..., setting=setting) names one for "
    "about n records."
)
BIASED = (
    "The penalty{} may shrink coefficients towards zero and odds ratios towards 1; noise can also "
    "enlarge them. The noise std includes neither bias, nor sampling. Do not form intervals from "
    "it. The ends beside an odds ratio, two stds to either side, are none."
)
KEPT = (
    "By the released X'X and these coefficients, the penalty alone shrinks log-odds to {} of their "
    "size: a rough estimate for roughly normal log-odds. Noise enlarges coefficients and may "
    "change their sign, so do not correct them by this share."
)
PREDICTED = (
    "The noise std is predicted from the released X'X, by a rule of thumb: in simulations it was "
    "0.8 to 5 times the noise, and up to 12 times for rare levels."
)
MOSTLY_NOISE = (
    "Most coefficients are within two stds of the noise. {}ore records, a larger epsilon or fewer "
    "columns help."
)
NO_RECORDS = (
    "The released number of records is hardly above its noise, so these coefficients may be noise "
    "alone. With missing='drop' a level that is spelt otherwise than declared drops its rows."
)
SORTED = (
    "coef_ and decision_function are of {} against {}, in the sorted order of classes_, as in "
    "scikit-learn: their signs are opposite."
)
LITTLE_SHRUNK, HALF = 0.95, 0.5  # shares of log-odds that the penalty leaves


class PrivateClassifier(ClassifierMixin, PrivateEstimator):
    """A scikit-learn classifier for two classes whose privacy is proved before it reads a row.

    Parameters
    ----------
    regression : dp.Regression
        The declaration to fit, with a loss for two classes: by default
        `dp.regressions.LogisticDescent()`, or one of your own with `dp.graph.Logistic()`.
    classes : two texts, two numbers, or None
        The public list of classes. None takes the levels of the setting's labels,
        `dp.Column("smoker", levels=["no", "yes"])`, or both ends of their bounds: -1 and 1 for
        `dp.Column(bound=1)`, 0 and 1 for `dp.Column(lower=0, upper=1)`. It is never read from data:
        which classes occur there is private.
    epsilon, delta, setting, rng, missing, ledger, dataset, accountant, trust
        As in `dp.PrivateRegressor`. A label that is neither class is missing: it is refused, or its
        row is dropped.

    Attributes
    ----------
    classes_
        Both classes in sorted order, shape (2,).
    coef_, intercept_
        Log-odds of classes_[1] against classes_[0], shapes (1, p) and (1,), per unit of the
        codebook, as in scikit-learn's LogisticRegression.
    coef_names_, certificate_, receipt_, result_, ridge_, budget_report_, n_features_in_,
    feature_names_in_
        As in `dp.PrivateRegressor`.

    Notes
    -----
    A penalty applies to all coefficients of the scaled rows, with the intercept's among them; in
    scikit-learn only liblinear penalises the intercept.

    Every `fit` spends its budget, as in `dp.PrivateRegressor`. `predict` is free. `score`, the
    accuracy, is computed without noise and is not private.

    Examples
    --------
    >>> import dpframe as dp
    >>> setting = dp.Setting(
    ...     X=dp.Rows(columns=[dp.Numeric("age", 18, 90)], intercept=True),
    ...     y=dp.Column("smoker", levels=["no", "yes"]),
    ...     relation=dp.ADD_REMOVE,
    ... )
    >>> ages = np.linspace(18, 90, 10_000)[:, None]
    >>> smokes = np.where(ages[:, 0] < 40, "yes", "no")
    >>> declared = dp.regressions.LogisticOutputPerturbation(penalty=50)
    >>> model = PrivateClassifier(declared, epsilon=1, delta="1e-6", setting=setting, rng=0)
    >>> model.fit(ages, smokes).predict([[20], [80]]).tolist(), model.coef_.shape
    (['yes', 'no'], (1, 1))
    """

    def __init__(
        self,
        regression: Regression | None = None,
        *,
        epsilon: object = REQUIRED,
        delta: object = REQUIRED,
        setting: Setting | None = None,
        classes: object = None,
        rng: object = None,
        missing: str = "refuse",
        ledger: Ledger | None = None,
        dataset: str | None = None,
        accountant: str | Accountant = "auto",
        trust: Sequence[type] = (),
    ) -> None:
        """Store the parameters, which `fit` checks."""
        super().__init__(
            regression,
            epsilon=epsilon,
            delta=delta,
            setting=setting,
            rng=rng,
            missing=missing,
            ledger=ledger,
            dataset=dataset,
            accountant=accountant,
            trust=trust,
        )
        self.classes = classes

    def fit(
        self, X: Any, y: Any = None, epsilon: Any = None, *, executor: Any = None, **others: Any
    ) -> PrivateClassifier:
        """Certify, then execute once, for X of shape (n, d) and y of shape (n,) with one of the two
        classes each; n may be 0. Arguments, errors and warnings as in `dp.PrivateRegressor.fit`.
        """
        check_known(others)
        self._fitted(X, y, epsilon, executor)
        self._odds = Odds.of(self.certificate_, self._number)
        fit = self._in(self._odds.factor * self._theta, AffineScale())
        self.classes_ = self._odds.classes
        self.coef_, self.intercept_ = fit.coefficients[None, :], np.array([fit.intercept])
        self.coef_names_ = fit.names
        return self

    def decision_function(self, X: Any) -> Array:
        """Log-odds of classes_[1] against classes_[0], shape (n,). Rows are preprocessed as in
        `fit`: clipped to the declared bounds and scaled. Raises BadData.
        """
        check_is_fitted(self, "certificate_")
        parts = [self._odds.factor * (rows @ self._theta) for rows in self._blocks(X)]
        return np.concatenate(parts)

    def predict(self, X: Any) -> Array:
        """The more probable class of each row, shape (n,); classes_[0] in a tie."""
        places = (self.decision_function(X) > 0).astype(int)
        return np.asarray(self.classes_[places])

    def predict_proba(self, X: Any) -> Array:
        """The probabilities of both classes, in the order of classes_, shape (n, 2)."""
        odds = self.decision_function(X)
        return np.column_stack([expit(-odds), expit(odds)])

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of the probabilities, shape (n, 2)."""
        odds = self.decision_function(X)
        return np.column_stack([log_expit(-odds), log_expit(odds)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of predictions, for shapes (n, d) and (n,). It is computed without noise and
        is not private; PrivacyWarning says so after a private fit.
        """
        self._warn_of_score()
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(super().score(X, y, **weights))

    def inference(self) -> Inference:
        """The joint distribution of log-odds of the second declared class against the first,
        computed from released values at no cost: for LogisticDescent.for_intervals().

        As of `PrivateRegressor.inference`, with `conf_int`, `cov_params`, `t_test`, `wald_test`.
        `get_prediction(X)` has the log-odds of rows, without new labels: 1/(1 + exp(-t)) of their
        ends are those of probabilities. There is no residual variance and no R^2. Rows of one
        person may depend on each other, as there. Raises NotAvailable for other regressions.
        """
        if self._evidence is None:
            raise NotAvailable(NO_INTERVALS)
        setting, declared = self.certificate_.setting, type(self.certificate_.regression)
        wanted = Specification(
            bound=self._number(setting.nodes()[1].radius),
            rows=self._allowed if own(declared) else RowSet(self._allowed.norm),
            dependent=self._number(setting.rows_per_person),
            units=self._units,
        )
        return infer(self._evidence, wanted)

    def summary(
        self, alpha: float = 0.05, *, simultaneous: str | None = None, notes: bool = False
    ) -> OddsSummary | LogOddsSummary:
        """A table of log-odds of the second declared class against the first, and of odds ratios:
        with standard errors and intervals of level 1 - `alpha`, each or `simultaneous`, for
        LogisticDescent.for_intervals(); else with the std of the privacy noise if it is known, or
        predicted for LogisticDescent.

        All notes are printed, with or without `notes`; where there are no intervals, one says why.
        The table prints as text, and has `as_text`, `as_html`, `as_latex`, `summary_frame` and
        `to_dict`.

        Examples
        --------
        >>> import dpframe as dp
        >>> setting = dp.Setting(
        ...     X=dp.Rows(columns=[dp.Numeric("age", 18, 90)], intercept=True),
        ...     y=dp.Column("smoker", levels=["no", "yes"]),
        ...     relation=dp.ADD_REMOVE,
        ... )
        >>> ages = np.linspace(18, 90, 10_000)[:, None]
        >>> smokes = np.where(ages[:, 0] < 40, "yes", "no")
        >>> declared = dp.regressions.LogisticOutputPerturbation(penalty=50)
        >>> model = PrivateClassifier(declared, epsilon=1, delta="1e-6", setting=setting, rng=0)
        >>> print(model.fit(ages, smokes).summary())  # doctest: +ELLIPSIS
          regression:  LogisticOutputPerturbation
          label:       smoker, no (0) or yes (1)
          privacy:     (1, 1e-6)-differential privacy for one row added or removed
          randomness:  simulation, NOT private
          records:     ...
          log-odds:    of yes against no
                       coef  noise std  odds ratio      per
          age        ...
        """
        del notes
        check_is_fitted(self, "certificate_")
        below, above = self._levels
        sorted_ones = [SORTED.format(*self.classes_[::-1])] if self._sign < 0 else []
        log_odds, records = f"of {above} against {below}", self._records
        few = [NO_RECORDS] if records[0] < SURE * records[1] < math.inf else []
        header = {**self._what(), "records": counted(*records), "log-odds": log_odds}
        if self._evidence is not None:
            summary = self._with_intervals(header, alpha, simultaneous)
            return attrs.evolve(summary, notes=(*sorted_ones, *few, *summary.notes))
        coefficients, noise = self._sign * np.append(self.coef_, self.intercept_), self._noise
        return OddsSummary(
            header=header,
            names=(*self.coef_names_, INTERCEPT),
            coefficients=coefficients,
            noise=noise,
            predicted=self._noise_root is not None,
            ranges=self._in(self._theta, AffineScale()).ranges,
            notes=(
                *sorted_ones,
                *few,
                *self._notes(np.abs(coefficients) < 2 * noise),
                NO_INTERVALS,
            ),
        )

    @property
    def _levels(self) -> tuple[Any, Any]:
        """Both classes in the order in which they are declared."""
        labels = self.certificate_.setting.y
        first, second = self.classes_ if labels is None or labels.levels is None else labels.levels
        return first, second

    def _notes(self, near: Array) -> Iterator[str]:
        """Notes on bias and noise; `near` (m,) says which coefficients are within two stds."""
        rounds = any(release.times != ONE for release in self.certificate_.graph.releases)
        kept = getattr(self.result_.output, "kept", math.nan)
        yield BIASED.format(" (with few rounds)" if rounds else "")
        if kept < LITTLE_SHRUNK:
            yield KEPT.format(f"about {kept:.0%}" if kept > HALF else "half or less")
        predicted = self._noise_root is not None
        if predicted:
            yield PREDICTED
        if near.mean() > 0.5:
            yield MOSTLY_NOISE.format("M" if predicted else "dp.regressions.LogisticDescent(), m")
        penalty = getattr(self.certificate_.regression, "penalty", None)
        if isinstance(penalty, Number):
            yield PENALISED.format(penalty.value)
        yield from self._of_grid()

    def _with_intervals(
        self, header: dict[str, str], alpha: float, simultaneous: str | None
    ) -> LogOddsSummary:
        """The table of an inference. Raises InvalidArgument."""
        inference, label = self.inference(), f"log-odds {header['log-odds']}"
        header["identified"] = f"{inference.identified} of {len(inference.centre)} directions"
        options = {"alpha": alpha, "simultaneous": simultaneous, "label": label}
        estimated = self._estimated(inference, self._units)
        summary = LogOddsSummary(**options, **estimated, header=header, notes=())
        texts = of_odds(inference, leading(inference.unseen.lost, inference.units))
        every = (*texts, *summary.outside(PENALTY), *summary.on_lengths, *self._of_grid())
        return attrs.evolve(summary, notes=every)

    @property
    def _sign(self) -> int:
        """1 if the second declared class is classes_[1], else -1."""
        return 1 if self._levels[1] == self.classes_[1] else -1

    @property
    def _units(self) -> Units:
        """From the coefficients of mapped rows to log-odds of the second declared class."""
        factor = self._sign * self._odds.factor
        return self._units_of(lambda theta: self._in(factor * theta, AffineScale()))

    @property
    def _evidence(self) -> Evidence | None:
        """What was released of a Newton step, if it was."""
        evidence = getattr(self.result_.output, "evidence", None)
        return evidence if isinstance(evidence, Evidence) and evidence.bend else None

    @property
    def _records(self) -> tuple[float, float]:
        """The number of records, and the std of its noise."""
        unit = constant_of(self._maps, len(self._theta), self._number)
        return number_of_records(self.certificate_, self.result_, self._sizes, unit)

    @property
    def _noise_root(self) -> Array | None:
        """A predicted root of the covariance of the noise, (d, d), if the regression has one."""
        return getattr(self.result_.output, "noise_root", None)

    @property
    def _noise(self) -> Array:
        """The std of the noise in each coefficient and the intercept, if the coefficients are a
        release with Gaussian noise of a public std, or the regression predicts it; else nan.
        """
        factor, p = self._odds.factor, len(self._theta)
        matrix, origin = affine(lambda theta: self._in(factor * theta, AffineScale()), p)
        if self._noise_root is not None:
            return np.asarray(np.linalg.norm(matrix @ self._noise_root, axis=1))
        for name, std in gaussian_stds(self.certificate_, self.result_, self._sizes):
            if np.array_equal(self.result_.released[name], self._theta):
                return np.asarray(std * np.linalg.norm(matrix, axis=1))
        return np.full(len(origin), np.nan)

    def __sklearn_tags__(self) -> Any:
        """Two classes; non-deterministic due to noise, and a poor scorer at a small budget."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.rng is None
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    def _declared(self, target: Guarantee, setting: Setting) -> tuple[Regression, Setting]:
        chosen = LogisticDescent() if self.regression is None else self.regression
        gaussian = isinstance(chosen, (LogisticDescent, LogisticOutputPerturbation))
        if gaussian and isinstance(target, PureDP):
            raise InvalidArgument("delta", "above 0 for two classes", Plain("0"), NO_PURE_LOGISTIC)
        return chosen, with_classes(setting, classes_of(self.classes, "classes"))

    def _check_link(self, certificate: Certificate) -> None:
        Odds.of(certificate, partial(certificate.number, up=False))
