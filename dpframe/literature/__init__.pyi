from .adaops_published import AdaOPSCoded as AdaOPSCoded
from .adaops_published import AdaOPSPrinted as AdaOPSPrinted
from .adassp_published import AdaSSPBudget as AdaSSPBudget
from .adassp_published import AdaSSPGoogle as AdaSSPGoogle
from .adassp_published import AdaSSPHessianMix as AdaSSPHessianMix
from .adassp_published import AdaSSPPiazza as AdaSSPPiazza
from .adassp_published import AdaSSPThesis as AdaSSPThesis
from .adassp_published import AdaSSPWang as AdaSSPWang
from .adassp_published import AdaSSPWangCoded as AdaSSPWangCoded
from .boosted_published import BoostedAdaSSPCoded as BoostedAdaSSPCoded
from .boosted_published import BoostedAdaSSPKendall as BoostedAdaSSPKendall
from .boosted_published import HessianMixingCoded as HessianMixingCoded
from .every import REGRESSIONS as REGRESSIONS
from .functional_published import FunctionalElasticNetPrinted as FunctionalElasticNetPrinted
from .functional_published import FunctionalLassoPrinted as FunctionalLassoPrinted
from .functional_published import FunctionalLinearPrinted as FunctionalLinearPrinted
from .functional_published import FunctionalRidgePrinted as FunctionalRidgePrinted
from .gradient_descent_published import NoisyGradientDescentPrinted as NoisyGradientDescentPrinted
from .libraries import DiffprivlibNoIntercept as DiffprivlibNoIntercept
from .libraries import DiffprivlibWithIntercept as DiffprivlibWithIntercept
from .libraries import LeastSquaresDPrivStats as LeastSquaresDPrivStats
from .objective_perturbation_published import ObjPertCoded as ObjPertCoded
from .objective_perturbation_published import ObjPertPrinted as ObjPertPrinted
from .ops_published import OPSBalancedCoded as OPSBalancedCoded
from .ops_published import OPSConcentratedCoded as OPSConcentratedCoded
from .ops_published import OPSConservativeCoded as OPSConservativeCoded
from .ops_published import OPSDiffusedCoded as OPSDiffusedCoded
from .ops_published import OPSPrinted as OPSPrinted
from .personalized_published import (
    PersonalizedRidgeKnownBound as PersonalizedRidgeKnownBound,
)
from .personalized_published import (
    PersonalizedRidgePrinted as PersonalizedRidgePrinted,
)
from .personalized_published import SampledRidgeCoded as SampledRidgeCoded
from .personalized_published import UniformRidge as UniformRidge
from .ssp_published import BayesianSSPCoded as BayesianSSPCoded
from .ssp_published import ConstSSPFullPiazza as ConstSSPFullPiazza
from .ssp_published import SSPPiazza as SSPPiazza
from .ssp_published import SSPStatsmodels as SSPStatsmodels
from .ssp_published import SSPThesis as SSPThesis
from .ssp_published import SSPThesisSplit as SSPThesisSplit
from .ssp_published import SSPWang as SSPWang
from .ssp_published import SSPWangCoded as SSPWangCoded
from .sub_agg_published import SubAggSmith as SubAggSmith
from .sub_agg_published import TukeyCoded as TukeyCoded
from .thesis_published import ThesisClipped as ThesisClipped
from .thesis_published import ThesisMaxNorm as ThesisMaxNorm
from .thesis_published import ThesisRowNorm as ThesisRowNorm
from .thesis_published import ThesisStandardised as ThesisStandardised
