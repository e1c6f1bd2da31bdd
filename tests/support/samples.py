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
from dpframe.describing.events import EventQuery
from dpframe.describing.stated import StatedStatistic
from dpframe.graph import objectives as ob
from dpframe.graph import statistics as st
from dpframe.graph.maps import bounds, scaled
from dpframe.graph.schema import Encoded

RELATIONS = (dp.ADD_REMOVE, dp.REPLACE_ONE)
NORM, BOUND = Fraction(3, 2), Fraction(2)


def setting(relation=dp.ADD_REMOVE, *, norm=NORM, bound=BOUND, rows_per_person=1, grid=20, **rows):
    """A setting whose rows have norm at most 3/2 and labels at most 2 in size."""
    return dp.Setting(
        grid=grid,
        X=dp.Rows(norm=norm, **rows),
        y=dp.Column(bound=bound),
        relation=relation,
        rows_per_person=rows_per_person,
    )


NOISES = {  # noise of this size
    dp.Gaussian: lambda size: dp.Gaussian(std=size),
    dp.Laplace: lambda size: dp.Laplace(scale=size),
    dp.DiscreteLaplace: lambda size: dp.DiscreteLaplace(scale=size),
    dp.DiscreteGaussian: lambda size: dp.DiscreteGaussian(std=size),
    dp.L2Laplace: lambda size: dp.L2Laplace(scale=size),
    dp.MirroredGaussian: lambda size: dp.MirroredGaussian(std=size),
}

MECHANISMS = {  # one that hides more the larger the number
    **NOISES,
    dp.BlackBox: lambda size: dp.BlackBox(dp.PureDP(1 / Fraction(size)), name="a table"),
    dp.CorrelatedGaussian: lambda size: dp.CorrelatedGaussian([[2 * size, size], [size, size]]),
    dp.ExponentialMechanism: lambda size: dp.ExponentialMechanism(scale=size),
    dp.GumbelNoisyMax: lambda size: dp.GumbelNoisyMax(scale=size, monotone=True),
    dp.ExponentialNoisyMax: lambda size: dp.ExponentialNoisyMax(scale=size),
    dp.PermuteAndFlip: lambda size: dp.PermuteAndFlip(scale=size),
    dp.RandomizedResponse: lambda size: dp.RandomizedResponse(1 / Fraction(size), categories=3),
    dp.PoissonSubsampled: lambda size: dp.PoissonSubsampled(dp.Gaussian(std=size), rate="1/9"),
    dp.SubsampledWithoutReplacement: lambda size: dp.SubsampledWithoutReplacement(
        dp.Laplace(scale=size), size=3, of=20
    ),
}

LOSSES = {  # losses small, ordinary and large
    dp.GaussianLoss: [dp.GaussianLoss(mu) for mu in (Fraction(1, 10**6), Fraction(1, 3), 1, 9)],
    dp.LaplaceLoss: [dp.LaplaceLoss(e) for e in (Fraction(1, 10**8), Fraction(1, 7), 1, 4, 60)],
    dp.ResponseLoss: [
        dp.ResponseLoss(Fraction(1, 10**8)),
        dp.ResponseLoss(Fraction(1, 7), Fraction(1, 10**6)),
        dp.ResponseLoss(1),
        dp.ResponseLoss(50, Fraction(1, 3)),
    ],
    dp.DiscreteLaplaceLoss: [
        dp.DiscreteLaplaceLoss(Fraction(rate), shift)
        for rate, shift in (("1e-12", 1), ("1/9", 1), ("1/50", 40), (1, 1), ("3/2", 3), (30, 2))
    ],
    dp.DiscreteGaussianLoss: [
        dp.DiscreteGaussianLoss(Fraction(variance), shift)
        for variance, shift in (
            ("1e-2", 1),
            ("1/7", 3),
            ("1/6", 1),
            (1, 1),
            ("5/2", 4),
            (10**4, 1),
            (10**6, 900),
        )
    ],
    dp.CategoricalLoss: [
        dp.CategoricalLoss(Fraction(epsilon), k)
        for epsilon, k in (("1e-9", 2), ("1/3", 3), (2, 2), (2, 1000), (40, 10**9))
    ],
    dp.OddsLoss: [
        dp.OddsLoss(Fraction(excess), k) for excess, k in (("1e-9", 2), (2, 2), (9, 5), (10**20, 3))
    ],
}

OWN_SUITES = {dp.SubsampledGaussianLoss}  # losses whose balls are too slow for the general suite

CALIBRATIONS = {  # a budget at which the theorem holds: (epsilon, delta)
    dp.Gaussian.classical: ("0.9", "1e-6"),
    dp.Gaussian.kamath_ullman: ("2.5", "1e-6"),
    dp.Gaussian.analytic: ("3", "1e-6"),
    dp.Laplace.pure: ("2", "1e-6"),
    dp.DiscreteLaplace.pure: ("2", "1e-6"),
    dp.DiscreteGaussian.concentrated: ("2", "1e-6"),
    dp.L2Laplace.pure: ("2", "1e-6"),
}

