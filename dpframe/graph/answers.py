"""What the rule book answers about a node."""

from __future__ import annotations

from dpframe.identity import kind_of
from dpframe.theory.book import Answers, answers_of

from .node import Node


def answers(node: Node) -> Answers:
    """What the entry of its kind answers; no to everything for a class that is not dpframe's own,
    also where it is derived from one that is.
    """
    return answers_of(kind_of(type(node)))
