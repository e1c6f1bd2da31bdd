"""One declaration a file, each citing its paper; variants as printed, as coded, as dpframe
recommends it.
"""

from .adassp import AdaSSP, AdaSSPPiazza, AdaSSPThesis, AdaSSPWang, AdaSSPWangCoded
from .adassp_budget import AdaSSPBudget, AdaSSPBudgetTight
from .const_ssp import ConstSSPFull, ConstSSPFullPiazza
from .solve import Fit
from .ssp import SSP, SSPPiazza, SSPWang, SSPWangCoded

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
)

__all__ = [
    "REGRESSIONS",
    "SSP",
    "AdaSSP",
    "AdaSSPBudget",
    "AdaSSPBudgetTight",
    "AdaSSPPiazza",
    "AdaSSPThesis",
    "AdaSSPWang",
    "AdaSSPWangCoded",
    "ConstSSPFull",
    "ConstSSPFullPiazza",
    "Fit",
    "SSPPiazza",
    "SSPWang",
    "SSPWangCoded",
]