ACCOUNTANTS = {
    BasicAccountant: [dp.ApproxDP(1, "1e-6"), dp.ApproxDP("1/2", "1e-7"), dp.PureDP("1/3")],
    GaussianAccountant: [dp.GaussianDP(3), dp.GaussianDP(4), dp.GaussianDP("1/2")],
    ConcentratedAccountant: [dp.ZeroConcentratedDP(1), dp.ZeroConcentratedDP("1/3")],
    dp.NumericAccountant: [dp.GaussianDP(1), dp.LaplaceLoss(1), dp.PureDP("1/2")],
    dp.OptimalAccountant: [dp.PureDP(1), dp.ApproxDP("1/2", "1e-7"), dp.ResponseLoss(2)],
    dp.RenyiAccountant: [dp.ZeroConcentratedDP("1/3"), dp.LaplaceLoss(1), dp.GaussianDP("1/2")],
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
    st.Argmin: lambda X, y: dp.argmin(X, y, dp.Squared(), 4, radius=3),
    st.SufficientStatistics: lambda X, y: dp.sufficient_statistics(X, y, constant=True),
    st.Monomials: dp.monomials,
    st.Histogram: lambda X, y: dp.histogram(X, y, 2),
    st.ColumnSquares: lambda X, y: dp.column_squares(X),
    st.BinCounts: lambda X, y: dp.bin_counts(X, (Fraction(-1, 2), 0, 1)),
    st.NormCounts: lambda X, y: st.NormCounts(X, (Fraction(1, 2), 1)),
    st.CellCount: lambda X, y: dp.partition_at(X, y, [0]).count(1),
    st.CellSums: lambda X, y: st.CellSums(dp.partition_at(X, y, [0])),
    st.BlockEstimates: lambda X, y: st.BlockEstimates(dp.partition_at(X, y, [0]), 1, "1/2"),
    st.LogResidual: lambda X, y: dp.log_residual(X.T @ X, X.T @ y, 4),
    st.Stack: lambda X, y: dp.stack(X.T @ X, X.T @ y),
    st.RawAggregate: lambda X, y: dp.aggregate("max_abs", X),
    st.Identity: lambda X, y: st.Identity(X),
}
# maps of rows or labels by themselves, and not onto a grid -> one of (X, y), of three columns
MAPS = {
    bounds.ClipNorm: lambda X, y: X.clip(norm=1),
    bounds.Normalized: lambda X, y: X.normalized(),
    bounds.Box: lambda X, y: X.boxed("1/2"),
    bounds.Intercept: lambda X, y: X.with_intercept(2),
    scaled.Scaled: lambda X, y: X.scaled(by=2),
    scaled.ScaledColumns: lambda X, y: X.scaled_columns(by=(1, 2, "1/2"), minus=(0, 1, 0)),
    bounds.ClipColumn: lambda X, y: y.clip(-1, "1/2"),
    bounds.ToUnitInterval: lambda X, y: bounds.ToUnitInterval(y, 0, 3),
    scaled.ScaledLabels: lambda X, y: y.scaled(by=2),
}
MAPS_OF_OTHERS = {Encoded, scaled.RecordRows, scaled.RecordLabels}  # with tests of their own
OBJECTIVES = {
    ob.Huber: ob.Huber(1),
    ob.Logistic: ob.Logistic(),
    ob.Squared: ob.Squared(),
}
UNBOUNDED = {st.RawAggregate, st.Identity}  # no rule bounds them: they exist to be refused

TRUSTED = {EventQuery, StatedStatistic}  # taken on their word, by name: tests/describing

# declarations made of others, with suites of their own
COMBINATORS = {dp.Jointly, dp.Resplit, dp.Tuned}

