"""Which tables are neighbours, and how far rules move between them."""

from __future__ import annotations

from typing import NamedTuple


class Relation(NamedTuple):
    """A neighbouring relation: tables differ by rows of one person."""

    name: str
    words: str
    """What happens to those rows: "added or removed"."""
    replaced: bool
    """Whether each of them has another in its place, so that the number of rows is public. If not,
    rows are only added, or only removed.
    """

    @property
    def changes(self) -> int:
        """In how many places one changed row may be: where it was, and where it is now. As many
        cells of a partition change, and as many terms of a sum over records.
        """
        return 2 if self.replaced else 1


ADD_REMOVE = Relation("add_remove", "added or removed", replaced=False)
REPLACE_ONE = Relation("replace_one", "replaced", replaced=True)
RELATIONS = {one.name: one for one in (ADD_REMOVE, REPLACE_ONE)}
