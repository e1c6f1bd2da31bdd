"""Every regression, in the order in which pages list them; importing this file loads all."""

from collections.abc import Sequence

from dpframe import literature, regressions
from dpframe.graph import Regression
from dpframe.regressions import Tuned

NAMES = """
JointSSP SSP SSPPiazza SSPWang SSPWangCoded SSPThesis SSPThesisSplit SSPStatsmodels AdaSSP
AdaSSPWang AdaSSPWangCoded AdaSSPPiazza AdaSSPThesis AdaSSPGoogle AdaSSPHessianMix AdaSSPBudget
AdaSSPBudgetTight ConstSSPFull ConstSSPFullPiazza OPSBalanced OPSPrinted OPSBalancedCoded
OPSConcentrated OPSConcentratedCoded OPSDiffused OPSDiffusedCoded OPSConservative
OPSConservativeCoded AdaOPS AdaOPSRepaired AdaOPSPrinted AdaOPSCoded ObjPert ObjPertPure
ObjPertPrinted ObjPertCoded ApproximateMinima FunctionalLinear FunctionalLinearPrinted
FunctionalLinearTrimmed FunctionalLinearUnrepaired FunctionalRidge FunctionalRidgePrinted
FunctionalLasso FunctionalLassoPrinted FunctionalElasticNet FunctionalElasticNetPrinted
DiffprivlibWithIntercept DiffprivlibNoIntercept DPME OutputPerturbation OutputPerturbationPure
LogisticOutputPerturbation LogisticDescent HuberOutputPerturbation NoisyGradientDescent
NoisyGradientDescentPrinted NoisySGD AMBSSGD AdaptiveGradientDescent BoostedAdaSSP
BoostedAdaSSPCoded BoostedAdaSSPKendall HessianMixing HessianMixingCoded BayesianSSP BayesianSSPPure
BayesianSSPCoded Standardised RobustSSP RobustAdaSSP RobustQuantileSSP ThesisStandardised
ThesisRowNorm ThesisMaxNorm ThesisClipped SubAgg SubAggPure SubAggSmith Tukey TukeyPure TukeyCoded
TheilSen PersonalizedRidge PersonalizedRidgePrinted PersonalizedRidgeKnownBound UniformRidge
SampledRidge SampledRidgeCoded PersonalizedObjective PersonalizedSSP PersonalizedAdaSSP OLS
LeastSquaresDPrivStats Ridge Lasso ElasticNet ZeroPredictor PublicMean
""".split()  # noqa: SIM905 - a list of words
REGRESSIONS: tuple[type[Regression], ...] = tuple(
    getattr(regressions if name in dir(regressions) else literature, name) for name in NAMES
)


def together(classes: Sequence[type[Regression]]) -> list[type[Regression]]:
    """The same, families together, in the order of their first member."""
    families = list(dict.fromkeys(map(family, classes)))
    return sorted(classes, key=lambda cls: families.index(family(cls)))


def everything() -> tuple[type[Regression], ...]:
    """All of dpframe's regressions, also those made of others."""
    return tuple(dict.fromkeys((*REGRESSIONS, Tuned)))


def family(cls: type[Regression]) -> str:
    """`functional mechanism` for the title `functional mechanism, LASSO`."""
    return cls.title.partition(",")[0]


def about(cls: type[Regression]) -> dict[str, str]:
    """What it is, as JSON values, which needs no proof."""
    return {
        "name": cls.__name__,
        "title": cls.title,
        "paper": cls.paper,
        "variant": cls.variant,
        "summary": summary(cls),
        "use": cls.use,
    }


def summary(cls: type[Regression]) -> str:
    """The first paragraph of its docstring, on one line."""
    return " ".join((cls.__doc__ or "").partition("\n\n")[0].split())
