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
from dpframe.audits.descriptions.stated import StatedStatistic
from dpframe.graph import procedure as ob
from dpframe.graph import statistics as st
from dpframe.graph.maps import bounds, scaled
from dpframe.graph.maps.bounds import Encoded

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


def wide(relation=dp.ADD_REMOVE, **more):
    """A setting in which norm, bound and rows per person are parameters."""
    free = {"norm": dp.parameter("B", 0), "bound": dp.parameter("Y", 0)}
    free["rows_per_person"] = dp.parameter("k", 1, integer=True, closed="left")
    return setting(relation, **(free | more))


NOISES = {  # noise of this size
    dp.Gaussian: lambda size: dp.Gaussian(std=size),
    dp.Laplace: lambda size: dp.Laplace(scale=size),
    dp.DiscreteLaplace: lambda size: dp.DiscreteLaplace(scale=size),
    dp.DiscreteGaussian: lambda size: dp.DiscreteGaussian(std=size),
    dp.L2Laplace: lambda size: dp.L2Laplace(scale=size),
    dp.mechanisms.MirroredGaussian: lambda size: dp.mechanisms.MirroredGaussian(std=size),
    dp.mechanisms.FullGaussian: lambda size: dp.mechanisms.FullGaussian(std=size),
}

SELECTIONS = {  # selections with this scale, which release an index
    dp.mechanisms.ExponentialSelection: lambda size: dp.mechanisms.ExponentialSelection(scale=size),
    dp.mechanisms.GumbelSelection: lambda size: dp.mechanisms.GumbelSelection(scale=size),
    dp.mechanisms.PermuteAndFlipSelection: lambda size: dp.mechanisms.PermuteAndFlipSelection(
        scale=size
    ),
    dp.mechanisms.ExponentialNoiseSelection: lambda size: dp.mechanisms.ExponentialNoiseSelection(
        scale=size
    ),
    dp.mechanisms.LaplaceSelection: lambda size: dp.mechanisms.LaplaceSelection(scale=size),
}

MECHANISMS = {  # one that hides more the larger the number
    **NOISES,
    **SELECTIONS,
    dp.mechanisms.BlackBox: lambda size: dp.mechanisms.BlackBox(
        dp.PureDP(1 / Fraction(size)), name="a table"
    ),
    dp.mechanisms.CorrelatedGaussian: lambda size: dp.mechanisms.CorrelatedGaussian(
        [[2 * size, size], [size, size]]
    ),
    dp.mechanisms.RandomizedResponse: lambda size: dp.mechanisms.RandomizedResponse(
        1 / Fraction(size), categories=3
    ),
    dp.mechanisms.PoissonSubsampled: lambda size: dp.mechanisms.PoissonSubsampled(
        dp.Gaussian(std=size), rate="1/9"
    ),
    dp.mechanisms.SubsampledWithoutReplacement: lambda size: (
        dp.mechanisms.SubsampledWithoutReplacement(dp.Laplace(scale=size), size=3, of=20)
    ),
}

