"""The mean that OpenDP subtracts is rounded, and one record moves it for everybody."""

import attrs
import numpy as np

import dpframe as dp
from tests.museum.gates import FACTS, stated
from tests.museum.museum import FALSIFIED, Exhibit
from tests.museum.own import Stated, added_in_pairs

LOW = 2**50
RAW = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=LOW + 1), relation=dp.REPLACE_ONE)
UNIT = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=LOW + 1), relation=dp.REPLACE_ONE, grid=20)
MIDDLE = LOW + dp.constant("0.5")


class Deviations(Stated):
    """sum (y - mean(y))^2 in doubles, of labels in [2^50, 2^50 + 1]."""

    kind = "sum_of_squared_deviations"

    def states(self):
        """(upper - lower)^2, and what is allowed for rounding the sum: 40.6 for 1024 records."""
        return 1 + dp.constant("39.6") / 1024 * self.rows.rows

    def whole(self, X, y):
        mean = added_in_pairs(y) / max(1, len(y))
        return added_in_pairs((y - mean) ** 2)


@attrs.frozen(cache_hash=True)
class WholeDeviations(Stated):
    """n sum (y - mean(y))^2 = n sum y^2 - (sum y)^2 in whole steps of a grid."""

    kind = "whole_deviations"
    step = property(lambda self: self.column.step**2)

    def states(self):
        """n - 1 times the squared length of the interval of labels, which is 1."""
        return self.rows.rows - 1

    def compute(self, values, number):
        steps = np.asarray(values[self.column]) / number(self.column.step)
        whole = [int(step) for step in np.rint(steps)]
        return np.array(len(whole) * sum(k * k for k in whole) - sum(whole) ** 2, dtype=object)


def as_coded():
    """In doubles."""
    return stated(lambda X, y: Deviations(X, y.clip(LOW, LOW + 1)), setting=RAW, tries=2000)


def on_grid():
    """In whole numbers, less the public middle of the interval."""
    return stated(
        lambda X, y: WholeDeviations(X, y.scaled(1, MIDDLE).clip("-1/2", "1/2").on_grid(20)),
        setting=UNIT,
        tries=1000,
    )


def ours(make):
    """dpframe's own sums, on their grid."""
    return stated(lambda X, y: make(y.clip(LOW, LOW + 1)), setting=UNIT, tries=1000)


EXHIBIT = Exhibit(
    number=7,
    name="The rounding of a mean",
    system="OpenDP 0.16.0, `make_sum_of_squared_deviations`",
    source="opendp/opendp#2923",
    claim="Sensitivity 40.6 for 1024 records in [2^50, 2^50 + 1], including rounding.",
    fact="The sensitivity is 63.9. The claim includes the rounding of the sum, but not that of"
    " the mean: one record changes the rounding direction of the mean, and thereby the "
    "deviation of every other record.",
    port="The same sum in doubles, as a statistic that states OpenDP's sensitivity.",
    gate=FACTS,
    verdict=FALSIFIED,
    wrong=as_coded,
    mended=on_grid,
    repair="n sum y^2 - (sum y)^2 in whole steps of a public grid. dpframe's sum(y) and y'y of "
    "the same labels, also in whole steps, have no such neighbours either.",
    shows=("refuted: sum of squared deviations states",),
)
