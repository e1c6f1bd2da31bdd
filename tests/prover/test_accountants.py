"""An accountant certifies as the object that it is, or is refused: its name says nothing."""

import attrs
import pytest

import dpframe as dp

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(1, "1e-6")
AS_THEY_ARE = {
    "basic": dp.accountants.BasicAccountant,
    "gaussian": dp.accountants.GaussianAccountant,
    "zcdp": dp.accountants.ConcentratedAccountant,
    "numeric": dp.accountants.NumericAccountant,
    "optimal": dp.accountants.OptimalAccountant,
    "rdp": dp.accountants.RenyiAccountant,
}


class Halving(dp.accountants.BasicAccountant):
    """Says half of what everything costs, under the name of the basic accountant."""

    __slots__ = ()

    def total(self, guarantees):
        """Half."""
        whole = super().total(guarantees)
        return attrs.evolve(whole, epsilon=whole.epsilon / 2)


class Everything:
    """Equals every accountant and has the name of one."""

    name = "basic"
    __hash__ = None

    def __eq__(self, other):
        return True


def basic(**more):
    """Basic."""
    return dp.certify(dp.literature.AdaSSPBudget(), target=TARGET, setting=SETTING, **more)


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_an_accountant_of_ours_is_its_name(name):
    """An accountant of ours is its name."""
    regression = dp.literature.AdaSSPBudget()
    found = [
        dp.examine(regression, target=TARGET, setting=SETTING, accountant=one)
        for one in (name, AS_THEY_ARE[name]())
    ]
    assert found[0].accountant == found[1].accountant == name
    assert found[0].proved == found[1].proved


@pytest.mark.parametrize(
    "accountant",
    [
        Everything(),
        dp.accountants.BasicAccountant,
        None,
        1,
        "moments",
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
@pytest.mark.parametrize("verb", [dp.certify, dp.examine, dp.audit])
def test_any_other_is_refused_with_those_that_can(accountant, verb):
    """Any other is refused with those that can."""
    with pytest.raises(dp.InvalidArgument) as refused:
        verb(dp.SSP(), target=TARGET, setting=SETTING, accountant=accountant)
    assert "basic" in str(refused.value)
    assert "numeric" in str(refused.value)


def test_a_method_put_into_an_accountant_is_seen(monkeypatch):
    """A method put into an accountant is seen."""
    monkeypatch.setattr(dp.accountants.BasicAccountant, "total", Halving.total)
    with pytest.raises(dp.Uncertified, match="is not the class that dpframe's files have"):
        basic(accountant=dp.accountants.BasicAccountant())


def test_composition_uses_the_accountant_that_it_is_given():
    """Composition uses the accountant that it is given."""
    parts = (dp.PureDP(1), dp.PureDP(2))
    assert (
        dp.compose(*parts, accountant=dp.accountants.BasicAccountant()).epsilon("1e-6").upper > 2.9
    )
    assert dp.compose(*parts, accountant=Halving()).epsilon("1e-6").upper <= 1.5
