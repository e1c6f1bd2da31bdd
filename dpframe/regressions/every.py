"""Every regression, in the order in which pages list them; importing this file loads all."""

from .adaops import AdaOPS, AdaOPSRepaired
from .adaops_published import AdaOPSCoded, AdaOPSPrinted
from .adassp import AdaSSP, AdaSSPPiazza, AdaSSPThesis, AdaSSPWang, AdaSSPWangCoded
from .adassp_budget import AdaSSPBudget, AdaSSPBudgetTight
from .adassp_elsewhere import AdaSSPGoogle, AdaSSPHessianMix
from .ambssgd import AMBSSGD, AdaptiveGradientDescent
from .baselines import OLS, PublicMean, Ridge, ZeroPredictor
from .bayesian import BayesianSSP, BayesianSSPCoded, BayesianSSPPure
from .boosted import BoostedAdaSSP, BoostedAdaSSPCoded
from .const_ssp import ConstSSPFull, ConstSSPFullPiazza
from .diffprivlib import DiffprivlibNoIntercept, DiffprivlibWithIntercept
from .dpme import DPME
from .dprivstats import LeastSquaresDPrivStats
from .functional import (
    FunctionalElasticNet,
    FunctionalLasso,
    FunctionalLinear,
    FunctionalLinearTrimmed,
    FunctionalLinearUnrepaired,
    FunctionalRidge,
)
from .functional_printed import (
    FunctionalElasticNetPrinted,
    FunctionalLassoPrinted,
    FunctionalLinearPrinted,
    FunctionalRidgePrinted,
)
from .gradient_descent import NoisyGradientDescent
from .gradient_descent_printed import NoisyGradientDescentPrinted
from .hessian_mixing import HessianMixing, HessianMixingCoded
from .huber_output_perturbation import HuberOutputPerturbation
from .joint_ssp import JointSSP
from .kendall import BoostedAdaSSPKendall
from .noisy_sgd import NoisySGD
from .objective_perturbation import (
    ApproximateMinima,
    ObjPert,
    ObjPertCoded,
    ObjPertPrinted,
    ObjPertPure,
)
from .ops import (
    OPSBalanced,
    OPSBalancedCoded,
    OPSConcentrated,
    OPSConcentratedCoded,
    OPSConservative,
    OPSConservativeCoded,
    OPSDiffused,
    OPSDiffusedCoded,
    OPSPrinted,
)
from .output_perturbation import (
    LogisticOutputPerturbation,
    OutputPerturbation,
    OutputPerturbationPure,
)
from .personalized import (
    PersonalizedRidge,
    PersonalizedRidgePrinted,
    SampledRidge,
    SampledRidgeCoded,
    UniformRidge,
)
from .personalized_objective import PersonalizedObjective
from .personalized_ssp import PersonalizedAdaSSP, PersonalizedSSP
from .robust import RobustAdaSSP, RobustQuantileSSP, RobustSSP
from .ssp import SSP, SSPPiazza, SSPWang, SSPWangCoded
from .ssp_elsewhere import SSPStatsmodels, SSPThesis
from .standardised import Standardised
from .sub_agg import SubAgg, SubAggPure, SubAggSmith
from .thesis_printed import ThesisClipped, ThesisMaxNorm, ThesisStandardised
from .tukey import Tukey, TukeyCoded, TukeyPure

REGRESSIONS = (
    JointSSP,
    SSP,
    SSPPiazza,
    SSPWang,
    SSPWangCoded,
    SSPThesis,
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
    ThesisMaxNorm,
    ThesisClipped,
    SubAgg,
    SubAggPure,
    SubAggSmith,
    Tukey,
    TukeyPure,
    TukeyCoded,
    PersonalizedRidge,
    PersonalizedRidgePrinted,
    UniformRidge,
    SampledRidge,
    SampledRidgeCoded,
    PersonalizedObjective,
    PersonalizedSSP,
    PersonalizedAdaSSP,
    OLS,
    LeastSquaresDPrivStats,
    Ridge,
    ZeroPredictor,
    PublicMean,
)
