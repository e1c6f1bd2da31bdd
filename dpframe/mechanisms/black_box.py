"""An external mechanism, represented by its stated guarantee."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain, of_kind
from dpframe.privacy import Guarantee
from dpframe.symbols import ONE, Expression, exact

from .base import Mechanism


def _stated(value: object) -> Guarantee:
    if not isinstance(value, Guarantee):
        way_out = "Such as dp.PureDP(1), dp.ApproxDP(1, '1e-6'), dp.ZeroConcentratedDP('1/2')."
        raise InvalidArgument("guarantee", "a guarantee", value, way_out)
    return value


@attrs.frozen(cache_hash=True)
class BlackBox(Mechanism):
    """Any mechanism that satisfies `given` for the neighbours of the analysis, which is enough for
    composition. [DworkR14, Thm B.1]

    The guarantee is assumed, not proved: `source` cites its proof. It is not rescaled, so the only
    sensitivity is 1; and it is accounted only: it has no samples.

    >>> from dpframe import PureDP
    >>> from dpframe.mechanisms import BlackBox
    >>> print(BlackBox(PureDP(1), name="a synthetic table").guarantee(1))
    1-differential privacy
    """

    kind: ClassVar[str] = "black_box"
    gives: ClassVar[type[Guarantee]] = Guarantee
    given: Guarantee = attrs.field(converter=_stated)
    name: str = attrs.field(default="", validator=of_kind(str))
    source: str = attrs.field(default="", validator=of_kind(str))

    def guarantee(self, sensitivity: Expression = ONE) -> Guarantee:
        """As given. Raises InvalidArgument for a sensitivity other than 1."""
        if exact(sensitivity, "sensitivity") != ONE:
            way_out = "State the guarantee that holds for the neighbours of this analysis."
            raise InvalidArgument("sensitivity", "1 for a black box", Plain(sensitivity), way_out)
        return self.given
