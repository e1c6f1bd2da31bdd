"""Detect who calls `fit`. A preprocessing step that was fitted to the same records without privacy
invalidates the certificate of the whole pipeline.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from dpframe.errors import InvalidArgument
from dpframe.sources.reading import Plain

PUBLIC = frozenset({"n_features_in_", "feature_names_in_", "n_output_features_", "n_features_"})
WAY_OUT = (
    "Declare public bounds, dp.Rows(columns=[dp.Numeric('age', 18, 90)]), which scale at no cost; "
    "or use dp.regressions.Standardised(), which learns scales privately; or a step that learns "
    "nothing from the table: FunctionTransformer with public numbers, or FrozenEstimator of a step "
    "that was fitted on public data."
)
ON_PUBLIC = (
    "No certificate covers that one. On records that are public it may be fitted to the private "
    "fit: FrozenEstimator(model)."
)
LABELLED = (
    "calibration.CalibratedClassifierCV",
    "model_selection.TunedThresholdClassifierCV",
    "ensemble.StackingClassifier",
    "ensemble.StackingRegressor",
)


def check_callers(estimator: object) -> None:
    """Refuse to be fitted behind a step that was fitted to the same records, or inside an estimator
    that fits another model to their labels. Raises InvalidArgument that names it.

    Recognised are scikit-learn's calibration, tuned thresholds and stacking, pipelines and classes
    derived from them, and TransformedTargetRegressor, at any depth and in any process. Records that
    were transformed by hand cannot be recognised.
    """
    for caller in callers(sys._getframe(1)):  # noqa: SLF001 - scikit-learn tells a step nothing
        if caller is estimator:
            continue
        for name in LABELLED:
            if _is(caller, name):
                wanted = "fitted where nothing else is fitted to the labels of the same records"
                got = f"{type(caller).__name__}, which fits one more model to them"
                raise InvalidArgument(type(estimator).__name__, wanted, Plain(got), ON_PUBLIC)
        for name, step in steps(caller):
            if learned(step):
                got = f"{name} ({type(step).__name__}), fitted on the same records"
                wanted = "fitted behind steps that learn nothing from the table"
                raise InvalidArgument(type(estimator).__name__, wanted, Plain(got), WAY_OUT)


def callers(frame: FrameType | None) -> Iterator[Any]:
    """The estimators whose methods are running, innermost first."""
    while frame is not None:
        names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
        owner = frame.f_locals.get(names[0]) if names else None
        if isinstance(owner, BaseEstimator):
            yield owner
        frame = frame.f_back


def steps(caller: Any) -> list[tuple[str, Any]]:
    """The fitted steps that precede the estimator that a caller is fitting."""
    if _is(caller, "pipeline.Pipeline"):
        return [(f"step {name!r}", step) for name, step in caller.steps[:-1]]
    if _is(caller, "compose.TransformedTargetRegressor"):
        return [("transformer_", getattr(caller, "transformer_", None))]
    return []


def learned(step: Any) -> bool:
    """Whether a step has learned more than names and numbers of columns."""
    if step is None or isinstance(step, str) or _is(step, "frozen.FrozenEstimator"):
        return False
    if _is(step, "pipeline.Pipeline"):
        return any(learned(one) for _, one in step.steps)
    if _is(step, "pipeline.FeatureUnion"):
        return any(learned(one) for _, one in step.transformer_list)
    if hasattr(step, "transformers_"):  # of a ColumnTransformer
        return any(learned(one) for _, one, _ in step.transformers_)
    return bool(learned_attributes(step) - PUBLIC)


def _is(value: object, name: str) -> bool:
    """Whether a value is an instance of a class of scikit-learn; never, if its module is not
    loaded.
    """
    module, _, name = name.rpartition(".")
    return isinstance(value, getattr(sys.modules.get(f"sklearn.{module}"), name, ()))


def learned_attributes(step: Any) -> set[str]:
    """The learned attributes: those with scikit-learn's trailing underscore, and those that hold
    numbers and are not parameters.
    """
    own = vars(step)
    given = step.get_params(deep=False) if isinstance(step, BaseEstimator) else {}
    named = {name for name in own if name.endswith("_") and not name.startswith("_")}
    return named | {name for name in own.keys() - given.keys() if holds_numbers(own[name])}


def holds_numbers(value: Any) -> bool:
    """Whether a value is, or contains, a float, an array, a table or a fitted estimator."""
    if isinstance(value, (float, np.ndarray, np.floating, BaseEstimator)):
        return True
    if isinstance(value, dict):
        return any(map(holds_numbers, value.values()))
    if isinstance(value, (list, tuple, set)):
        return any(map(holds_numbers, value))
    return hasattr(value, "to_numpy") or hasattr(value, "toarray")
