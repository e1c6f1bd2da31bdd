from dpframe.literature.adassp_published import AdaSSPBudget as AdaSSPBudget
from dpframe.literature.adassp_published import AdaSSPPiazza as AdaSSPPiazza
from dpframe.literature.adassp_published import AdaSSPThesis as AdaSSPThesis
from dpframe.literature.adassp_published import AdaSSPWang as AdaSSPWang
from dpframe.literature.adassp_published import AdaSSPWangCoded as AdaSSPWangCoded
from dpframe.literature.bayesian_published import BayesianSSPCoded as BayesianSSPCoded
from dpframe.literature.boosted_published import BoostedAdaSSPCoded as BoostedAdaSSPCoded
from dpframe.literature.boosted_published import BoostedAdaSSPKendall as BoostedAdaSSPKendall
from dpframe.literature.hessian_mixing_published import HessianMixingCoded as HessianMixingCoded
from dpframe.literature.objective_perturbation_published import ObjPertCoded as ObjPertCoded
from dpframe.literature.objective_perturbation_published import ObjPertPrinted as ObjPertPrinted
from dpframe.literature.ops_published import OPSBalancedCoded as OPSBalancedCoded
from dpframe.literature.ops_published import OPSConcentratedCoded as OPSConcentratedCoded
from dpframe.literature.ops_published import OPSConservativeCoded as OPSConservativeCoded
from dpframe.literature.ops_published import OPSDiffusedCoded as OPSDiffusedCoded
from dpframe.literature.ops_published import OPSPrinted as OPSPrinted
from dpframe.literature.personalized_published import (
    PersonalizedRidgeKnownBound as PersonalizedRidgeKnownBound,
)
from dpframe.literature.personalized_published import (
    PersonalizedRidgePrinted as PersonalizedRidgePrinted,
)
from dpframe.literature.personalized_published import SampledRidgeCoded as SampledRidgeCoded
from dpframe.literature.personalized_published import UniformRidge as UniformRidge
from dpframe.literature.ssp_published import ConstSSPFullPiazza as ConstSSPFullPiazza
from dpframe.literature.ssp_published import SSPPiazza as SSPPiazza
from dpframe.literature.ssp_published import SSPWang as SSPWang
from dpframe.literature.ssp_published import SSPWangCoded as SSPWangCoded
from dpframe.literature.sub_agg_published import SubAggSmith as SubAggSmith
from dpframe.literature.tukey_published import TukeyCoded as TukeyCoded

from .adaops_published import AdaOPSCoded as AdaOPSCoded
from .adaops_published import AdaOPSPrinted as AdaOPSPrinted
from .adassp_published import AdaSSPGoogle as AdaSSPGoogle
from .adassp_published import AdaSSPHessianMix as AdaSSPHessianMix
from .diffprivlib import DiffprivlibNoIntercept as DiffprivlibNoIntercept
from .diffprivlib import DiffprivlibWithIntercept as DiffprivlibWithIntercept
from .dprivstats import LeastSquaresDPrivStats as LeastSquaresDPrivStats
from .every import REGRESSIONS as REGRESSIONS
from .functional_published import FunctionalElasticNetPrinted as FunctionalElasticNetPrinted
from .functional_published import FunctionalLassoPrinted as FunctionalLassoPrinted
from .functional_published import FunctionalLinearPrinted as FunctionalLinearPrinted
from .functional_published import FunctionalRidgePrinted as FunctionalRidgePrinted
from .gradient_descent_published import NoisyGradientDescentPrinted as NoisyGradientDescentPrinted
from .ssp_published import SSPStatsmodels as SSPStatsmodels
from .ssp_published import SSPThesis as SSPThesis
from .ssp_published import SSPThesisSplit as SSPThesisSplit
from .thesis_published import ThesisClipped as ThesisClipped
from .thesis_published import ThesisMaxNorm as ThesisMaxNorm
from .thesis_published import ThesisRowNorm as ThesisRowNorm
from .thesis_published import ThesisStandardised as ThesisStandardised
