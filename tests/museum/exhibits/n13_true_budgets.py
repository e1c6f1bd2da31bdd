"""OpenDP adds in doubles, and refuses three thirds."""

from fractions import Fraction
from functools import partial
from math import inf, nextafter

import dpframe as dp
from tests.museum.gates import SUMS, certified, sums_up
from tests.museum.museum import FALSIFIED, Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)


def in_doubles(costs):
    """A ledger of doubles, each cost and each sum rounded up so that it is on the safe side."""
    total = 0.0
    for cost in costs:
        nearest = float(cost)
        up = nearest if Fraction(nearest) >= cost else nextafter(nearest, inf)
        exact = Fraction(total) + Fraction(up)
        total = float(exact) if Fraction(float(exact)) >= exact else nextafter(float(exact), inf)
    return total <= 1.0


def counts(X, _, budget, *, weights):
    """As many counts as weights."""
    shares = budget.split(*weights)
    return tuple(dp.release(dp.count(X), dp.Laplace.pure, share) for share in shares)


def turns(X, _, budget, *, least):
    """T draws of epsilon/T each, for every T from `least` on."""
    T = dp.parameter("T", least, closed="left", integer=True)
    return dp.release(dp.count(X), dp.Laplace.pure, budget.split(1 / T)[0], times=T)


def exactly(costs):
    """dpframe, for a budget of 1 and for a budget epsilon, whatever it is."""
    declare = partial(counts, weights=costs)
    targets = dp.PureDP(1), dp.PureDP(dp.EPSILON)
    verdicts = {certified(declare, target=one, setting=TABLE).stopped for one in targets}
    assert len(verdicts) == 1
    return not verdicts.pop()


EXHIBIT = Exhibit(
    number=13,
    name="Rounded sums of budgets",
    system="OpenDP 0.16.0, composition",
    source="opendp/opendp#2131, #2789",
    claim="k measurements of cost 1/k do not fit a budget of 1.",
    fact="They do. In doubles that are rounded up, 1/3 + 1/3 + 1/3 exceeds 1, and MST and AIM "
    "failed with 0.024499999999999997 > 0.024499999999999987.",
    port="A ledger in doubles, every step rounded up. This bug is not a leak: a valid sequence"
    " is refused, which may lead users to loosen the check.",
    gate=SUMS,
    verdict=FALSIFIED,
    wrong=partial(sums_up, in_doubles),
    mended=partial(sums_up, exactly),
    repair="Exact arithmetic: dpframe certifies k counts of epsilon/k for 1 and for every "
    "epsilon, also for a symbol T instead of k, and refuses 10^-30 more.",
    shows=("a true budget", "3, 6, 10, 11"),
)
