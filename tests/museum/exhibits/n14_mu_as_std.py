"""Boosted adaSSP's code adds noise of std mu, where mu is what the noise must afford."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def put(regression):
    """At 100 rounds."""
    return certified(regression, target=dp.ApproxDP(1, "1e-6"), setting=TABLE)


EXHIBIT = Exhibit(
    number=14,
    name="mu used as a standard deviation",
    system="BoostedAdaSSP, both repositories of its authors",
    source="shuaitang/BoostedAdaSSP and amazon-science/boostedadassp, `BoostedAdaSSP.py`",
    claim="(1, 1e-6)-differential privacy, 100 rounds.",
    fact="`self.sigma = convert_ApproxDP_to_GDP(eps, delta)` is mu, 0.237; the required std is"
    " sqrt(102)/mu = 42.7. The true epsilon is at least 1112, with equality if the "
    "released eigenvalue were the smallest (see exhibit 16). The noise grows with "
    "epsilon.",
    port="`dp.literature.BoostedAdaSSPCoded`, the regression of the code, which is refused.",
    wrong=partial(put, dp.literature.BoostedAdaSSPCoded(rounds=100)),
    mended=partial(put, dp.regressions.BoostedAdaSSP(rounds=100)),
    repair="`dp.regressions.BoostedAdaSSP`: all releases calibrated jointly.",
    shows=("mu at most 42.6", "its delta at epsilon = 1 is at least 0.9954"),
)
