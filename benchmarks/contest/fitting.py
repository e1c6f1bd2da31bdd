"""An entry as something that is fitted: proved once for all numbers, then run as simulations."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import dpframe as dp
from dpframe.accountants import composition_of
from dpframe.errors import InvalidArgument, Uncertified
from dpframe.experiments import NOT_PRIVATE
from dpframe.prover.certify import Unproved, unproved
from dpframe.sources import Source

from .entrants import Entrant

Array = NDArray[Any]
NOTHING = dp.ApproxDP(1, "1e-6")  # a baseline reads no claim
VERSION = 16  # digits of a graph's hash


class Fitter(ABC):
    """Abstract: a method under one relation."""

    @abstractmethod
    def version(self, epsilon: float | None, delta: float | None) -> str:
        """The start of the hash of its graph: the same text, the same method."""

    @abstractmethod
    def fit(
        self, source: Source, epsilon: float | None, delta: float | None, rng: np.random.Generator
    ) -> Array:
        """Coefficients (d,) of the source's table, with simulated noise."""


@attrs.frozen
class Plain(Fitter):
    """A baseline: simulated without a claim."""

    draft: Unproved

    def version(self, epsilon: float | None, delta: float | None) -> str:
        """Of its graph, whatever the claim."""
        return self.draft.graph.hash[:VERSION]

    def fit(
        self, source: Source, epsilon: float | None, delta: float | None, rng: np.random.Generator
    ) -> Array:
        """By dp.experiments.simulate."""
        coefficients: Array = dp.experiments.simulate(
            self.draft, source, rng=rng
        ).output.coefficients
        return coefficients


@attrs.frozen
class Certified(Fitter):
    """What runs by its certificate only: dp.execute, with noise drawn from `rng`."""

    entrant: Entrant
    relation: dp.Relation

    def version(self, epsilon: float | None, delta: float | None) -> str:
        """Of the certificate's graph; of both graphs where the claim is another's."""
        own: str = self.certificate(epsilon, delta).graph.hash[:VERSION]
        if not self.entrant.like:
            return own
        other = fitter(self.entrant.like, self.relation).version(epsilon, delta)
        return f"{own}@{other}"

    def fit(
        self, source: Source, epsilon: float | None, delta: float | None, rng: np.random.Generator
    ) -> Array:
        """By dp.execute."""
        run = self.certificate(epsilon, delta)
        coefficients: Array = dp.execute(run, source, rng=rng).output.coefficients
        return coefficients

    def certificate(self, epsilon: float | None, delta: float | None) -> dp.Certificate:
        """Its certificate at numbers. Raises Uncertified."""
        return certificate(self.entrant, self.relation, epsilon, delta)


@functools.cache
def certificate(
    entrant: Entrant, relation: dp.Relation, epsilon: Any, delta: Any
) -> dp.Certificate:
    """A certificate at numbers: the proof for all, or, where there is none, one at these. Raises
    Uncertified.
    """
    if entrant.like:
        epsilon = spent(entrant.like, relation, epsilon, delta)
    try:
        proof = proved(entrant, relation)
        given = {"epsilon": epsilon, "delta": delta}
        return proof.at(**{name: value for name, value in given.items() if name in proof.symbols})
    except (Uncertified, InvalidArgument):  # no proof for all numbers, or none that covers these
        target = dp.ApproxDP(epsilon, delta)
        return dp.certify(entrant.declaration, target=target, setting=setting(relation))


@functools.cache
def proved(entrant: Entrant, relation: dp.Relation) -> dp.Certificate:
    """The proof for every epsilon and delta. Raises Uncertified."""
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    return dp.certify(entrant.declaration, target=target, setting=setting(relation))


def spent(spec: str, relation: dp.Relation, epsilon: float, delta: float) -> float:
    """The epsilon that a method's releases cost together at `delta` where it claims `epsilon`,
    rounded up in its last digits. Raises Uncertified.
    """
    run = certificate(Entrant.of(spec), relation, epsilon, delta)
    return min(epsilon, composition_of(run).epsilon(delta).upper)


def setting(relation: dp.Relation) -> dp.Setting:
    """Rows in the unit ball, labels in [-1, 1]."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)


@functools.cache
def fitter(spec: str, relation: dp.Relation) -> Fitter:
    """The method that an entry names. Raises InvalidArgument."""
    entrant = Entrant.of(spec)
    if not entrant.baseline:
        return Certified(entrant, relation)
    if entrant.like:
        raise InvalidArgument("methods", "a private method before @", spec)
    draft = unproved(
        entrant.declaration, target=NOTHING, setting=setting(relation), label=NOT_PRIVATE
    )
    return Plain(draft)


def refusal(spec: str, relation: dp.Relation, epsilon: float, delta: float) -> str:
    """Why a method does not run at this claim; "" where it does."""
    try:
        fitter(spec, relation).version(epsilon, delta)
    except Uncertified as error:
        return str(error).splitlines()[0].strip()
    return ""
