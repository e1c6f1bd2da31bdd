"""What an accountant is: it adds guarantees of its own kind, and knows no mechanism."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from dpframe.guarantees import Guarantee, as_kind


class Accountant(ABC):
    """Abstract: adaptive composition of guarantees of one kind."""

    __slots__ = ()
    name: ClassVar[str]
    citation: ClassVar[str]
    adds: ClassVar[type[Guarantee]]

    @abstractmethod
    def total(self, guarantees: Sequence[Guarantee]) -> Guarantee:
        """What releases with these guarantees, all of kind `adds` and each free to depend on those
        before it, satisfy together.
        """

    def admit(self, guarantee: Guarantee) -> Guarantee | None:
        """`guarantee` in the kind that this accountant adds, by a cited implication; None where
        there is none.
        """
        return as_kind(guarantee, self.adds)