LOSSES = {  # losses small, ordinary and large
    dp.pld.GaussianLoss: [
        dp.pld.GaussianLoss(mu) for mu in (Fraction(1, 10**6), Fraction(1, 3), 1, 9)
    ],
    dp.pld.LaplaceLoss: [
        dp.pld.LaplaceLoss(e) for e in (Fraction(1, 10**8), Fraction(1, 7), 1, 4, 60)
    ],
    dp.pld.ResponseLoss: [
        dp.pld.ResponseLoss(Fraction(1, 10**8)),
        dp.pld.ResponseLoss(Fraction(1, 7), Fraction(1, 10**6)),
        dp.pld.ResponseLoss(1),
        dp.pld.ResponseLoss(50, Fraction(1, 3)),
    ],
    dp.pld.DiscreteLaplaceLoss: [
        dp.pld.DiscreteLaplaceLoss(Fraction(rate), shift)
        for rate, shift in (("1e-12", 1), ("1/9", 1), ("1/50", 40), (1, 1), ("3/2", 3), (30, 2))
    ],
    dp.pld.DiscreteGaussianLoss: [
        dp.pld.DiscreteGaussianLoss(Fraction(variance), shift)
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
    dp.pld.CategoricalLoss: [
        dp.pld.CategoricalLoss(Fraction(epsilon), k)
        for epsilon, k in (("1e-9", 2), ("1/3", 3), (2, 2), (2, 1000), (40, 10**9))
    ],
    dp.pld.OddsLoss: [
        dp.pld.OddsLoss(Fraction(excess), k)
        for excess, k in (("1e-9", 2), (2, 2), (9, 5), (10**20, 3))
    ],
}

OWN_SUITES = {
    dp.pld.SubsampledGaussianLoss
}  # losses whose balls are too slow for the general suite

CALIBRATIONS = {  # a budget at which the theorem holds: (epsilon, delta)
    dp.Gaussian.classical: ("0.9", "1e-6"),
    dp.Gaussian.kamath_ullman: ("2.5", "1e-6"),
    dp.Gaussian.analytic: ("3", "1e-6"),
    dp.Laplace.pure: ("2", "1e-6"),
    dp.DiscreteLaplace.pure: ("2", "1e-6"),
    dp.DiscreteGaussian.concentrated: ("2", "1e-6"),
    dp.L2Laplace.pure: ("2", "1e-6"),
    **{one.pure: ("2", "1e-6") for one in SELECTIONS},
}

ACCOUNTANTS = {
    BasicAccountant: [dp.ApproxDP(1, "1e-6"), dp.ApproxDP("1/2", "1e-7"), dp.PureDP("1/3")],
    GaussianAccountant: [dp.GaussianDP(3), dp.GaussianDP(4), dp.GaussianDP("1/2")],
    ConcentratedAccountant: [dp.ZeroConcentratedDP(1), dp.ZeroConcentratedDP("1/3")],
    dp.accountants.NumericAccountant: [dp.GaussianDP(1), dp.pld.LaplaceLoss(1), dp.PureDP("1/2")],
    dp.accountants.OptimalAccountant: [
        dp.PureDP(1),
        dp.ApproxDP("1/2", "1e-7"),
        dp.pld.ResponseLoss(2),
    ],
    dp.accountants.RenyiAccountant: [
        dp.ZeroConcentratedDP("1/3"),
        dp.pld.LaplaceLoss(1),
        dp.GaussianDP("1/2"),
    ],
}


def tested_median(X, y):
    """A median that is released if its test passes."""
    del X
    counts = dp.graph.bin_counts(y, [-1, 0, "1/2"])
    test = dp.release(dp.graph.median_distance(counts, 1), dp.Laplace(scale=1), name="test")
    low = dp.graph.lower_bound(test, "1e-9", name="low")
    return dp.graph.tested_median(counts, 1, low)


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
    st.Argmin: lambda X, y: dp.graph.argmin(X, y, dp.graph.Squared(), 4, radius=3),
    st.SufficientStatistics: lambda X, y: dp.graph.sufficient_statistics(X, y, constant=True),
    st.Monomials: dp.graph.monomials,
    st.Histogram: lambda X, y: dp.graph.histogram(X, y, 2),
    st.ColumnSquares: lambda X, y: dp.graph.column_squares(X),
    st.BinCounts: lambda X, y: dp.graph.bin_counts(X, (Fraction(-1, 2), 0, 1)),
    st.BinnedSums: lambda X, y: dp.graph.binned_sums(X, y, [-1, 0, "1/2"]),
    st.Factored: lambda X, y: dp.graph.factored(
        dp.graph.binned_sums(X, y, [-1, 0, "1/2"]), "square_root"
    ),
    st.MedianDistance: lambda X, y: dp.graph.median_distance(
        dp.graph.bin_counts(y, [-1, 0, "1/2"]), 1
    ),
    st.TestedMedian: tested_median,
    st.NormCounts: lambda X, y: st.NormCounts(X, (Fraction(1, 2), 1)),
    st.CellCount: lambda X, y: dp.graph.partition_at(X, y, [0]).count(1),
    st.CellSums: lambda X, y: st.CellSums(dp.graph.partition_at(X, y, [0])),
    st.BlockEstimates: lambda X, y: st.BlockEstimates(dp.graph.partition_at(X, y, [0]), 1, "1/2"),
    st.LogResidual: lambda X, y: dp.graph.log_residual(X.T @ X, X.T @ y, 4),
    st.Stack: lambda X, y: dp.graph.stack(X.T @ X, X.T @ y),
    st.RawAggregate: lambda X, y: dp.graph.aggregate("max_abs", X),
    st.Identity: lambda X, y: st.Identity(X),
}
# maps of rows or labels by themselves, and not onto a grid -> one of (X, y), of three columns
MAPS = {
    bounds.ClipNorm: lambda X, y: X.clip(norm=1),
    bounds.Normalized: lambda X, y: X.normalized(),
    bounds.Box: lambda X, y: X.boxed("1/2"),
    bounds.Capped: lambda X, y: bounds.Capped(X, "1/2"),
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
CONDITIONAL = {st.TestedMedian}  # bounded where a bound holds: tests/prover/test_bins.py
UNBOUNDED = {st.RawAggregate, st.Identity}  # no rule bounds them: they exist to be refused

TRUSTED = {StatedStatistic}  # taken on their word, by name: tests/descriptions

# declarations made of others, with suites of their own
COMBINATORS = {dp.regressions.Jointly, dp.audits.Resplit, dp.regressions.Tuned}

BOTH, NEITHER = (True, True), (False, False)
# regression -> whether it is certified under add/remove, under replace-one (all symbols free)
REGRESSIONS = {
    dp.SSP: BOTH,
    dp.literature.SSPPiazza: (True, False),
    dp.literature.SSPWang: (True, False),
    dp.literature.SSPWangCoded: NEITHER,
    dp.literature.SSPThesis: NEITHER,
    dp.literature.SSPThesisSplit: (True, False),
    dp.literature.SSPStatsmodels: (False, True),
    dp.AdaSSP: BOTH,
    dp.literature.AdaSSPWang: (True, False),
    dp.literature.AdaSSPWangCoded: (True, False),
    dp.literature.AdaSSPPiazza: BOTH,
    dp.literature.AdaSSPThesis: BOTH,
    dp.literature.AdaSSPGoogle: NEITHER,
    dp.literature.AdaSSPHessianMix: NEITHER,
    dp.literature.AdaSSPBudget: BOTH,
    dp.regressions.AdaSSPBudgetTight: BOTH,
    dp.regressions.ConstSSPFull: BOTH,
    dp.literature.ConstSSPFullPiazza: (True, False),
    dp.regressions.OPSBalanced: (False, True),
    dp.regressions.OPSConcentrated: (False, True),
    dp.regressions.OPSDiffused: (False, True),
    dp.regressions.OPSConservative: (False, True),
    dp.literature.OPSPrinted: NEITHER,
    dp.literature.OPSBalancedCoded: NEITHER,
    dp.literature.OPSConcentratedCoded: NEITHER,
    dp.literature.OPSDiffusedCoded: NEITHER,
    dp.literature.OPSConservativeCoded: NEITHER,
    dp.regressions.AdaOPS: BOTH,
    dp.regressions.AdaOPSRepaired: BOTH,
    dp.literature.AdaOPSPrinted: NEITHER,
    dp.literature.AdaOPSCoded: NEITHER,
    dp.regressions.ObjPert: BOTH,
    dp.regressions.ObjPertPure: BOTH,
    dp.literature.ObjPertPrinted: (True, False),
    dp.literature.ObjPertCoded: NEITHER,
    dp.regressions.ApproximateMinima: BOTH,
    dp.regressions.OLS: NEITHER,
    dp.literature.LeastSquaresDPrivStats: NEITHER,
    dp.regressions.Ridge: NEITHER,
    dp.regressions.Lasso: NEITHER,
    dp.regressions.ElasticNet: NEITHER,
    dp.regressions.ZeroPredictor: NEITHER,
    dp.regressions.PublicMean: NEITHER,
    dp.regressions.FunctionalLinear: BOTH,
    dp.literature.FunctionalLinearPrinted: BOTH,
    dp.regressions.FunctionalLinearTrimmed: BOTH,
    dp.regressions.FunctionalLinearUnrepaired: BOTH,
    dp.regressions.FunctionalRidge: BOTH,
    dp.literature.FunctionalRidgePrinted: BOTH,
    dp.regressions.FunctionalLasso: BOTH,
    dp.literature.FunctionalLassoPrinted: BOTH,
    dp.regressions.FunctionalElasticNet: BOTH,
    dp.literature.FunctionalElasticNetPrinted: BOTH,
    dp.literature.DiffprivlibWithIntercept: NEITHER,
    dp.literature.DiffprivlibNoIntercept: NEITHER,
    dp.regressions.DPME: BOTH,
    dp.regressions.OutputPerturbation: BOTH,
    dp.regressions.OutputPerturbationPure: BOTH,
    dp.regressions.LogisticOutputPerturbation: BOTH,
    dp.regressions.LogisticDescent: BOTH,
    dp.regressions.HuberOutputPerturbation: BOTH,
    dp.regressions.NoisyGradientDescent: BOTH,
    dp.literature.NoisyGradientDescentPrinted: (False, True),
    dp.regressions.NoisySGD: BOTH,
    dp.regressions.AMBSSGD: BOTH,
    dp.JointSSP: BOTH,
    dp.regressions.AdaptiveGradientDescent: BOTH,
    dp.regressions.BoostedAdaSSP: BOTH,
    dp.literature.BoostedAdaSSPCoded: NEITHER,
    dp.literature.BoostedAdaSSPKendall: NEITHER,
    dp.regressions.HessianMixing: BOTH,
    dp.literature.HessianMixingCoded: NEITHER,
    dp.regressions.BayesianSSP: BOTH,
    dp.regressions.BayesianSSPPure: BOTH,
    dp.literature.BayesianSSPCoded: NEITHER,
    dp.regressions.Standardised: BOTH,
    dp.regressions.RobustSSP: BOTH,
    dp.regressions.RobustAdaSSP: BOTH,
    dp.regressions.RobustQuantileSSP: BOTH,
    dp.literature.ThesisStandardised: NEITHER,
    dp.literature.ThesisRowNorm: NEITHER,
    dp.literature.ThesisMaxNorm: NEITHER,
    dp.literature.ThesisClipped: NEITHER,
    dp.regressions.SubAgg: BOTH,
    dp.regressions.SubAggPure: BOTH,
    dp.literature.SubAggSmith: (True, False),
    dp.regressions.Tukey: BOTH,
    dp.regressions.TukeyPure: BOTH,
    dp.regressions.TheilSen: BOTH,
    dp.literature.TukeyCoded: NEITHER,
    dp.PersonalizedRidge: (False, True),
    dp.literature.PersonalizedRidgePrinted: (False, True),
    dp.literature.PersonalizedRidgeKnownBound: (False, True),
    dp.literature.UniformRidge: (False, True),
    dp.regressions.SampledRidge: BOTH,
    dp.literature.SampledRidgeCoded: NEITHER,
    dp.regressions.PersonalizedObjective: (False, True),
    dp.regressions.PersonalizedSSP: BOTH,
    dp.regressions.PersonalizedAdaSSP: BOTH,
}
AT_NUMBERS = {  # refused as claims for every epsilon and delta, certified at (1, 1e-6)
    (dp.literature.AdaSSPWang, dp.REPLACE_ONE),
    (dp.literature.AdaSSPWangCoded, dp.REPLACE_ONE),
    (dp.literature.ConstSSPFullPiazza, dp.REPLACE_ONE),
    (dp.literature.SSPPiazza, dp.REPLACE_ONE),
    (dp.literature.SSPThesisSplit, dp.REPLACE_ONE),
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


def regression(name: str) -> type[dp.Regression]:
    """A shipped declaration by its name."""
    return {cls.__name__: cls for cls in dp.literature.REGRESSIONS}[name]


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


def declared(body) -> dp.Regression:
    """A regression whose `declare` is a function of X, y and the budget."""

    class Declared(dp.Regression):
        def declare(self, X, y, budget):
            return body(X, y, budget)

    return Declared()


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
