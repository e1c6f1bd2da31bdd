"""Every regression, in the order in which pages list them; importing this file loads all."""

from collections.abc import Sequence

from dpframe.graph import Regression
from dpframe.literature.adassp_published import (
    AdaSSPBudget,
    AdaSSPPiazza,
    AdaSSPThesis,
    AdaSSPWang,
    AdaSSPWangCoded,
)
from dpframe.literature.bayesian_published import BayesianSSPCoded
from dpframe.literature.boosted_published import BoostedAdaSSPCoded, BoostedAdaSSPKendall
from dpframe.literature.hessian_mixing_published import HessianMixingCoded
from dpframe.literature.objective_perturbation_published import ObjPertCoded, ObjPertPrinted
from dpframe.literature.ops_published import (
    OPSBalancedCoded,
    OPSConcentratedCoded,
    OPSConservativeCoded,
    OPSDiffusedCoded,
    OPSPrinted,
)
from dpframe.literature.personalized_published import (
    PersonalizedRidgeKnownBound,
    PersonalizedRidgePrinted,
    SampledRidgeCoded,
    UniformRidge,
)
from dpframe.literature.ssp_published import ConstSSPFullPiazza, SSPPiazza, SSPWang, SSPWangCoded
from dpframe.literature.sub_agg_published import SubAggSmith
from dpframe.literature.tukey_published import TukeyCoded
from dpframe.regressions.adaops import AdaOPS, AdaOPSRepaired
from dpframe.regressions.ambssgd import AMBSSGD, AdaptiveGradientDescent
from dpframe.regressions.baselines import (
    OLS,
    ElasticNet,
    Lasso,
    PublicMean,
    Ridge,
    ZeroPredictor,
)
from dpframe.regressions.bayesian import BayesianSSP, BayesianSSPPure
from dpframe.regressions.functional import (
    DPME,
    FunctionalElasticNet,
    FunctionalLasso,
    FunctionalLinear,
    FunctionalLinearTrimmed,
    FunctionalLinearUnrepaired,
    FunctionalRidge,
)
from dpframe.regressions.gradient_descent import BoostedAdaSSP, NoisyGradientDescent, NoisySGD
from dpframe.regressions.hessian_mixing import HessianMixing
from dpframe.regressions.joint_ssp import JointSSP
from dpframe.regressions.logistic_descent import LogisticDescent
from dpframe.regressions.many_models import SubAgg, SubAggPure, TheilSen, Tukey, TukeyPure
from dpframe.regressions.ops import OPSBalanced, OPSConcentrated, OPSConservative, OPSDiffused
from dpframe.regressions.personalized import (
    PersonalizedAdaSSP,
    PersonalizedObjective,
    PersonalizedRidge,
    PersonalizedSSP,
    SampledRidge,
)
from dpframe.regressions.perturbation import (
    ApproximateMinima,
    HuberOutputPerturbation,
    LogisticOutputPerturbation,
    ObjPert,
    ObjPertPure,
    OutputPerturbation,
    OutputPerturbationPure,
)
from dpframe.regressions.ssp import SSP, AdaSSP, AdaSSPBudgetTight, ConstSSPFull
from dpframe.regressions.standardised import (
    RobustAdaSSP,
    RobustQuantileSSP,
    RobustSSP,
    Standardised,
)
from dpframe.regressions.tuned import Tuned

from .adaops_published import AdaOPSCoded, AdaOPSPrinted
from .adassp_published import AdaSSPGoogle, AdaSSPHessianMix
from .diffprivlib import DiffprivlibNoIntercept, DiffprivlibWithIntercept
from .dprivstats import LeastSquaresDPrivStats
from .functional_published import (
    FunctionalElasticNetPrinted,
    FunctionalLassoPrinted,
    FunctionalLinearPrinted,
    FunctionalRidgePrinted,
)
from .gradient_descent_published import NoisyGradientDescentPrinted
from .ssp_published import SSPStatsmodels, SSPThesis, SSPThesisSplit
from .thesis_published import (
    ThesisClipped,
    ThesisMaxNorm,
    ThesisRowNorm,
    ThesisStandardised,
)

REGRESSIONS = (
    JointSSP,
    SSP,
    SSPPiazza,
    SSPWang,
    SSPWangCoded,
    SSPThesis,
    SSPThesisSplit,
    SSPStatsmodels,
    AdaSSP,
    AdaSSPWang,
    AdaSSPWangCoded,
    AdaSSPPiazza,
    AdaSSPThesis,
    AdaSSPGoogle,
    AdaSSPHessianMix,
    AdaSSPBudget,
    AdaSSPBudgetTight,
    ConstSSPFull,
    ConstSSPFullPiazza,
    OPSBalanced,
    OPSPrinted,
    OPSBalancedCoded,
    OPSConcentrated,
    OPSConcentratedCoded,
    OPSDiffused,
    OPSDiffusedCoded,
    OPSConservative,
    OPSConservativeCoded,
    AdaOPS,
    AdaOPSRepaired,
    AdaOPSPrinted,
    AdaOPSCoded,
    ObjPert,
    ObjPertPure,
    ObjPertPrinted,
    ObjPertCoded,
    ApproximateMinima,
    FunctionalLinear,
    FunctionalLinearPrinted,
    FunctionalLinearTrimmed,
    FunctionalLinearUnrepaired,
    FunctionalRidge,
    FunctionalRidgePrinted,
    FunctionalLasso,
    FunctionalLassoPrinted,
    FunctionalElasticNet,
    FunctionalElasticNetPrinted,
    DiffprivlibWithIntercept,
    DiffprivlibNoIntercept,
    DPME,
    OutputPerturbation,
    OutputPerturbationPure,
    LogisticOutputPerturbation,
    LogisticDescent,
    HuberOutputPerturbation,
    NoisyGradientDescent,
    NoisyGradientDescentPrinted,
    NoisySGD,
    AMBSSGD,
    AdaptiveGradientDescent,
    BoostedAdaSSP,
    BoostedAdaSSPCoded,
    BoostedAdaSSPKendall,
    HessianMixing,
    HessianMixingCoded,
    BayesianSSP,
    BayesianSSPPure,
    BayesianSSPCoded,
    Standardised,
    RobustSSP,
    RobustAdaSSP,
    RobustQuantileSSP,
    ThesisStandardised,
    ThesisRowNorm,
    ThesisMaxNorm,
    ThesisClipped,
    SubAgg,
    SubAggPure,
    SubAggSmith,
    Tukey,
    TukeyPure,
    TukeyCoded,
    TheilSen,
    PersonalizedRidge,
    PersonalizedRidgePrinted,
    PersonalizedRidgeKnownBound,
    UniformRidge,
    SampledRidge,
    SampledRidgeCoded,
    PersonalizedObjective,
    PersonalizedSSP,
    PersonalizedAdaSSP,
    OLS,
    LeastSquaresDPrivStats,
    Ridge,
    Lasso,
    ElasticNet,
    ZeroPredictor,
    PublicMean,
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
