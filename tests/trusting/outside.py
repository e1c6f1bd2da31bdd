"""A small package from outside: one class of every kind that dpframe lets a user add."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

import dpframe as dp
from dpframe.graph import ColumnNode, RowsNode
from dpframe.graph.maps.base import ColumnMap, RowMap
from dpframe.graph.maps.weighted import Weight, WeightedColumn, WeightedRows
from dpframe.graph.procedure import IDENTITY, Objective, Sampler
from dpframe.graph.statistics import OneRow, RecordSum
from dpframe.mechanisms import positive_formula
from dpframe.sensitivity import L1
from dpframe.symbols import add, multiply

ONE = dp.constant(1)


@attrs.frozen(cache_hash=True)
class Positives(RecordSum):
    """The number of labels above 0: one row counts at most once."""

    kind: ClassVar[str] = "positives"
    column: ColumnNode
    inputs = property(lambda self: (self.column,))
    unit = property(lambda self: self.column.unit)
    shape = ()
    step = property(lambda self: ONE)
    label = "#(y > 0)"

    def record(self):
        """Nothing."""
        return {}

    def one_row(self, norm, relation):
        """In every norm."""
        return OneRow(ONE, "an indicator lies in [0, 1]")

    def block(self, values):
        """Of a block."""
        return np.asarray(float(np.sum(values[self.column] > 0)))


@attrs.frozen(cache_hash=True)
class Halved(RowMap):
    """Every row halved."""

    kind: ClassVar[str] = "halved"
    source: RowsNode
    label = property(lambda self: f"{self.source.label}/2")
    norm = property(lambda self: self.source.norm / 2)
    norm1 = property(lambda self: self.source.norm1 / 2)

    def record(self):
        """Nothing."""
        return {}

    def apply(self, block, number):
        """Each row by itself."""
        return block / 2


@attrs.frozen(cache_hash=True)
class Folded(ColumnMap):
    """Every label's size."""

    kind: ClassVar[str] = "folded"
    source: ColumnNode
    label = property(lambda self: f"|{self.source.label}|")
    bound = property(lambda self: self.source.bound)

    def record(self):
        """Nothing."""
        return {}

    def apply(self, block, number):
        """Each label by itself."""
        return np.abs(block)


@attrs.frozen(cache_hash=True)
class LogisticPure(dp.Calibration):
    """The slope of its log-density is at most 1/scale."""

    name, citation = "Logistic.pure", "[the slope of its log-density]"
    currencies = (("epsilon",), ("epsilon", "delta"))

    def calibrate(self, share, sensitivity):
        """Of scale Delta_1/epsilon."""
        return Logistic(sensitivity / share.epsilon)

    def limit(self, share):
        """No hypothesis."""
        return


@attrs.frozen(cache_hash=True)
class Logistic(dp.mechanisms.AdditiveNoise):
    """Logistic noise."""

    kind, gives, norm, noise = "logistic", dp.PureDP, L1, "scale"
    pure = LogisticPure()
    scale: dp.Expression = attrs.field(converter=positive_formula)
    formula = property(lambda self: self.scale)
    deviation = property(lambda self: dp.constant("1.8138") * self.scale)

    def guarantee(self, sensitivity):
        """Pure."""
        return dp.PureDP(sensitivity / self.scale)

    @staticmethod
    def sample(size, shape, rng, *, symmetric):
        """Draws."""
        noise = rng.logistic(0.0, size, shape)
        return np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) if symmetric else noise


LogisticPure.mechanism = Logistic


@attrs.frozen(cache_hash=True)
class LogCosh(Objective):
    """phi(t, y) = log(cosh(t - y)): its slope is a tanh, at most 1 and at most the residual."""

    kind: ClassVar[str] = "log_cosh"
    label: ClassVar[str] = "log-cosh loss"
    link: ClassVar[str] = IDENTITY

    def slope(self, bounds):
        """|tanh r| <= min(1, |r|)."""
        if bounds.margin is None:
            return ONE
        return dp.minimum(ONE, bounds.margin + bounds.label)

    def curvature(self, bounds):
        """sech^2."""
        return ONE

    def at(self, margins, labels, number):
        """Without overflow."""
        residuals = margins - labels
        size = np.abs(residuals)
        loss = size + np.log1p(np.exp(-2 * size)) - np.log(2.0)
        slopes = np.tanh(residuals)
        return loss, slopes, 1 - slopes**2


