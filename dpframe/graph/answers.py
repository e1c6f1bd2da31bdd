"""What the rule book answers about nodes and noise."""

from __future__ import annotations

from dpframe.identity import kind_of
from dpframe.theory.book import Answers, answers_of
from dpframe.theory.mechanisms import NOISES, Noise

from .node import Node


def answers(node: Node) -> Answers:
    """What the entry of its kind answers; no to everything for a class that is not dpframe's own,
    also where it is derived from one that is.
    """
    return answers_of(kind_of(type(node)))


def noise_of(mechanism: type) -> Noise | None:
    """The entry of a class of noise; None for a class that is not dpframe's own."""
    return NOISES.get(kind_of(mechanism))


def gaussian(mechanism: type) -> bool:
    """Whether it is dpframe's own Gaussian noise, of any shape."""
    noise = noise_of(mechanism)
    return noise is not None and noise.loss.gaussian
