"""What one row must satisfy so that a procedure is inside its share."""

from __future__ import annotations

from dpframe.privacy import REPLACE_ONE, Relation, Share
from dpframe.symbols import Expression, exp


def of_one_row(relation: Relation, share: Share) -> tuple[Expression, Expression]:
    """What one added or removed row must satisfy: all of the share; of a replacement, which is a
    removal and an addition, (epsilon/2, delta/(1 + e^(epsilon/2))). [DworkR14, Thm 2.2]
    """
    epsilon, delta = share.epsilon, share.delta
    if relation is not REPLACE_ONE:
        return epsilon, delta
    return epsilon / 2, delta / (exp(epsilon / 2) + 1)
