"""Base classes and checks of scikit-learn, or their replacements if it is not installed."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING or find_spec("sklearn") is not None:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import DataConversionWarning
    from sklearn.utils.validation import check_is_fitted, validate_data

    from .callers import check_callers
else:
    from .plain import (
        BaseEstimator,
        ClassifierMixin,
        DataConversionWarning,
        RegressorMixin,
        check_callers,
        check_is_fitted,
        validate_data,
    )

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "DataConversionWarning",
    "RegressorMixin",
    "check_callers",
    "check_is_fitted",
    "validate_data",
]
