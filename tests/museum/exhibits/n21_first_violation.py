"""Google's search for mu returns the first point of a grid that violates the claim."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(10, "1e-5")
FOUND = "2.130185155294429"  # what the search returns for (10, 1e-5)


def moment(X, y, budget, *, std):
    """X'y, which one record moves by 1."""
    return dp.release(X.T @ y, dp.Gaussian(std=std), budget.split(1)[0], name="moment")


def put(std):
    """At (10, 1e-5)."""
    return certified(partial(moment, std=std), target=TARGET, setting=TABLE)


EXHIBIT = Exhibit(
    number=21,
    name="A search that returns the first violation",
    system="google-research, `private_kendall/boosted_adassp.py`",
    source="google-research/google-research, `dp_to_gdp`",
    claim="A mu with (epsilon, delta) = (10, 1e-5).",
    fact="The loop returns the first mu of its grid whose delta is *above* the target. At "
    "delta = 1e-5 it is 1.0001 to 1.0116 times the target at epsilon = 0.1, 0.3, 0.5, 1, 2, 3 and "
    "5, and 4.918 times at 10, where the first point of the grid fails.",
    port="One release with std 1/mu for the mu that the search returns.",
    wrong=partial(put, 1 / dp.constant(FOUND)),
    mended=partial(put, dp.analytic_sigma(10, dp.constant("1e-5"))),
    repair="`dp.analytic_sigma`, which is rounded up.",
    shows=("exact delta", "4.918e-5 > 1e-5"),
)
