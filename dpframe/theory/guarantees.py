"""Notions of privacy: what a target or a share of it is made of, and how it reads.

Relations: which tables are neighbours, and by how much a statistic moves between them.
"""

from __future__ import annotations

from typing import NamedTuple


class Relation(NamedTuple):
    """A neighbouring relation: tables differ by rows of one person."""

    name: str
    # What happens to those rows: "added or removed".
    words: str
    # Whether each of them has another in its place, so that the number of rows is public. If not,
    # rows are only added, or only removed.
    replaced: bool
    # Whether any two tables that differ so are neighbours. Where only some are, bounds hold, but
    # need not be attained.
    all_pairs: bool

    @property
    def changes(self) -> int:
        """In how many places one changed row may be: where it was, and where it is now. As many
        cells of a partition change, and as many terms of a sum over records.
        """
        return 2 if self.replaced else 1


ADD_REMOVE = Relation("add_remove", "added or removed", replaced=False, all_pairs=True)
REPLACE_ONE = Relation("replace_one", "replaced", replaced=True, all_pairs=True)
RELATIONS = {one.name: one for one in (ADD_REMOVE, REPLACE_ONE)}


class Guarantee(NamedTuple):
    """A notion of privacy. Which derivations prove it, each derivation says."""

    name: str
    # The names of its amounts, each of which composition adds.
    currency: tuple[str, ...]
    # The guarantee of given amounts: {0}, {1}.
    words: str
    # mu-Gaussian differential privacy gives it as soon as mu^2 is at most so many times its
    # amount; 0 where no such factor is exact.
    of_mu: int


# [DworkR14, Def 2.4]; [BunS16, Def 1.1], rho = mu^2/2 [BunS16, Prop 1.6]; [DongRS22, Def 2.6]
PURE = Guarantee("pure", ("epsilon",), "{0}-differential privacy", of_mu=0)
APPROX = Guarantee("approx", ("epsilon", "delta"), "({0}, {1})-differential privacy", of_mu=0)
ZCDP = Guarantee("zcdp", ("rho",), "{0}-zero-concentrated differential privacy", of_mu=2)
SQUARED = "Gaussian differential privacy of squared parameter {0}"
GAUSSIAN = Guarantee("gaussian", ("mu^2",), SQUARED, of_mu=1)
GUARANTEES = {one.name: one for one in list(vars().values()) if isinstance(one, Guarantee)}
BY_CURRENCY = {one.currency: one for one in GUARANTEES.values()}
OF_MU = [one for one in GUARANTEES.values() if one.of_mu]
