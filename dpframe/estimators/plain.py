"""Replacements for the base classes of scikit-learn if it is not installed: parameters by name,
fitted state, scores. Searches, pipelines and diagrams need the library.
"""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BadData, InvalidArgument, Plain

Array = NDArray[Any]


class DataConversionWarning(UserWarning):
    """A column vector was passed as labels."""


class NotFittedError(ValueError, AttributeError):
    """An attribute of a fitted estimator was used before `fit`."""


class BaseEstimator:
    """Parameters are the arguments of `__init__`, stored under their names."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - sklearn's
        """The parameters by name."""
        del deep
        names = list(inspect.signature(type(self)).parameters)
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> Self:
        """Set parameters. Raises InvalidArgument for other names."""
        known = BaseEstimator.get_params(self)
        for name, value in params.items():
            if name not in known:
                raise InvalidArgument("parameter", f"one of {', '.join(known)}", name)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """The call that constructs it."""
        given = BaseEstimator.get_params(self)
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


class RegressorMixin:
    """A score by the coefficient of determination."""

    def score(self, X: Any, y: Any) -> float:
        """R^2 of predictions, not private."""
        labels = np.asarray(y, dtype=float)
        lost = np.sum((labels - self.predict(X)) ** 2)  # type: ignore[attr-defined]
        return float(1 - lost / np.sum((labels - labels.mean()) ** 2))


class ClassifierMixin:
    """The accuracy as score."""

    def score(self, X: Any, y: Any) -> float:
        """The accuracy of predictions, not private."""
        return float(np.mean(self.predict(X) == np.asarray(y)))  # type: ignore[attr-defined]


def check_is_fitted(estimator: object, attribute: str) -> None:
    """Raises NotFittedError if `fit` has not set the attribute."""
    if attribute not in vars(estimator):
        name = type(estimator).__name__
        raise NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' first.")


def validate_data(estimator: Any, X: Any, *, reset: bool, skip_check_array: bool) -> None:
    """Record the number and names of columns, or compare them with the recorded ones. Raises
    BadData.
    """
    del skip_check_array  # entries are never read here
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    width = X.shape[1] if hasattr(X, "shape") else len(X[0])
    if reset:
        estimator.n_features_in_ = width
        vars(estimator).pop("feature_names_in_", None)
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return
    before = getattr(estimator, "feature_names_in_", None)
    if width != estimator.n_features_in_:
        got = Plain(f"{width} columns")
        raise BadData("X", f"a table of {estimator.n_features_in_} columns, as fitted", got)
    if names is not None and before is not None and names != list(before):
        raise BadData("X", f"of the columns {', '.join(before)}, in this order", Plain("others"))


def check_callers(estimator: object) -> None:
    """Nothing to check: there are no pipelines without scikit-learn."""
    del estimator
