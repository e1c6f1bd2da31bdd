"""Sums in doubles move further than their terms."""

import dpframe as dp
from tests.museum.gates import FACTS, stated
from tests.museum.museum import FALSIFIED, Exhibit
from tests.museum.own import Stated, added_in_pairs

LOW = 2**52
TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=LOW + 1), relation=dp.REPLACE_ONE)


class FloatSum(Stated):
    """The sum of labels in [2^52, 2^52 + 1], in doubles."""

    kind = "float_sum"

    def states(self):
        """upper - lower: one record is replaced."""
        return 1

    def whole(self, X, y):
        return added_in_pairs(y)


def in_doubles():
    """In pairs, pairs of pairs, and so on."""
    return stated(lambda X, y: FloatSum(X, y.clip(LOW, LOW + 1)), setting=TABLE)


def on_grid():
    """dpframe's own sum of the labels less the public middle, in whole steps."""
    middle = LOW + dp.constant("0.5")
    return stated(lambda X, y: dp.total(y.scaled(1, middle).clip("-1/2", "1/2")), setting=TABLE)


EXHIBIT = Exhibit(
    number=24,
    name="Sums in floating point",
    system="Sums in floating point, in most libraries",
    source="Casacuberta et al., CCS 2022; google/differential-privacy#126",
    claim="A sum of numbers in [L, U] moves by at most U - L if one is replaced.",
    fact="A sum of doubles is rounded at every step, and one term can change the direction of "
    "rounding: the sum of 2 numbers moves by twice the bound, that of 8 by eight times.",
    port="The sum of labels in [2^52, 2^52 + 1], in doubles by pairs, with a stated "
    "sensitivity of 1.",
    gate=FACTS,
    verdict=FALSIFIED,
    wrong=in_doubles,
    mended=on_grid,
    repair="`dp.total` adds whole steps of a public grid, exactly, in any order.",
    shows=("refuted: float sum states 1",),
)
