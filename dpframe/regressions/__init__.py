"""One declaration a file, each citing its paper; variants as printed, as coded, as dpframe
recommends it.
"""

from .adaops import AdaOPS, AdaOPSRepaired
from .adaops_published import AdaOPSCoded, AdaOPSPrinted
from .adassp import AdaSSP, AdaSSPPiazza, AdaSSPThesis, AdaSSPWang, AdaSSPWangCoded
from .adassp_budget import AdaSSPBudget, AdaSSPBudgetTight
from .baselines import OLS, PublicMean, Ridge, ZeroPredictor
from .boosted import BoostedAdaSSP, BoostedAdaSSPCoded
from .const_ssp import ConstSSPFull, ConstSSPFullPiazza
from .dpme import DPME
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
from .huber_output_perturbation import HuberOutputPerturbation
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
)
from .output_perturbation import (
    LogisticOutputPerturbation,
    OutputPerturbation,
    OutputPerturbationPure,
)
from .robust import RobustAdaSSP, RobustQuantileSSP, RobustSSP
from .solve import Fit
from .ssp import SSP, SSPPiazza, SSPWang, SSPWangCoded
from .standardised import Standardised
from .sub_agg import SubAgg, SubAggPure, SubAggSmith
from .thesis_printed import ThesisClipped, ThesisMaxNorm, ThesisStandardised
from .tuned import Tuned

REGRESSIONS = (
    SSP,
    SSPPiazza,
    SSPWang,
    SSPWangCoded,
    AdaSSP,
    AdaSSPWang,
    AdaSSPWangCoded,
    AdaSSPPiazza,
    AdaSSPThesis,
    AdaSSPBudget,
    AdaSSPBudgetTight,
    ConstSSPFull,
    ConstSSPFullPiazza,
    OPSBalanced,
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
    DPME,
    OutputPerturbation,
    OutputPerturbationPure,
    LogisticOutputPerturbation,
    HuberOutputPerturbation,
    NoisyGradientDescent,
    NoisySGD,
    BoostedAdaSSP,
    BoostedAdaSSPCoded,
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
    OLS,
    Ridge,
    ZeroPredictor,
    PublicMean,
)

__all__ = [
    "DPME",
    "OLS",
    "REGRESSIONS",
    "SSP",
    "AdaOPS",
    "AdaOPSCoded",
    "AdaOPSPrinted",
    "AdaOPSRepaired",
    "AdaSSP",
    "AdaSSPBudget",
    "AdaSSPBudgetTight",
    "AdaSSPPiazza",
    "AdaSSPThesis",
    "AdaSSPWang",
    "AdaSSPWangCoded",
    "ApproximateMinima",
    "BoostedAdaSSP",
    "BoostedAdaSSPCoded",
    "ConstSSPFull",
    "ConstSSPFullPiazza",
    "Fit",
    "FunctionalElasticNet",
    "FunctionalElasticNetPrinted",
    "FunctionalLasso",
    "FunctionalLassoPrinted",
    "FunctionalLinear",
    "FunctionalLinearPrinted",
    "FunctionalLinearTrimmed",
    "FunctionalLinearUnrepaired",
    "FunctionalRidge",
    "FunctionalRidgePrinted",
    "HuberOutputPerturbation",
    "LogisticOutputPerturbation",
    "NoisyGradientDescent",
    "NoisySGD",
    "OPSBalanced",
    "OPSBalancedCoded",
    "OPSConcentrated",
    "OPSConcentratedCoded",
    "OPSConservative",
    "OPSConservativeCoded",
    "OPSDiffused",
    "OPSDiffusedCoded",
    "ObjPert",
    "ObjPertCoded",
    "ObjPertPrinted",
    "ObjPertPure",
    "OutputPerturbation",
    "OutputPerturbationPure",
    "PublicMean",
    "Ridge",
    "RobustAdaSSP",
    "RobustQuantileSSP",
    "RobustSSP",
    "SSPPiazza",
    "SSPWang",
    "SSPWangCoded",
    "Standardised",
    "SubAgg",
    "SubAggPure",
    "SubAggSmith",
    "ThesisClipped",
    "ThesisMaxNorm",
    "ThesisStandardised",
    "Tuned",
    "ZeroPredictor",
]
