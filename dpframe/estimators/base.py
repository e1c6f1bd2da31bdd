"""The common part of estimators: certify, read a table, execute once and store the results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Never, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.accountants import Accountant
from dpframe.audits import BudgetReport
from dpframe.audits.record_costs import report_at
from dpframe.errors import (
    BadData,
    InvalidArgument,
    Plain,
    PrivacyWarning,
    WayOut,
    missing,
    nearest,
    warn,
)
from dpframe.execution import execute
from dpframe.execution.one_pass import public_sizes
from dpframe.execution.preview import delta_warning
from dpframe.execution.public_budgets import check_order, requested_budgets
from dpframe.execution.receipts import Result, Spending, no_ledger, personalised_text
from dpframe.execution.rehearsal import due, rehearsed
from dpframe.graph import (
    Categorical,
    Column,
    ColumnNode,
    Numeric,
    Regression,
    Release,
    RowsNode,
    Setting,
)
from dpframe.graph.maps.grid import BITS
from dpframe.inference.result import Inference, Units
from dpframe.inference.row_set import RowSet
from dpframe.privacy import Guarantee, Relation
from dpframe.prover import Certificate, load
from dpframe.prover.certify import certify
from dpframe.prover.mixture import joint_gaussian
from dpframe.regressions.solve import coefficients_of
from dpframe.sources import Source, open_source
from dpframe.sources.files import is_path
from dpframe.sources.layout import Layout
from dpframe.sources.open import MemorySource
from dpframe.sources.opening import header, is_frame
from dpframe.sources.progress import Progress
from dpframe.sources.table import Block, Table
from dpframe.symbols import Expression

from .budgets import REQUIRED, check_relation, check_source, claim, rosters
from .fits import Fits
from .scikit import (
    BaseEstimator,
    DataConversionWarning,
    check_callers,
    check_is_fitted,
    validate_data,
)
from .summary import in_units
from .units import (
    AffineScale,
    Coefficients,
    Outside,
    baselines_of,
    check_undone,
    in_one_unit,
    label_scale,
    linear,
    mapped,
    names_of,
    row_maps,
    row_set_of,
)

if TYPE_CHECKING:
    from dpframe.budgets.ledger import Ledger

Array = NDArray[Any]
OTHER_CURRENCY = "in a currency with"
OF_OTHER_TARGETS = (
    "The budget of an estimator is (epsilon, delta). Use noise that is calibrated to any budget, "
    "dp.release(..., dp.Gaussian.analytic, share); or make the number a field, such as "
    "rho: dp.Expression = dp.parameter('rho'), which the proof compares with (epsilon, delta); or "
    "run dp.execute(dp.certify(...), X, y) for that target."
)
SAVE = (
    "pickle.dumps(model) stores it, model.certificate_.save('proof.json') its "
    "proof, model.setting.save('codebook.json') its codebook"
)
ROUNDED = (
    "grid={} rounds rows and labels towards zero, by up to 1/{} of their bounds: coefficients and "
    "intervals are of the rounded values, and may be far from those of the table."
)
NAMED = ("n_features_in_", "feature_names_in_")
OF_FORMULA = (
    "columns=[...] describes every column of the formula, its left side too: "
    'dp.Numeric("charges", 0, 60000) among them.'
)


class PrivateEstimator(BaseEstimator, ABC):
    """Abstract: a private estimator from a regression, a budget and a setting."""

    def __init__(
        self,
        regression: Regression | None = None,
        *,
        epsilon: object = REQUIRED,
        delta: object = REQUIRED,
        setting: Setting | None = None,
        rng: object = None,
        missing: str = "refuse",
        ledger: Ledger | None = None,
        dataset: str | None = None,
        accountant: str | Accountant = "auto",
        trust: Sequence[type] = (),
    ) -> None:
        """Store the parameters, which `fit` checks."""
        self.regression = regression
        self.epsilon = epsilon
        self.delta = delta
        self.setting = setting
        self.rng = rng
        self.missing = missing
        self.ledger = ledger
        self.dataset = dataset
        self.accountant = accountant
        self.trust = trust

    @classmethod
    def from_formula(
        cls,
        formula: str,
        columns: Iterable[Numeric | Categorical] | None = None,
        *,
        relation: Relation | None = None,
        rows_per_person: object = 1,
        **parameters: Any,
    ) -> Self:
        """An estimator with the setting of a formula over a codebook, see
        `dp.Setting.from_formula`; `parameters` are the other parameters. `fit` and `predict` read
        the columns by name from a frame or file, as with any codebook. Raises InvalidArgument,
        MissingExtra without formulaic.
        """
        for name in ("setting", "y", "X"):
            if name in parameters:
                raise InvalidArgument(name, "left out beside a formula", Plain("it"), OF_FORMULA)
        if columns is None:
            raise InvalidArgument("columns", "the codebook of the formula", None, OF_FORMULA)
        setting = Setting.from_formula(
            formula, columns, relation=relation, rows_per_person=rows_per_person
        )
        return cls(setting=setting, **parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - sklearn's
        """The parameters; with `deep` also those of the regression, as `regression__ridge`."""
        own: dict[str, Any] = super().get_params(deep=deep)
        return {**own, **(fields(self.regression, "regression") if deep else {})}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `regression__ridge` replaces the regression by one with another ridge.
        Raises InvalidArgument.
        """
        inner = {name: params[name] for name in params if name.startswith("regression__")}
        super().set_params(**{name: params[name] for name in params if name not in inner})
        for name, value in inner.items():
            self.regression = evolved(self.regression, name.split("__"), value)
        return self

    def _fitted(self, X: Any, y: Any, epsilon: Any, executor: Any) -> PrivateEstimator:
        """Certify, then execute once; released values are stored even if a later step fails. A fit
        that released nothing keeps the names of columns of the fit before.
        """
        check_callers(self)
        own = self.__dict__
        names, released = {name: own[name] for name in NAMED if name in own}, own.get("result_")
        try:
            with Progress(None, "fitting"):
                return self._fitted_once(X, y, epsilon, executor)
        except BaseException:
            if own.get("result_") is released:
                for name in NAMED:
                    own.pop(name, None)
                own.update(names)
            raise

    def _fitted_once(self, X: Any, y: Any, epsilon: Any, executor: Any) -> PrivateEstimator:
        if not isinstance(self.setting, Setting):
            wanted = "a dp.Setting: the public description of the table"
            raise InvalidArgument("setting", wanted, self.setting, DESCRIBE)
        claimed = claim(self.epsilon, self.delta, epsilon)
        check_relation(claimed, self.setting)
        certificate = self._certify(claimed.target, self.setting)
        own = requested_budgets(certificate, claimed.budgets)
        for given in () if own is None else (epsilon, self.epsilon, self.delta):
            check_order(X, given)
        y, column = raveled(y), None if own is None else own.column
        drop = self.missing == "drop"
        source = open_source(certificate.setting, X, y, drop=drop, budgets=column)
        table = (source,) if own is None else self._table(X, y, source, certificate)
        lists = None if own is None else rosters(certificate, own, source, executor)
        names = self._note_names(X, source)
        self._check_output(certificate, source)
        self._warn_of_delta(certificate, source)
        options = {"budgets": claimed.budgets, "executor": executor}
        result = self._executed(certificate, table, source.identity, **options)
        self.certificate_, self.result_ = certificate, result
        together = self._fits.total if self.rng is None else ""
        self.receipt_ = attrs.evolve(result.receipt, together=together)
        self._rosters, self._budget = lists, source.layout.budget
        self._maps, self._columns = row_maps(certificate.graph, certificate.setting), names
        self._theta = coefficients(result.output, width(certificate, self._sizes))
        output = result.output
        first = output[0] if isinstance(output, tuple) and output else output
        self.ridge_ = getattr(first, "ridge", None)
        return self

    def _executed(
        self, certificate: Certificate, table: tuple[Any, ...], identity: object, **options: Any
    ) -> Result:
        """Execute, and count a private fit; a ledger, if given, has the exact total."""
        fit = Spending(certificate.target, certificate.setting.unit, joint_gaussian(certificate))
        if self.rng is None and self.ledger is None:
            self._fits.check_counted()
            self._fits.warn(identity, fit)
        elif self.rng is None:
            self._fits.warn_of_scores(identity)
        options |= {"rng": self.rng, "missing": self.missing}
        options |= {"ledger": self.ledger, "dataset": self.dataset}
        try:
            result = execute(certificate, *table, **options)
        except BaseException as failed:
            if self.rng is None and getattr(failed, "receipt", None) is not None:
                self._fits.add(identity, fit)
            raise
        if self.rng is None:
            self._fits.add(identity, fit)
        return result

    def _what(self) -> dict[str, str]:
        """The header of a summary: regression, label, baselines, privacy and randomness."""
        setting = self.certificate_.setting
        place = getattr(self.result_.output, "chosen", None)
        named = getattr(self.certificate_.regression, "candidate", None)
        baselines = [
            f"{part.name} {part.baseline}"
            for part in setting.X.columns or ()
            if isinstance(part, Categorical) and part.baseline is not None
        ]
        return {
            "regression": self.certificate_.regression.full_name,
            **({} if setting.y is None else {"label": self._label(setting.y)}),
            **({"baselines": ", ".join(baselines)} if baselines else {}),
            **({} if place is None or named is None else {"chosen": named(place)}),
            "privacy": f"{self.certificate_.target} for {self.certificate_.setting.unit}",
            "randomness": str(self.receipt_.randomness),
        }

    def _of_grid(self) -> Iterator[str]:
        """A note that the declared grid is coarse."""
        bits = self.certificate_.setting.grid
        if bits is not None and bits < BITS:
            yield ROUNDED.format(bits, 2**bits)

    def _label(self, column: Column) -> str:
        """`salary, clipped to [15000, 150000]`, or `smoker, no (0) or yes (1)`."""
        if column.levels is not None:
            first, second = column.levels
            coded = (first, second) == (0, 1)
            return f"{column.name}, {'0 or 1' if coded else f'{first} (0) or {second} (1)'}"
        scale, radius = label_scale(column), self.certificate_.setting.nodes()[1].radius
        reach = scale.half * self._number(radius)
        return (
            f"{column.name}, clipped to [{scale.centre - reach:.12g}, {scale.centre + reach:.12g}]"
        )

    def _warn_of_delta(self, certificate: Certificate, source: Source) -> None:
        """Warn, before anything is spent, that delta is not far below 1/n; in a simulation only
        of a delta that is too large for tables of any size.
        """
        n = public_sizes(certificate, source).get("n") if self.rng is None else None
        text = None if n == 0 else delta_warning(certificate, n)
        if text is not None:
            warn(text, PrivacyWarning)

    def _warn_of_score(self) -> None:
        """Warn once, for an estimator and its clones, that scores are not private."""
        if self.rng is None and not self._fits.scored:
            self._fits.scored = True
            message = "A score is computed from labels without noise: it is not private."
            warn(message, PrivacyWarning)

    def _in(self, theta: Array, label: AffineScale) -> Coefficients:
        """Coefficients of mapped rows in the units of the codebook and of `label`."""
        common = in_one_unit(self.certificate_.graph)
        setting = self.certificate_.setting.nodes()[0] if common else None
        return linear(theta, self._maps, self._columns, label, self._number, setting)

    def _check_output(self, certificate: Certificate, source: Source) -> None:
        """Refuse an output without coefficients before anything is charged. Raises
        InvalidArgument.
        """
        graph, sizes = certificate.graph, public_sizes(certificate, source)
        wanted = width(certificate, sizes)
        if isinstance(graph.outputs[0], Release):
            shapes = graph.outputs[0].statistic.shape
            shape = [certificate.number(one, up=True, sizes=sizes) for one in shapes]
            if shape != [wanted]:
                raise no_coefficients(f"an array of shape {tuple(map(int, shape))}", wanted)
        if due(certificate):
            for trial in rehearsed(certificate, sizes).trials:
                if trial.failed is None and not trial.untried:
                    coefficients(trial.output, wanted)

    def _units_of(self, linear: Callable[[Array], Coefficients]) -> Units:
        """From the coefficients of mapped rows to those that `linear` makes of them."""
        units, rows = in_units(linear, len(self._theta)), self.certificate_.setting.X
        of_codebook = rows.columns is not None and units.names == names_of(rows)
        baselines = baselines_of(rows) if of_codebook else ()
        return attrs.evolve(units, rows=self._mapped_rows, baselines=baselines)

    def _estimated(self, inference: Inference, units: Units) -> dict[str, Any]:
        """The fields of a summary with intervals: estimates, fitted coefficients, ranges."""
        fitted = units.matrix @ self._theta + units.offset
        ranges = self._in(self._theta, AffineScale()).ranges
        return {"estimates": inference.t_test(), "fitted": fitted, "ranges": ranges}

    def _mapped_rows(self, X: Any) -> Array:
        """Rows as the statistics read them. Raises BadData."""
        return np.concatenate(list(self._blocks(X)))

    @property
    def _allowed(self) -> RowSet:
        """The set of rows that the setting allows."""
        return row_set_of(self.certificate_.setting.nodes()[0], len(self._theta), self._number)

    def _blocks(self, X: Any) -> Iterator[Array]:
        """Rows as the statistics read them; warns of those outside the bounds of a codebook. Raises
        BadData, SourceFailed.
        """
        setting = self.certificate_.setting
        outside = Outside(setting.X.columns or ())

        def read(blocks: Iterable[Block]) -> list[Array]:
            each = map(outside.counted, blocks)
            return [mapped(block, self._maps, self._number) for block in each]

        if is_path(X):
            yield from self._file(X).total(read)
        else:
            X = without(X, self._budget)
            table = features(setting, X)
            if setting.X.columns is None:
                validate_data(self, X, reset=False, skip_check_array=True)
            for block in table.blocks(table.block_rows):
                yield from read([block])
        outside.warn()

    def _file(self, X: Any) -> Source:
        """Files of rows to predict, opened; reads no row. Raises BadData, SourceFailed."""
        source = open_source(attrs.evolve(self.certificate_.setting, y=None), X)
        fitted = tuple(getattr(self, "feature_names_in_", source.names))
        if source.columns != self.n_features_in_ or source.names != fitted:
            wanted = f"of the {self.n_features_in_} columns of the table that was fitted, in order"
            raise BadData("X", wanted, Plain(", ".join(source.names)), "")
        return source

    @property
    def _sizes(self) -> dict[str, int]:
        rows = self.receipt_.rows
        return {"d": self.n_features_in_, **({} if rows is None else {"n": rows})}

    @property
    def budget_report_(self) -> BudgetReport:
        """The costs of records beside their budgets, for a fit with personalised privacy."""
        check_is_fitted(self, "certificate_")
        if self._rosters is None:
            raise AttributeError("budget_report_ requires a fit with a budget for each record")
        lists = self._rosters
        return report_at(self.certificate_, lists.shown, self._sizes, lists.executed)

    def __getattr__(self, name: str) -> Never:
        """Raises UnknownName, with the nearest name or how a model is saved."""
        missing(self, name, SAVE if name == "save" else "")

    def __sklearn_clone__(self) -> Any:
        """A clone shares the count of fits."""
        clone = super().__sklearn_clone__()
        clone._shared_fits = self._fits  # noqa: SLF001 - its own class
        return clone

    def __getstate__(self) -> Any:
        """For pickle: the certificate as its document, and the count of fits."""
        state = {**super().__getstate__(), "_shared_fits": self._fits}
        if "certificate_" in state:
            state = {**state, "certificate_": state["certificate_"].claim}
        return state

    def __setstate__(self, state: Any) -> None:
        """From pickle: the certificate is proved again. Raises BadCertificate."""
        if "certificate_" in state:
            certificate = load(state["certificate_"], trust=state.get("trust", ()))
            state = {**state, "certificate_": certificate}
        super().__setstate__(state)

    @property
    def _fits(self) -> Fits:
        if "_shared_fits" not in self.__dict__:
            self._shared_fits = Fits()
        return self._shared_fits

    @abstractmethod
    def _declared(self, target: Guarantee, setting: Setting) -> tuple[Regression, Setting]:
        """The regression and setting to certify. Raises InvalidArgument."""

    @abstractmethod
    def _check_link(self, certificate: Certificate) -> None:
        """Refuse a regression for another estimator. Raises InvalidArgument."""

    def _certify(self, target: Guarantee, setting: Setting) -> Certificate:
        chosen, setting = self._declared(target, setting)
        adding: dict[str, Any] = {"accountant": self.accountant, "trust": self.trust}
        try:
            certificate = certify(chosen, target=target, setting=setting, **adding)
        except InvalidArgument as error:
            if error.name == "share" and error.requirement.startswith(OTHER_CURRENCY):
                way_out = f"{error.way_out} {OF_OTHER_TARGETS}"
                raise InvalidArgument(error.name, error.requirement, error.value, way_out) from None
            raise
        if certificate.free:
            free = ", ".join(sorted(certificate.free))
            mine = [one.name for one in attrs.fields(type(chosen)) if one.name in certificate.free]
            given = ", ".join(f"{name}=..." for name in mine)
            call = f", as in {type(chosen).__name__}({given})" if mine else ""
            python = f"Give each a number where it is declared{call}; or dp.certify(...).at(...)."
            options = " ".join(f"--set {name}=..." for name in mine)
            way_out = WayOut(python, f"Give each a number: {options}." if mine else python)
            wanted = "without free parameters"
            raise InvalidArgument("regression and setting", wanted, Plain(f"free {free}"), way_out)
        self._check_link(certificate)
        check_undone(certificate, RowsNode, ColumnNode)
        return certificate

    def _table(self, X: Any, y: Any, source: Source, certificate: Certificate) -> tuple[Any, ...]:
        """X and y, to be opened again with the budgets. Raises BadData, InvalidArgument."""
        check_source(source)
        if self.ledger is not None:
            name = f"dp.regressions.{type(certificate.regression).__name__}()"
            regression = name if self.regression is None else "model.regression"
            target = personalised_text(certificate.target)
            certify = f"run = dp.certify({regression}, target={target}, setting=model.setting); "
            raise no_ledger(self.ledger, certificate.target, certify)
        return X, y

    def _note_names(self, X: Any, source: Source) -> tuple[str, ...]:
        """Set n_features_in_ and feature_names_in_; the columns' names."""
        layout = source.layout
        beside = layout.label is None and layout.budget is None
        if isinstance(source, MemorySource) and layout.schema is None and beside:
            validate_data(self, X, reset=True, skip_check_array=True)
        else:
            self._note_source(layout)
        given = getattr(self, "feature_names_in_", None)
        return tuple(f"x{j}" for j in range(self.n_features_in_)) if given is None else tuple(given)

    def _note_source(self, layout: Layout) -> None:
        """As scikit-learn does with an array or a data frame."""
        self.n_features_in_ = len(layout.names)
        if layout.schema is not None or layout.header is not None:
            self.feature_names_in_ = np.array(layout.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _number(self, formula: Expression) -> float:
        """A bound, rounded towards zero as at execution."""
        known = self.result_.known
        return self.certificate_.number(formula, up=False, sizes=self._sizes, released=known)


def fields(regression: object, name: str) -> dict[str, Any]:
    """The parameters of a regression by name, nested ones as `regression__of__ridge`."""
    values: dict[str, Any] = {}
    if isinstance(regression, Regression):
        for key, value in attrs.asdict(regression, recurse=False).items():
            values |= {f"{name}__{key}": value, **fields(value, f"{name}__{key}")}
    return values


def evolved(regression: object, path: Sequence[str], value: object) -> Regression:
    """The regression with another value at the end of a path such as `regression, of, ridge`.
    Raises InvalidArgument.
    """
    (name, *rest), title = path[1:], path[0]
    if not isinstance(regression, Regression):
        way_out = "Give one that has parameters, such as regression=dp.JointSSP()."
        raise InvalidArgument(title, f"a declaration that has {name!r}", regression, way_out)
    known = attrs.fields_dict(type(regression))
    if name not in known:
        wanted = f"one of {type(regression).__name__}'s: {', '.join(known) or 'none'}"
        raise InvalidArgument(f"parameter of {title}", wanted, name, nearest(name, known))
    inner = evolved(getattr(regression, name), path[1:], value) if rest else value
    made: Regression = attrs.evolve(regression, **{name: inner})
    return made


def without(X: Any, column: str | None) -> Any:
    """X without its column of budgets."""
    if column is None or column not in (header(X) or ()):
        return X
    if not is_frame(X):
        return X.drop_columns([column])
    return X[[name for name in X.columns if str(name) != column]]


def features(setting: Setting, X: Any) -> Table:
    """X as the setting's table without labels; reads no entry. Raises BadData."""
    return Table.of(attrs.evolve(setting, y=None), X, None, drop=False)


def width(certificate: Certificate, sizes: dict[str, int]) -> int:
    """The number of columns of the rows that statistics read."""
    maps = row_maps(certificate.graph, certificate.setting)
    if not maps:
        return sizes["d"]
    return round(certificate.number(maps[-1].columns, up=True, sizes=sizes))


def coefficients(output: object, p: int) -> Array:
    """The coefficients in a regression's output, shape (p,). Raises InvalidArgument."""
    theta = coefficients_of(output)
    if theta is None:
        raise no_coefficients(_kind(output), p)
    if theta.shape != (p,) or theta.dtype.kind != "f":
        raise no_coefficients(f"an array of shape {theta.shape} of {theta.dtype}", p)
    return theta


DESCRIBE = (
    'Such as dp.Setting(X=dp.Rows(columns=[dp.Numeric("age", 18, 90)], intercept=True), '
    'y=dp.Column("hours", lower=0, upper=24), relation=dp.ADD_REMOVE).'
)
WEIGHTS = (
    "A weight multiplies the sensitivity of every sum, so it must be bounded before the proof, as "
    "rows are. Multiply each row, its constant column and its label by the square root of a public "
    "weight, declare bounds that hold for the products, and fit those; or give each record a "
    "budget, which weights them: fit(X, y, epsilon=...)."
)


def check_known(given: dict[str, Any]) -> None:
    """Refuse unknown arguments of fit. Raises InvalidArgument."""
    for name in given:
        if name == "sample_weight":
            raise InvalidArgument(name, "left out", Plain("weights"), WEIGHTS)
        way_out = "Other parameters belong to the constructor."
        raise InvalidArgument("fit", "given X, y, epsilon and executor", name, way_out)


def _kind(output: object) -> str:
    """`dict`, `a tuple that begins with float`."""
    first = type(output[0]).__name__ if isinstance(output, tuple) and output else ""
    return f"a tuple that begins with {first}" if first else type(output).__name__


def no_coefficients(got: str, p: int | None = None) -> InvalidArgument:
    """The error for an output without coefficients."""
    count = "" if p is None else f"{p} "
    wanted = (
        f"one whose output is a dp.regressions.Fit or an array of {count}coefficients, one per "
        "column, or a tuple that begins with one of them"
    )
    way_out = "dp.execute(certificate, X, y) runs any declaration."
    return InvalidArgument("regression", wanted, got, way_out)


def raveled(y: Any) -> Any:
    """Labels as a vector: a single column is flattened with a warning, as in scikit-learn. Raises
    BadData for several columns.
    """
    shape = getattr(y, "shape", None)
    if not (isinstance(y, np.ndarray) or is_frame(y)) or shape is None or len(shape) != 2:
        return y
    if shape[1] != 1:
        way_out = "Fit each label by itself, with its own share of the budget."
        raise BadData("y", "one label per record", Plain(f"{shape[1]} columns"), way_out)
    message = "A column-vector y was passed when a 1d array was expected. y.ravel() flattens it."
    warn(message, DataConversionWarning)
    if isinstance(y, np.ndarray):
        return y[:, 0]
    return y.iloc[:, 0] if hasattr(y, "iloc") else y[y.columns[0]]
