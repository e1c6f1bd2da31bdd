"""The public files and printed algorithms that attacks have refuted, by what declares them here."""

from __future__ import annotations

REGRESSIONS: dict[str, str] = {
    "SSPWangCoded": "suffstats_perturb.m",
    "OPSBalancedCoded": "OPS_epsdelta_balanced.m",
    "OPSConservativeCoded": "OPS_epsdelta_conservative.m",
    "OPSDiffusedCoded": "OPS_epsdelta_diffused.m",
    "OPSConcentratedCoded": "OPS_epsdelta_concentrated.m",
    "AdaOPSCoded": "adaops.m",
    "AdaOPSPrinted": "AdaOPS",
    "ObjPertCoded": "ObjPert.m",
    "SampledRidgeCoded": "jorgensen.py",
    "BoostedAdaSSPCoded": "BoostedAdaSSP.py",
    "BoostedAdaSSPKendall": "private_kendall/boosted_adassp.py",
    "TukeyCoded": "dp_regression/tukey.py",
}
"""By the name of the declaration in `dpframe.regressions` that says what a file does."""