@attrs.frozen(cache_hash=True)
class Capped(Weight):
    """A public factor of each record, of its own class."""

    kind: ClassVar[str] = "capped"


@attrs.frozen(eq=False)
class Coin(Sampler):
    """Whether more than half of the labels are positive, told truly with probability
    e^epsilon/(1 + e^epsilon).
    """

    kind: ClassVar[str] = "coin"
    gives: ClassVar[type[dp.Guarantee]] = dp.PureDP
    positives: Positives
    rows: Any
    share: Any
    name: str = ""
    inputs = property(lambda self: (self.positives, self.rows))
    summary = property(lambda self: "most labels are positive, or not")
    own_readings = property(lambda self: {})

    def sample(self, values, numbers, randomness):
        """One draw."""
        truth = 2 * values[self.positives] > values[self.rows]
        tell = 1 / (1 + np.exp(-numbers.down(self.share.epsilon)))
        lies = randomness.generator.random() > tell
        return float(bool(truth) != bool(lies))


@attrs.frozen
class Padded(dp.accountants.AdditiveAccountant):
    """Pure epsilons add; `factor` times that, to be safe."""

    name, citation, adds = "padded", "[mine]", dp.PureDP
    factor: dp.Expression = attrs.field(default=1, converter=dp.constant)

    def total(self, guarantees):
        """The sum, times the factor."""
        return dp.PureDP(multiply(self.factor, add(*(one.epsilon for one in guarantees))))

    def times(self, guarantee, count):
        """So many of them."""
        return dp.PureDP(count * guarantee.epsilon)


def solved(gram, moment, *_):
    """Ridge regression; shape (d,)."""
    return np.linalg.solve(gram @ gram.T / np.trace(gram @ gram.T) + np.eye(len(gram)), moment)


def first(theta, *_):
    """The coefficients."""
    return theta


class OfStatistics(dp.Regression):
    """Coefficients from halved rows; a count of ones own; noise of ones own; a procedure."""

    def declare(self, X, y, budget):
        """Five releases."""
        shares = budget.split_evenly(5)
        rows, label = Halved(X), Folded(y)
        gram = dp.release(rows.T @ rows, dp.Gaussian.analytic, shares[0], name="gram")
        moment = dp.release(rows.T @ label, dp.Gaussian.analytic, shares[1], name="moment")
        many = dp.release(Positives(y), Logistic.pure, shares[2], name="positives")
        n = dp.release(dp.count(X), Logistic(5 / budget.epsilon), shares[3], name="n")
        coin = Coin(Positives(y), dp.count(X), shares[4], "coin")
        return dp.post(solved, gram, moment, many, n, coin)


class OfLoss(dp.Regression):
    """Output perturbation of a loss of ones own."""

    def declare(self, X, y, budget):
        """One release."""
        found = dp.graph.argmin(X, y, LogCosh(), 10)
        return dp.release(found, dp.Gaussian.analytic, budget, name="theta")


class Weighed(dp.Regression):
    """Sums of records, each weighed by a weight of ones own."""

    def declare(self, X, y, budget):
        """Two releases."""
        weight = Capped(dp.constant("1/2"))
        rows, label = WeightedRows(X, weight), WeightedColumn(y, weight)
        of_gram, of_moment = budget.split_evenly(2)
        gram = dp.release(rows.T @ rows, dp.Gaussian.analytic, of_gram, name="gram")
        moment = dp.release(rows.T @ label, dp.Gaussian.analytic, of_moment, name="moment")
        return dp.post(solved, gram, moment)


class Pure(dp.Regression):
    """Two counts, for an accountant of ones own."""

    def declare(self, X, y, budget):
        """Two releases."""
        one, other = budget.split_evenly(2)
        moment = dp.release(X.T @ y, dp.Laplace.pure, one, name="moment")
        return dp.post(first, moment, dp.release(dp.count(X), dp.Laplace.pure, other, name="n"))


class Counted(dp.Regression):
    """A count of ones own and a sum, for a split of the budget."""

    gamma: dp.Expression = attrs.field(default=dp.parameter("gamma", 0, 1))

    def declare(self, X, y, budget):
        """Two releases."""
        one, other = budget.split(self.gamma, 1 - self.gamma)
        many = dp.release(Positives(y), dp.Laplace.pure, one, name="positives")
        moment = dp.release(X.T @ y, dp.Laplace.pure, other, name="moment")
        return dp.post(first, moment, many)
