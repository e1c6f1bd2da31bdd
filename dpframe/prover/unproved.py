"""Declarations that are run for research although nothing was proved of them."""

from __future__ import annotations

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import Regression, Setting
from dpframe.privacy import Guarantee

from .at_numbers import AtNumbers
from .certify import examine

NOT_PRIVATE = "NOT PRIVATE"


@attrs.frozen(slots=False, eq=False)
class Unproved(AtNumbers):
    """A declaration without a certificate: dp.experiments.simulate runs it on data that is no
    secret, and dp.execute never does.
    """


def unproved(
    regression: Regression, *, target: Guarantee, setting: Setting, label: str
) -> Unproved:
    """A declaration as it stands, to be simulated. `label` must be "NOT PRIVATE", which the
    result of a simulation then carries. Raises InvalidArgument.
    """
    if not isinstance(label, str) or label != NOT_PRIVATE:
        way_out = "Nothing was proved: write label='NOT PRIVATE', or use dp.certify."
        raise InvalidArgument("label", f"{NOT_PRIVATE!r}, word for word", label, way_out)
    return Unproved(regression, examine(regression, target=target, setting=setting))
