from .boosted_published import BoostedAdaSSPCoded as BoostedAdaSSPCoded
from .boosted_published import BoostedAdaSSPKendall as BoostedAdaSSPKendall
from .boosted_published import HessianMixingCoded as HessianMixingCoded
from .boosted_published import NoisyGradientDescentPrinted as NoisyGradientDescentPrinted
from .every import REGRESSIONS as REGRESSIONS
from .libraries import DiffprivlibNoIntercept as DiffprivlibNoIntercept
from .libraries import DiffprivlibWithIntercept as DiffprivlibWithIntercept
from .libraries import LeastSquaresDPrivStats as LeastSquaresDPrivStats
from .many_models_published import SubAggSmith as SubAggSmith
from .many_models_published import TukeyCoded as TukeyCoded
from .personalized_published import (
    PersonalizedRidgeKnownBound as PersonalizedRidgeKnownBound,
)
from .personalized_published import (
    PersonalizedRidgePrinted as PersonalizedRidgePrinted,
)
from .personalized_published import SampledRidgeCoded as SampledRidgeCoded
from .personalized_published import UniformRidge as UniformRidge
from .perturbed_losses import FunctionalElasticNetPrinted as FunctionalElasticNetPrinted
from .perturbed_losses import FunctionalLassoPrinted as FunctionalLassoPrinted
from .perturbed_losses import FunctionalLinearPrinted as FunctionalLinearPrinted
from .perturbed_losses import FunctionalRidgePrinted as FunctionalRidgePrinted
from .perturbed_losses import ObjPertCoded as ObjPertCoded
from .perturbed_losses import ObjPertPrinted as ObjPertPrinted
from .posterior_samples import AdaOPSCoded as AdaOPSCoded
from .posterior_samples import AdaOPSPrinted as AdaOPSPrinted
from .posterior_samples import OPSBalancedCoded as OPSBalancedCoded
from .posterior_samples import OPSConcentratedCoded as OPSConcentratedCoded
from .posterior_samples import OPSConservativeCoded as OPSConservativeCoded
from .posterior_samples import OPSDiffusedCoded as OPSDiffusedCoded
from .posterior_samples import OPSPrinted as OPSPrinted
from .ssp_published import AdaSSPBudget as AdaSSPBudget
from .ssp_published import AdaSSPGoogle as AdaSSPGoogle
from .ssp_published import AdaSSPHessianMix as AdaSSPHessianMix
from .ssp_published import AdaSSPPiazza as AdaSSPPiazza
from .ssp_published import AdaSSPThesis as AdaSSPThesis
from .ssp_published import AdaSSPWang as AdaSSPWang
from .ssp_published import AdaSSPWangCoded as AdaSSPWangCoded
from .ssp_published import BayesianSSPCoded as BayesianSSPCoded
from .ssp_published import ConstSSPFullPiazza as ConstSSPFullPiazza
from .ssp_published import SSPPiazza as SSPPiazza
from .ssp_published import SSPStatsmodels as SSPStatsmodels
from .ssp_published import SSPThesis as SSPThesis
from .ssp_published import SSPThesisSplit as SSPThesisSplit
from .ssp_published import SSPWang as SSPWang
from .ssp_published import SSPWangCoded as SSPWangCoded
from .thesis_published import ThesisClipped as ThesisClipped
from .thesis_published import ThesisMaxNorm as ThesisMaxNorm
from .thesis_published import ThesisRowNorm as ThesisRowNorm
from .thesis_published import ThesisStandardised as ThesisStandardised
