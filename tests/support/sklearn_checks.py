"""scikit-learn's own checks of an estimator, and where dpframe differs on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

OTHERWISE = {
    "check_estimators_empty_data_messages": "an empty table is fitted, since emptiness is private",
    "check_dtype_object": "entries are not read to find out what objects are: the codebook says it",
    "check_complex_data": "refused, in dpframe's words",
    "check_fit2d_predict1d": "refused, in dpframe's words",
    "check_requires_y_none": "refused, in dpframe's words",
}


def checks(
    estimator: Any, title: str = "", otherwise: Mapping[str, str] = OTHERWISE
) -> Iterator[Any]:
    """Parameters (estimator, check) of a test; those in `otherwise` are expected to fail."""
    for given, check in estimator_checks_generator(estimator, legacy=True):
        name = check.func.__name__
        marks = [pytest.mark.xfail(reason=otherwise[name])] if name in otherwise else []
        yield pytest.param(given, check, id=f"{title}{name}", marks=marks)
