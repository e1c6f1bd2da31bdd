"""OpenDP pairs up the rows, and one more row re-pairs others."""

import itertools
from collections import Counter
from fractions import Fraction
from functools import cache, partial

import attrs
import numpy as np

import dpframe as dp
from tests.museum.gates import FACTS, enumerated, stated, together
from tests.museum.museum import FALSIFIED, Exhibit, Finding
from tests.museum.own import Stated

HALF, LEAST, MOST = Fraction(1, 2), -1, 4
TABLES = {  # so many points on one line, so many off it: one comes, or one moves off
    dp.ADD_REMOVE: [((line, 0), (line, 1)) for line in (2, 3, 4, 5)],
    dp.REPLACE_ONE: [((line, 0), (line - 1, 1)) for line in (2, 3, 4, 5)],
}


@attrs.frozen(cache_hash=True)
class Predictions(Stated):
    """How many pairs of rows predict a label below 0 at x = 0, and how many another: shape (2,)."""

    kind = "pairwise_predictions"
    shape = property(lambda self: (dp.constant(2),))
    moves: int = 1

    def states(self):
        """One row changes so many predictions, says its author."""
        return self.moves

    def whole(self, X, y):
        """Rows in pairs as they come; a last one without a partner is left out."""
        even = len(y) // 2 * 2
        x, u = X[:even:2, 0], X[1:even:2, 0]
        v, w = y[:even:2], y[1:even:2]
        below = v * u < w * x if even else np.zeros(0)  # of positive u - x: where the line is
        return [np.sum(below), np.sum(~below.astype(bool))]


def fuzzed(relation, moves):
    """Neighbours, with the rows paired as they come."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)
    return stated(lambda X, y: Predictions(X, y, moves), setting=setting)


@cache
def released(points):
    """The chances of both noisy counts, after a secret shuffle: points on one line predict alike in
    pairs, pairs with another one something else. The noise is discrete Laplace of scale 1/log 2,
    cut to [-1, 4].
    """
    line, off = points
    orders = list(itertools.permutations([0] * line + [1] * off))
    counts = Counter(tuple(map(predicted(order).count, (0, 1))) for order in orders)
    law = Counter()
    for (alike, other), times in counts.items():
        for outcome, chance in together(noisy(alike), noisy(other)).items():
            law[outcome] += Fraction(times, len(orders)) * chance
    return law


def predicted(order):
    """What each pair predicts."""
    return [max(pair) for pair in zip(order[::2], order[1::2], strict=False)]


def noisy(count):
    """Chances proportional to 2^-|x - count|, and what is beyond the ends at the ends."""
    inside = {x: HALF ** abs(x - count) / 3 for x in range(LEAST + 1, MOST)}
    ends = {x: 2 * HALF ** abs(x - count) / 3 for x in (LEAST, MOST)}
    return inside | ends


def put(relation, moves):
    """The stated fact, and the whole mechanism with its shuffle."""
    fact = fuzzed(relation, moves)
    whole = enumerated(released, TABLES[relation], dp.PureDP(moves * dp.log(2)))
    return Finding(fact.stopped and whole.stopped, f"{fact.says}\nand, shuffled: {whole.says}")


EXHIBIT = Exhibit(
    number=11,
    name="Pairs that shift with an added row",
    system="OpenDP 0.16.0, `LinearRegression` (Theil-Sen), `make_pairwise_predict`",
    source="opendp/opendp#2950",
    claim="Stability b to b: one additional row changes one prediction. epsilon = 2 for the fit.",
    fact="Rows are shuffled and paired, and a last row without a partner is dropped. An added "
    "row changes the pairs of others: the stability is at least 2 b, and the measured "
    "epsilon at least 3.36.",
    port="Counts of the predictions of pairs, as a statistic with a stated sensitivity of 1; "
    "and, since the order of rows is random, the whole mechanism with its secret shuffle,"
    " enumerated.",
    gate=FACTS,
    verdict=FALSIFIED,
    wrong=partial(put, dp.ADD_REMOVE, 1),
    mended=partial(put, dp.REPLACE_ONE, 2),
    repair="Replace-one, where the number of rows is public: one pair changes, which changes 2 "
    "predictions.",
    shows=("pairwise predictions states 1 in L1", "claimed 0.693147"),
)
