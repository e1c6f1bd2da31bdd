"""Which declarations are in the dossier: every printed and every coded variant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpframe.errors import InvalidArgument, listed_words
from dpframe.graph import Regression
from dpframe.literature.catalogue import RELATIONS, example
from dpframe.literature.every import REGRESSIONS, family
from dpframe.numbers import Exact, given, open_unit, positive
from dpframe.privacy import Relation

from .case import Case, case

EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(3), Fraction(10))
DELTA = Fraction(1, 10**6)
VARIANTS = ("printed", "coded")
CLAIMLESS = ("OPSPrinted",)  # printed without the parameters that a budget affords
BOXED = ("functional mechanism",)  # families whose papers bound every entry


def subjects() -> tuple[type[Regression], ...]:
    """Every class that was printed or coded by others with a claim, families together."""
    listed = (cls for cls in REGRESSIONS if cls.__name__ not in CLAIMLESS)
    found = [cls for cls in listed if cls.variant in VARIANTS]
    families = list(dict.fromkeys(map(family, found)))
    return tuple(sorted(found, key=lambda cls: families.index(family(cls))))


def dossier(
    classes: Sequence[type[Regression]] | None = None,
    relations: Sequence[Relation] = RELATIONS,
    *,
    epsilons: Sequence[Exact] = EPSILONS,
    delta: Exact = DELTA,
) -> Iterator[Case]:
    """One case a class and relation, as soon as it is known; by default of all subjects, at
    B = Y = 1. A float claims its shortest decimal. Raises InvalidArgument.
    """
    claimed = [positive("epsilons", given("epsilons", one)) for one in epsilons]
    if not claimed:
        raise InvalidArgument("epsilons", "at least one", listed_words(epsilons))
    failing = open_unit("delta", given("delta", delta))
    for cls in subjects() if classes is None else classes:
        for relation in relations:
            box = family(cls) in BOXED
            yield case(example(cls), relation, claimed, failing, box=box)
