"""dpframe: private regressions declared as graphs of mechanisms, proved before they run.

Declare (Regression), certify, execute; audit a budget split; compare noise. Names load on first
use: `import dpframe` loads almost nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "dpframe.errors": (
        "BadCertificate",
        "BadData",
        "BadLedger",
        "BudgetExceeded",
        "DPFrameError",
        "InvalidArgument",
        "LedgerUnavailable",
        "MissingExtra",
        "NotExecutable",
        "OutsideTheorem",
        "PrivacyWarning",
        "SourceFailed",
        "StaleLedger",
        "TouchesData",
        "Uncertified",
        "UnsafeFormula",
    ),
    "dpframe.symbols": (
        "DELTA",
        "EPSILON",
        "MU",
        "RHO",
        "Expression",
        "constant",
        "parameter",
        "parse",
        "sqrt",
        "log",
        "exp",
        "minimum",
        "maximum",
        "analytic_sigma",
    ),
    "dpframe.guarantees": (
        "ADD_REMOVE",
        "REPLACE_ONE",
        "ApproxDP",
        "GaussianDP",
        "Guarantee",
        "PureDP",
        "Relation",
        "Share",
        "ZeroConcentratedDP",
    ),
    "dpframe.sensitivity": ("Sensitivity",),
    "dpframe.numerics.fast": (
        "classical_constants",
        "gaussian_delta",
        "gaussian_delta_interval",
        "gaussian_epsilon",
        "gaussian_epsilon_interval",
        "gaussian_mu",
        "gaussian_mu_interval",
        "gaussian_sigma",
        "gaussian_sigma_interval",
    ),
    "dpframe.losses": (
        "CategoricalLoss",
        "DiscreteGaussianLoss",
        "DiscreteLaplaceLoss",
        "GaussianLoss",
        "LaplaceLoss",
        "OddsLoss",
        "PrivacyLoss",
        "ResponseLoss",
        "SubsampledGaussianLoss",
    ),
    "dpframe.mechanisms": (
        "AdditiveNoise",
        "BlackBox",
        "Calibration",
        "CorrelatedGaussian",
        "DiscreteGaussian",
        "DiscreteLaplace",
        "ExponentialMechanism",
        "ExponentialNoisyMax",
        "Gaussian",
        "GumbelNoisyMax",
        "L2Laplace",
        "Laplace",
        "Mechanism",
        "MirroredGaussian",
        "PermuteAndFlip",
        "PoissonSubsampled",
        "RandomizedResponse",
        "Selection",
        "SubsampledWithoutReplacement",
    ),
    "dpframe.accountants": (
        "Accountant",
        "AdditiveAccountant",
        "BasicAccountant",
        "ConcentratedAccountant",
        "GaussianAccountant",
        "NumericAccountant",
        "OptimalAccountant",
        "RenyiAccountant",
    ),
    "dpframe.accounting": (
        "Calibrated",
        "Composition",
        "calibrate",
        "compose",
        "from_json",
        "to_event",
        "to_json",
    ),
    "dpframe.filters": ("Filter", "Odometer"),
    "dpframe.graph": (
        "Categorical",
        "Column",
        "Graph",
        "Numeric",
        "Regression",
        "Release",
        "Rows",
        "Setting",
        "jointly",
        "post",
        "release",
    ),
    "dpframe.graph.functions": ("aggregate", "count", "lambda_min", "stack", "total", "trace"),
    "dpframe.verify": (
        "Certificate",
        "Jointly",
        "Obligation",
        "Report",
        "Verdict",
        "certify",
        "examine",
        "identical",
        "load",
    ),
    "dpframe.ledger": ("Ledger",),
    "dpframe.execution": ("Receipt", "Result", "execute"),
    "dpframe.auditing": ("Audit", "Comparison", "audit", "audit_formulas", "compare"),
    "dpframe.estimators": ("PrivateRegressor",),
    "dpframe.regressions": (
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
    ),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = ["__version__", *sorted(_MODULE)]  # noqa: PLE0604 - names, from the table above


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"dpframe has no {name!r}")
    value = getattr(importlib.import_module(_MODULE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