BOTH, NEITHER = (True, True), (False, False)
# regression -> whether it is certified under add/remove, under replace-one (all symbols free)
REGRESSIONS = {
    dp.SSP: BOTH,
    dp.SSPPiazza: (True, False),
    dp.SSPWang: (True, False),
    dp.SSPWangCoded: NEITHER,
    dp.SSPThesis: NEITHER,
    dp.SSPStatsmodels: (False, True),
    dp.AdaSSP: BOTH,
    dp.AdaSSPWang: (True, False),
    dp.AdaSSPWangCoded: (True, False),
    dp.AdaSSPPiazza: BOTH,
    dp.AdaSSPThesis: BOTH,
    dp.AdaSSPGoogle: NEITHER,
    dp.AdaSSPHessianMix: NEITHER,
    dp.AdaSSPBudget: BOTH,
    dp.AdaSSPBudgetTight: BOTH,
    dp.ConstSSPFull: BOTH,
    dp.ConstSSPFullPiazza: (True, False),
    dp.OPSBalanced: (False, True),
    dp.OPSConcentrated: (False, True),
    dp.OPSDiffused: (False, True),
    dp.OPSConservative: (False, True),
    dp.OPSPrinted: NEITHER,
    dp.OPSBalancedCoded: NEITHER,
    dp.OPSConcentratedCoded: NEITHER,
    dp.OPSDiffusedCoded: NEITHER,
    dp.OPSConservativeCoded: NEITHER,
    dp.AdaOPS: BOTH,
    dp.AdaOPSRepaired: BOTH,
    dp.AdaOPSPrinted: NEITHER,
    dp.AdaOPSCoded: NEITHER,
    dp.ObjPert: BOTH,
    dp.ObjPertPure: BOTH,
    dp.ObjPertPrinted: (True, False),
    dp.ObjPertCoded: NEITHER,
    dp.ApproximateMinima: BOTH,
    dp.OLS: NEITHER,
    dp.LeastSquaresDPrivStats: NEITHER,
    dp.Ridge: NEITHER,
    dp.ZeroPredictor: NEITHER,
    dp.PublicMean: NEITHER,
    dp.FunctionalLinear: BOTH,
    dp.FunctionalLinearPrinted: BOTH,
    dp.FunctionalLinearTrimmed: BOTH,
    dp.FunctionalLinearUnrepaired: BOTH,
    dp.FunctionalRidge: BOTH,
    dp.FunctionalRidgePrinted: BOTH,
    dp.FunctionalLasso: BOTH,
    dp.FunctionalLassoPrinted: BOTH,
    dp.FunctionalElasticNet: BOTH,
    dp.FunctionalElasticNetPrinted: BOTH,
    dp.DiffprivlibWithIntercept: NEITHER,
    dp.DiffprivlibNoIntercept: NEITHER,
    dp.DPME: BOTH,
    dp.OutputPerturbation: BOTH,
    dp.OutputPerturbationPure: BOTH,
    dp.LogisticOutputPerturbation: BOTH,
    dp.HuberOutputPerturbation: BOTH,
    dp.NoisyGradientDescent: BOTH,
    dp.NoisyGradientDescentPrinted: (False, True),
    dp.NoisySGD: BOTH,
    dp.AMBSSGD: BOTH,
    dp.JointSSP: BOTH,
    dp.AdaptiveGradientDescent: BOTH,
    dp.BoostedAdaSSP: BOTH,
    dp.BoostedAdaSSPCoded: NEITHER,
    dp.BoostedAdaSSPKendall: NEITHER,
    dp.HessianMixing: BOTH,
    dp.HessianMixingCoded: NEITHER,
    dp.BayesianSSP: BOTH,
    dp.BayesianSSPPure: BOTH,
    dp.BayesianSSPCoded: NEITHER,
    dp.Standardised: BOTH,
    dp.RobustSSP: BOTH,
    dp.RobustAdaSSP: BOTH,
    dp.RobustQuantileSSP: BOTH,
    dp.ThesisStandardised: NEITHER,
    dp.ThesisMaxNorm: NEITHER,
    dp.ThesisClipped: NEITHER,
    dp.SubAgg: BOTH,
    dp.SubAggPure: BOTH,
    dp.SubAggSmith: (True, False),
    dp.Tukey: BOTH,
    dp.TukeyPure: BOTH,
    dp.TukeyCoded: NEITHER,
    dp.PersonalizedRidge: (False, True),
    dp.PersonalizedRidgePrinted: (False, True),
    dp.UniformRidge: (False, True),
    dp.SampledRidge: BOTH,
    dp.SampledRidgeCoded: NEITHER,
    dp.PersonalizedObjective: (False, True),
    dp.PersonalizedSSP: BOTH,
    dp.PersonalizedAdaSSP: BOTH,
}
AT_NUMBERS = {  # refused as claims for every epsilon and delta, certified at (1, 1e-6)
    (dp.AdaSSPWang, dp.REPLACE_ONE),
    (dp.AdaSSPWangCoded, dp.REPLACE_ONE),
    (dp.ConstSSPFullPiazza, dp.REPLACE_ONE),
    (dp.SSPPiazza, dp.REPLACE_ONE),
}


def certified() -> list[tuple[type, object]]:
    """Every regression and relation that is certified at (1, 1e-6), as is said above."""
    return [
        (cls, relation)
        for cls, verdicts in REGRESSIONS.items()
        for relation, every in zip(RELATIONS, verdicts, strict=True)
        if every or (cls, relation) in AT_NUMBERS
    ]


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
        abstract = inspect.isabstract(cls) or (cls.__doc__ or "").startswith("Abstract")
        if cls.__module__.partition(".")[0] == "dpframe" and not abstract:
            # attrs makes a second class where it adds slots: the module's is the one that counts
            home = sys.modules.get(cls.__module__)
            found[f"{cls.__module__}.{cls.__qualname__}"] = getattr(home, cls.__name__, cls)
    return [found[name] for name in sorted(found) if found[name] not in COMBINATORS | TRUSTED]


def complaints(found: Iterable[type], samples: Mapping[type, object], exported: object) -> list:
    """What is missing: an export in the package (`exported.__all__`), a sample in this file."""
    missing = []
    for cls in found:
        name = cls.__name__
        if name not in exported.__all__ or getattr(exported, name, None) is not cls:
            missing.append(f"{name} is not exported by {exported.__name__}")
        if cls not in samples:
            missing.append(f"{name} has no sample in tests/support/samples.py")
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
