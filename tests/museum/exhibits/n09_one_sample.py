"""OpenDP amplifies every measurement of one and the same sample."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
EACH, TIMES = dp.PersonalizedDP(dp.each("epsilon")), 50


def counts(X, y, budget, *, weights):
    """50 counts of one secret sample; what is shown of it at threshold 2 amplifies to epsilon."""
    sample, _, threshold = dp.graph.thinned(X, y, budget, 2)
    shares = threshold.split(*weights)
    released = [
        dp.release(dp.count(sample), dp.Laplace.pure, share, name=f"count_{i + 1}")
        for i, share in enumerate(shares)
    ]
    return tuple(released)


def put(weight):
    """Each of the 50 gets this weight of the threshold."""
    weights = [weight] * TIMES
    return certified(partial(counts, weights=weights), target=EACH, setting=TABLE)


EXHIBIT = Exhibit(
    number=9,
    name="One sample, amplified fifty times",
    system="OpenDP 0.16.0, `make_population_amplification`",
    source="opendp/opendp#2933",
    claim="50 releases of epsilon = 2, each amplified separately, cost 0.63 in all.",
    fact="All 50 read the same sample. A person in the sample is in it for all releases and "
    "incurs a cost of 100.",
    port="50 counts of one `dp.graph.thinned` sample, each with the threshold 2. A sample is a"
    " node of the graph with a single claim, and releases on it compose within that "
    "claim. (A release with `sampled=` draws a separate sample for each of its draws, "
    "which other releases cannot read.)",
    wrong=partial(put, 1),
    mended=partial(put, dp.constant(1) / TIMES),
    repair="The 50 counts share the threshold.",
    shows=("must sum to at most 2", "the shares sum to 100"),
)
