"""A described algorithm as a declaration, which is certified and audited like any other. Saved
certificates name it by its module.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Graph, Regression, RowsNode, Setting
from dpframe.graph.graph import NEWER
from dpframe.privacy import Share

from .algorithm import Algorithm
from .bounds import bounds_of
from .build import GraphBuilder
from .functions import vocabulary_of

JOINTLY = (
    'Give its releases calibration = "jointly" and a weight in the file, no share and no size.'
)
WAY_OUT = "Describe it for these bounds, or state the sensitivity for every B and Y."


@lru_cache(maxsize=64)
def _algorithm(text: str, trust: tuple[type, ...]) -> Algorithm:
    return Algorithm.read(text, vocabulary_of(trust))


def _text(value: object) -> str:
    if isinstance(value, Algorithm):
        return str(value)
    if isinstance(value, str):
        return value
    raise InvalidArgument(
        "text", "a description", value, "dp.audits.read_description reads a file."
    )


def _classes(value: Sequence[type]) -> tuple[type, ...]:
    return tuple(value)


@Regression.register  # not among the regressions that dpframe offers to fit
@attrs.frozen(slots=False)
class Described:
    """An algorithm of formulas: its canonical text, of which the graph is built. The last step is
    named, not described, so no release is post-processed. The text may use the kinds of the classes
    in `trust`.
    """

    described: ClassVar = True
    text: str = attrs.field(converter=_text)
    trust: tuple[type, ...] = attrs.field(default=(), converter=_classes, metadata={NEWER: True})

    def __attrs_post_init__(self) -> None:
        """Raises InvalidArgument for text that is no description."""
        _algorithm(self.text, self.trust)

    @cached_property
    def algorithm(self) -> Algorithm:
        """The releases and their inputs."""
        return _algorithm(self.text, self.trust)

    def graph(self, setting: Setting, budget: Share) -> Graph:
        """One release an entry, each a fresh draw. Raises InvalidArgument, also in a setting with
        other bounds than those for which a sensitivity is stated.
        """
        algorithm = self.algorithm
        if any(one.trusted for one in algorithm.releases):
            bounds = bounds_of(setting)
            if algorithm.bounds != bounds:
                wanted = "the one for which sensitivities are stated"
                raise InvalidArgument("setting", wanted, bounds, WAY_OUT)
        return GraphBuilder.of(algorithm, setting, budget, vocabulary_of(self.trust)).graph()

    @property
    def full_name(self) -> str:
        """The name of the class, as of a regression."""
        return type(self).__name__

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Graph:
        """A description has no parts that could be declared with other noise. Raises
        InvalidArgument.
        """
        raise InvalidArgument("declaration", "one in Python, not a description", self, JOINTLY)

    def __str__(self) -> str:
        """The title in quotes; without one, `the release of gram with the stated noise`."""
        if self.algorithm.title:
            return f'"{self.algorithm.title}"'
        names = ", ".join(one.name for one in self.algorithm.releases)
        return f"the release of {names} with the stated noise"
