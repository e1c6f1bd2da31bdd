"""AdaOPS as the public code of [Wang18] computes it: adaops.m at |x| <= 1, |y| <= 1, d = 2.

Its minimiser of a function of the ridge is taken as found exactly. With h = ridge + released
eigenvalue that function has its least value at one h, whatever was released; the constraints
only raise h.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr

from .samplers import Law, Sampler, posterior
from .tables import Real, Sums


class Constants(NamedTuple):
    """What adaops.m computes from epsilon and delta alone."""

    epsilon: float
    log: float
    """log(6/delta)"""
    least: float
    """the h below which the part of the loss without gamma is too large"""
    best: float
    """the h of the smallest error estimate"""

    @classmethod
    def of(cls, epsilon: float, delta: float) -> Constants:
        """The file's constants, at rho = 0.05."""
        log = math.log(6 / delta)
        bar = (math.sqrt(1 + log * epsilon / 2) - 1) / log
        spread = (1 + math.sqrt(2 * math.log(20)) + math.log(20)) * log / bar**2
        power = 2 * log / (epsilon / 4)

        def error(log_h: float) -> float:
            h = math.exp(log_h)
            return float(np.logaddexp(math.log(spread / h) + power * math.log1p(1 / h), log_h))

        best = minimize_scalar(error, bounds=(-5, 25), method="bounded", options={"xatol": 1e-10})
        return cls(epsilon, log, 2 * (1 + log) / epsilon, math.exp(best.x))


class Released(NamedTuple):
    """The two values that are released before theta, of many runs."""

    eigenvalue: Real
    """after its maximum with 0"""
    size: Real
    """Delta, the noisy log of 1 + |theta|"""


class Table(NamedTuple):
    """One table and how adaops.m treats it."""

    sums: Sums
    constants: Constants
    capped: bool = True
    """whether the local Lipschitz constant is cut at the file's bound, which is none"""

    @property
    def quiet(self) -> bool:
        """Whether the released eigenvalue is 0 but for 2.5 stds of its noise."""
        return self._eigenvalue() + 2.5 * self._std() < 0

    def height(self, eigenvalue: Real) -> Real:
        """H: the ridge plus the released eigenvalue."""
        c = self.constants
        return np.maximum(np.maximum(eigenvalue, c.least), c.best)

    def released(self, first: Real, second: Real) -> Released:
        """The releases, from two standard normal draws."""
        eigenvalue = np.maximum(self._eigenvalue() + self._std() * first, 0)
        return Released(eigenvalue, self._size(eigenvalue) + self._spread(eigenvalue) * second)

    def log_density(self, at: Released) -> Real:
        """The log of the density of both releases; at an eigenvalue of 0, of its atom."""
        standard = (at.eigenvalue - self._eigenvalue()) / self._std()
        size = (at.size - self._size(at.eigenvalue)) / self._spread(at.eigenvalue)
        first = np.where(at.eigenvalue > 0, -standard * standard / 2, log_ndtr(standard))
        return first - size * size / 2

    def law(self, at: Released, sampler: Sampler) -> Law:
        """The law of theta, given the releases."""
        height = self.height(at.eigenvalue)
        return sampler(self.sums, height - at.eigenvalue, self._root_gamma(at, height))

    def _root_gamma(self, at: Released, height: Real) -> Real:
        """The root of the file's quadratic equation."""
        log, epsilon = self.constants.log, self.constants.epsilon
        cap = 1 + np.sqrt(2 * math.sqrt(self.sums.rows) / height)
        lipschitz = np.exp(np.minimum(at.size, 50))
        lipschitz = np.minimum(lipschitz, cap) if self.capped else lipschitz
        a, b = lipschitz**2 / 2 / (height + 1), lipschitz * np.sqrt(log / height)
        c = (1 + log) / 2 / height - epsilon / 2
        return (np.sqrt(b * b - 4 * a * c) - b) / (2 * a)

    def _eigenvalue(self) -> float:
        """The smallest eigenvalue of X'X + I, less the file's shift."""
        s = self.sums
        apart = math.hypot(s.first - s.second, 2 * s.mixed)
        least = 2 * (s.first * s.second - s.mixed**2) / (s.first + s.second + apart)
        return float(least) + 1 - self.constants.log / (self.constants.epsilon / 4)

    def _std(self) -> float:
        return math.sqrt(self.constants.log) / (self.constants.epsilon / 4)

    def _spread(self, eigenvalue: Real) -> Real:
        return self._sigma(eigenvalue) * math.sqrt(self.constants.log)

    def _sigma(self, eigenvalue: Real) -> Real:
        return np.log1p(1 / self.height(eigenvalue)) / (self.constants.epsilon / 4)

    def _size(self, eigenvalue: Real) -> Real:
        """The mean of Delta: log(1 + |theta|), and the file's shift."""
        mean = posterior(self.sums, self.height(eigenvalue) - eigenvalue, 1.0)
        length = np.hypot(mean.left, mean.right)
        return np.log1p(length) + self._sigma(eigenvalue) * self.constants.log
