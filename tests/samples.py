"""One sample for every final class that the conformance suites find, and how they find them.

A new mechanism, calibration, accountant, statistic or regression adds one entry here.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache

import numpy as np

import dpframe as dp
from dpframe.accountants import BasicAccountant, ConcentratedAccountant, GaussianAccountant
from dpframe.graph import statistics as st
from dpframe.mechanisms.gaussian import Analytic, DworkRoth, KamathUllman
from dpframe.mechanisms.laplace import PureLaplace

RELATIONS = (dp.ADD_REMOVE, dp.REPLACE_ONE)
NORM, BOUND = Fraction(3, 2), Fraction(2)


def setting(relation=dp.ADD_REMOVE, *, norm=NORM, bound=BOUND, rows_per_person=1, **rows):
    """A setting whose rows have norm at most 3/2 and labels at most 2 in size."""
    return dp.Setting(
        X=dp.Rows(norm=norm, **rows),
        y=dp.Column(bound=bound),
        relation=relation,
        rows_per_person=rows_per_person,
    )


NOISES = {  # noise of this size
    dp.Gaussian: lambda size: dp.Gaussian(std=size),
    dp.Laplace: lambda size: dp.Laplace(scale=size),
}

MECHANISMS = {  # one that hides more the larger the number
    **NOISES,
}

CALIBRATIONS = {  # a budget at which the theorem holds: (epsilon, delta)
    DworkRoth: ("0.9", "1e-6"),
    KamathUllman: ("2.5", "1e-6"),
    Analytic: ("3", "1e-6"),
    PureLaplace: ("2", "1e-6"),
}

ACCOUNTANTS = {
    BasicAccountant: [dp.ApproxDP(1, "1e-6"), dp.ApproxDP("1/2", "1e-7"), dp.PureDP("1/3")],
    GaussianAccountant: [dp.GaussianDP(3), dp.GaussianDP(4), dp.GaussianDP("1/2")],
    ConcentratedAccountant: [dp.ZeroConcentratedDP(1), dp.ZeroConcentratedDP("1/3")],
}

# kind -> a statistic of (X, y)
STATISTICS = {
    st.Gram: lambda X, y: X.T @ X,
    st.Moment: lambda X, y: X.T @ y,
    st.Squares: lambda X, y: y @ y,
    st.LambdaMin: lambda X, y: dp.lambda_min(X.T @ X),
    st.Trace: lambda X, y: dp.trace(X.T @ X),
    st.Count: lambda X, y: dp.count(X),
    st.RowSum: lambda X, y: dp.total(X),
    st.LabelSum: lambda X, y: dp.total(y),
    st.Linear: lambda X, y: 2 * (X.T @ y) - Fraction(1, 2) * dp.total(X),
    st.Stack: lambda X, y: dp.stack(X.T @ X, X.T @ y),
    st.RawAggregate: lambda X, y: dp.aggregate("max_abs", X),
    st.Identity: lambda X, y: st.Identity(X),
}
UNBOUNDED = {st.RawAggregate, st.Identity}  # no rule bounds them: they exist to be refused

BOTH = (True, True)
# regression -> whether it is certified under add/remove, under replace-one (all symbols free)
REGRESSIONS = {
    dp.SSP: BOTH,
    dp.SSPPiazza: (True, False),
    dp.SSPWang: (True, False),
    dp.SSPWangCoded: (False, False),
    dp.AdaSSP: BOTH,
    dp.AdaSSPWang: (True, False),
    dp.AdaSSPWangCoded: (True, False),
    dp.AdaSSPPiazza: BOTH,
    dp.AdaSSPThesis: BOTH,
    dp.AdaSSPBudget: BOTH,
    dp.AdaSSPBudgetTight: BOTH,
    dp.ConstSSPFull: BOTH,
    dp.ConstSSPFullPiazza: (True, False),
}


@cache
def modules() -> tuple[str, ...]:
    """Every module of dpframe, imported."""
    found = pkgutil.walk_packages(dp.__path__, "dpframe.")
    names = [module.name for module in found if not module.name.endswith("__main__")]
    for name in names:
        importlib.import_module(name)
    return ("dpframe", *names)


def final_subclasses(base: type) -> list[type]:
    """Every class of dpframe below `base` that can be instantiated, by name."""
    modules()
    found: dict[str, type] = {}
    waiting = [base]
    while waiting:
        cls = waiting.pop()
        waiting.extend(cls.__subclasses__())
        if cls.__module__.partition(".")[0] == "dpframe" and not inspect.isabstract(cls):
            # attrs makes a second class where it adds slots: the module's is the one that counts
            home = sys.modules.get(cls.__module__)
            found[f"{cls.__module__}.{cls.__qualname__}"] = getattr(home, cls.__name__, cls)
    return [found[name] for name in sorted(found)]


def complaints(found: Iterable[type], samples: Mapping[type, object], exported: object) -> list:
    """What is missing: an export in the package (`exported.__all__`), a sample in this file."""
    missing = []
    for cls in found:
        name = cls.__name__
        if name not in exported.__all__ or getattr(exported, name, None) is not cls:
            missing.append(f"{name} is not exported by {exported.__name__}")
        if cls not in samples:
            missing.append(f"{name} has no sample in tests/samples.py")
    return missing


def evaluate(statistic, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The value of a statistic on a table whose rows and labels respect their bounds already."""
    values: dict = {}

    def visit(node):
        if node not in values:
            if hasattr(node, "compute"):
                for child in node.inputs:
                    visit(child)
                values[node] = node.compute(values, lambda c: float(c.value))
            else:
                values[node] = X if isinstance(node, dp.graph.RowsNode) else y
        return values[node]

    return np.asarray(visit(statistic))
