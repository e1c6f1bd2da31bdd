"""Certificates and tables that the tests of execution share."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from dpframe.graph import Column, Post, Regression, Rows, Setting, post, release
from dpframe.mechanisms import Gaussian
from dpframe.privacy import ADD_REMOVE, ApproxDP
from dpframe.prover.certify import certify
from dpframe.symbols import DELTA, EPSILON, Expression, parameter

BOUNDED = Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)


def bundle(*values):
    """Post-processing that hands its arguments back."""
    return values


class Moments(Regression):
    """X'X and X'y, with the std of the first and the number of columns handed through."""

    gamma: Expression = parameter("gamma", 0, 1)

    def declare(self, X, y, budget) -> Post:
        """Two releases and what post-processing may read."""
        first, second = budget.split(self.gamma, 1 - self.gamma)
        gram = release(X.T @ X, Gaussian.analytic, first, name="gram")
        moment = release(X.T @ y, Gaussian.analytic, second, name="moment")
        return post(bundle, gram, moment, gram.std, X.columns, "text", None, 3)


@pytest.fixture
def setting():
    """Rows of norm at most 1, labels of size at most 1, add/remove."""
    return BOUNDED


@pytest.fixture
def symbolic():
    """The certificate of Moments, for every epsilon, delta and gamma."""
    return certify(Moments(), target=ApproxDP(EPSILON, DELTA), setting=BOUNDED)


@pytest.fixture
def run(symbolic):
    """The certificate of Moments at epsilon = 1, delta = 1e-6, gamma = 1/2."""
    return symbolic.at(epsilon=1, delta="1e-6", gamma="1/2")


@pytest.fixture
def floating():
    """The same at the same numbers, without a grid."""
    setting = attrs.evolve(BOUNDED, grid=None)
    return certify(Moments(gamma="1/2"), target=ApproxDP(1, "1e-6"), setting=setting)


@pytest.fixture
def certified():
    """A function: the certificate of a regression, by default at (1, 1e-6) in the setting."""

    def certified(regression, setting=BOUNDED, target=None):
        return certify(regression, target=target or ApproxDP(1, "1e-6"), setting=setting)

    return certified


@pytest.fixture
def data():
    """Features, some rows of which have norm above 1, and labels, some of which exceed 1."""
    rng = np.random.default_rng(5)
    return rng.normal(size=(60, 3)) / 2, rng.normal(size=60)


@pytest.fixture
def clipped(data):
    """The same table, clipped by hand."""
    X, y = data
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.maximum(norms, 1), np.clip(y, -1, 1)
