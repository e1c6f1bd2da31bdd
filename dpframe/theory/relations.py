"""Which tables are neighbours, and how far rules move between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A neighbouring relation: tables differ by rows of one person."""

    name: str
    words: str
    """What happens to those rows: "added or removed"."""
    replaced: bool
    """Whether each of them has another in its place, so that the number of rows is public. If not,
    rows are only added, or only removed.
    """

    def move(self, added: T, replaced: T) -> T:
        """How far something moves: of what a rule says of a row that is added, and of one that is
        replaced, that which bounds neighbours of this relation.
        """
        return replaced if self.replaced else added

    @property
    def changes(self) -> int:
        """In how many places one changed row may be: where it was, and where it is now. As many
        cells of a partition change, and as many terms of a sum over records.
        """
        return self.move(1, 2)


ADD_REMOVE = Relation(name="add_remove", words="added or removed", replaced=False)
REPLACE_ONE = Relation(name="replace_one", words="replaced", replaced=True)
RELATIONS = {one.name: one for one in (ADD_REMOVE, REPLACE_ONE)}
