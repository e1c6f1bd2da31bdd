"""The dossier's cases, each made once, when it is asked for."""

from collections.abc import Mapping

import pytest

import dpframe as dp
from docs.generate.dossier import dossier, subjects

RELATIONS = {str(relation): relation for relation in (dp.ADD_REMOVE, dp.REPLACE_ONE)}
FEW = ("SSPWangCoded", "AdaSSPBudget", "AdaSSPWangCoded", "FunctionalLinearPrinted", "TukeyCoded")


class Cases(Mapping):
    """By name and relation."""

    def __init__(self):
        self.classes, self.made = {cls.__name__: cls for cls in subjects()}, {}

    def __iter__(self):
        return ((name, relation) for name in self.classes for relation in RELATIONS)

    def __len__(self):
        return len(RELATIONS) * len(self.classes)

    def __getitem__(self, key):
        if key not in self.made:
            name, relation = key
            (self.made[key],) = dossier([self.classes[name]], [RELATIONS[relation]])
        return self.made[key]


@pytest.fixture(scope="session")
def cases():
    """Every case."""
    return Cases()


@pytest.fixture(scope="session", params=["a few", pytest.param("all", marks=pytest.mark.slow)])
def listed(request, cases):
    """A few of the cases, or all."""
    few = [(name, relation) for name in FEW for relation in RELATIONS]
    return {key: cases[key] for key in (few if request.param == "a few" else cases)}
