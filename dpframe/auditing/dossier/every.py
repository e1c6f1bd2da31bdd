"""Which declarations are in the dossier: every printed and every coded variant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpframe.auditing.catalogue import RELATIONS, example, family
from dpframe.errors import InvalidArgument
from dpframe.graph import Regression
from dpframe.guarantees import Relation
from dpframe.regressions import REGRESSIONS

from .case import Case, case

EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(3), Fraction(10))
DELTA = Fraction(1, 10**6)
VARIANTS = ("printed", "coded")
BOXED = ("functional mechanism",)  # families whose papers bound every entry


def subjects() -> tuple[type[Regression], ...]:
    """Every class that was printed or coded by others, families together."""
    found = [cls for cls in REGRESSIONS if cls.variant in VARIANTS]
    families = list(dict.fromkeys(map(family, found)))
    return tuple(sorted(found, key=lambda cls: families.index(family(cls))))


def dossier(
    classes: Sequence[type[Regression]] | None = None,
    relations: Sequence[Relation] = RELATIONS,
    *,
    epsilons: Sequence[Fraction] = EPSILONS,
    delta: Fraction = DELTA,
) -> Iterator[Case]:
    """One case a class and relation, as soon as it is known; by default of all subjects, at
    B = Y = 1. Raises InvalidArgument.
    """
    if not 0 < delta < 1 or any(one <= 0 for one in epsilons):
        wanted = "positive epsilons and a delta in (0, 1)"
        raise InvalidArgument("epsilons and delta", wanted, (list(epsilons), delta))
    for cls in subjects() if classes is None else classes:
        for relation in relations:
            box = family(cls) in BOXED
            yield case(example(cls), relation, epsilons, delta, box=box)
