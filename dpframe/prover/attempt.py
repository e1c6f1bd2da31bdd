"""An attempt at a total: a named derivation, its obligations and its hypotheses."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from dpframe.graph import Joint
from dpframe.graph.graph import Class
from dpframe.symbols import Expression

from .obligation import PROVED, Constraint, Obligation

ALL = "all releases together"


@attrs.frozen
class Attempt:
    """A derivation by `name`, its obligations, and the hypotheses that carve the domain."""

    name: str
    obligations: tuple[Obligation, ...]
    constraints: tuple[Constraint, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether every obligation is."""
        return all(obligation.verdict is PROVED for obligation in self.obligations)


def joint_moves(rows: Expression, joint: Joint, grouped: Sequence[Class]) -> list[Expression]:
    """m_i, the squared mu at rows times size_i ((rows size_i/std_i)^2), times the draws."""
    return [
        release.guarantee(rows * size).amounts[0] * release.times * count
        for size, (release, count) in zip(joint.sizes, grouped, strict=True)
    ]
