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
    claim="50 releases of epsilon = 2, each amplified by itself, cost 0.63 in all.",
    fact="All 50 read the same sample. Whoever is in it is in it for all of them, and pays 100.",
    port="50 counts of one `dp.graph.thinned` sample, each as if the threshold 2 were its own. "
    "A sample is a node, the claim about it is one claim, and what reads it composes inside. (A "
    "release with `sampled=` draws a fresh sample for each of its own draws, and has no name for "
    "that sample.)",
    wrong=partial(put, 1),
    mended=partial(put, dp.constant(1) / TIMES),
    repair="The 50 counts share the threshold.",
    shows=("must sum to at most 2", "the shares sum to 100"),
)
