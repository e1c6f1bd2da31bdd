"""Estimators with the interface of scikit-learn: `fit` certifies, then executes once. They work in
searches and pipelines if scikit-learn is installed.
"""

from __future__ import annotations

from dpframe.errors import MissingExtra

try:
    from .classifier import PrivateClassifier
    from .regressor import PrivateRegressor
except ImportError as error:  # older than its public validate_data
    raise MissingExtra("scikit-learn 1.6 or later", "sklearn") from error

__all__ = ["PrivateClassifier", "PrivateRegressor"]
