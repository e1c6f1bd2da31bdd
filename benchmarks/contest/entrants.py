"""Who enters: one list, and how an entry is written.

An entry is the name of a declaration that dpframe exports, with fields after colons, as in
`NoisyGradientDescent:rounds=20`. `AdaSSP@AdaSSPWang` is AdaSSP at the epsilon that AdaSSPWang truly
spends where it claims the contest's: two at the same true privacy.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

import dpframe as dp
from dpframe.errors import InvalidArgument

from .isotropic import AdaSSPWangIsotropic

ZERO = "ZeroPredictor"
BASELINES = (ZERO, "OLS", "Ridge")
PUBLISHED, RECALIBRATED, JOINT = "AdaSSPWang", "AdaSSPWangRecalibrated", "AdaSSP"
MIRRORED = "AdaSSPWangMirrored"
FLAGSHIP = "JointSSP"
RIVALS = (
    MIRRORED,
    PUBLISHED,
    "AdaSSPWangCoded",
    JOINT,
    "AdaOPSRepaired",
    "AdaOPS",
    "SSP",
    "BoostedAdaSSP:rounds=5",
    "NoisyGradientDescent:rounds=20",
    "NoisyGradientDescent:rounds=60",
    "ObjPert",
    "FunctionalRidge",
    "Tukey",
    "TukeyPure",
    "TheilSen",
    "AMBSSGD",
    "AdaptiveGradientDescent",
    "BayesianSSP",
    "BayesianSSPPure",
    "HessianMixing",
    "RobustQuantileSSP",
    "RobustAdaSSP",
)
EXPLAINING = (RECALIBRATED, f"{JOINT}@{PUBLISHED}")  # steps of the margin, no rivals
OWN: dict[str, Callable[..., dp.Regression]] = {
    MIRRORED: dp.literature.AdaSSPWang,
    PUBLISHED: AdaSSPWangIsotropic,
    RECALIBRATED: lambda: dp.regressions.Jointly(of=AdaSSPWangIsotropic()),
}


@attrs.frozen
class Entrant:
    """An entry as it is written, its declaration, and whose true privacy it has: "" for its own."""

    spec: str
    declaration: dp.Regression
    like: str = ""

    @classmethod
    def of(cls, spec: str) -> Entrant:
        """The entry. Raises InvalidArgument."""
        written, _, like = spec.partition("@")
        name, *fields = written.split(":")
        kind = OWN.get(name) or exported(name)
        if kind is None:
            way_out = "`dpframe list` prints the names."
            raise InvalidArgument("methods", "names of regressions", name, way_out)
        pairs = [field.partition("=") for field in fields]
        if not all(key and value for key, _, value in pairs):
            way_out = "NoisyGradientDescent:rounds=20 is one."
            raise InvalidArgument("methods", "a name and fields, name:field=value", spec, way_out)
        try:
            declaration = kind(**{key: value for key, _, value in pairs})
        except TypeError:
            raise InvalidArgument("methods", f"fields that {name} has", spec) from None
        return cls(spec, declaration, like)

    @property
    def baseline(self) -> bool:
        """Whether it claims no privacy."""
        return bool(self.declaration.variant == "baseline")


def default(flagship: str = FLAGSHIP) -> tuple[str, ...]:
    """Every entry whose declaration exists, the flagship first, then baselines and rivals."""
    own = (flagship, f"{flagship}@{PUBLISHED}")
    written = (*own, *BASELINES, *RIVALS, *EXPLAINING)
    return tuple(dict.fromkeys(spec for spec in written if exists(spec)))


def exported(name: str) -> Callable[..., dp.Regression] | None:
    """The regression that dpframe exports by this name."""
    return next((cls for cls in dp.literature.REGRESSIONS if cls.__name__ == name), None)


def exists(spec: str) -> bool:
    """Whether dpframe exports its declaration."""
    name = spec.partition("@")[0].split(":")[0]
    return name in OWN or exported(name) is not None


def rivals(methods: tuple[str, ...], flagship: str) -> tuple[str, ...]:
    """Those that the flagship is compared with: no baseline, no step of the margin, not itself, nor
    itself with other fields.
    """
    apart, variants = {*BASELINES, *EXPLAINING, flagship}, f"{flagship}:"
    return tuple(
        one
        for one in methods
        if one not in apart and "@" not in one and not one.startswith(variants)
    )
