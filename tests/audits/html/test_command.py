"""The command of a page makes the same audit again; where none does, none is given."""

import shlex

import attrs
import pytest

import dpframe as dp
from dpframe.audits import audit
from dpframe.audits.html.command import command
from dpframe.cli.options import RelationName, setting_of, target_of
from tests.support import samples
from tests.support.html_cases import CASES, found_of

TARGET = dp.ApproxDP(1, "1e-6")
ONE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def spelled(text):
    """Name, claim and setting, as the command line reads them."""
    program, verb, name, *options = shlex.split(text)
    assert (program, verb) == ("dpframe", "audit")
    given = dict(zip(options[::2], options[1::2], strict=True))
    target = target_of(given.pop("--epsilon", None), given.pop("--delta", None))
    setting = setting_of(
        given.pop("--norm", None),
        given.pop("--bound", None),
        RelationName(given.pop("--relation")).relation,
        given.pop("--rows-per-person", "1"),
        given.pop("--box", None),
    )
    return samples.regression(name)(), target, setting, given.pop("--accountant", "auto"), given


def same(one, other):
    """Settings that differ in nothing; rows of a person may be spelled in two ways."""
    spelled_alike = attrs.evolve(one, rows_per_person=other.rows_per_person)
    return spelled_alike == other and one.unit == other.unit


@pytest.mark.parametrize("name", CASES)
def test_the_command_makes_the_same_audit(name):
    """The same declaration, claim and setting."""
    done = found_of(name).audit
    text = command(done)
    if name in ("personalised", "formulas", "zcdp"):
        assert text == ""
        return
    regression, target, setting, accountant, rest = spelled(text)
    assert (regression, target) == (done.regression, done.claimed)
    assert same(setting, done.setting)
    assert (accountant, rest) == ("auto", {})


@pytest.mark.parametrize(
    "setting",
    [
        dp.Setting(X=dp.Rows(norm="1/3"), y=dp.Column(bound="0.1"), relation=dp.REPLACE_ONE),
        dp.Setting(X=dp.Rows(box=2), y=dp.Column(bound=1), relation=dp.ADD_REMOVE),
        dp.Setting(X=dp.Rows(box=2, norm=3), y=dp.Column(bound=1), relation=dp.ADD_REMOVE),
        attrs.evolve(ONE, rows_per_person=3),
    ],
    ids=["thirds", "box", "both", "rows"],
)
def test_settings(setting):
    """Exactly."""
    done = audit(dp.SSP(), target=TARGET, setting=setting, accountant="gaussian")
    _, target, found, accountant, rest = spelled(command(done))
    assert (target, accountant, rest) == (TARGET, "gaussian", {})
    assert same(found, setting)


@pytest.mark.parametrize(
    "setting",
    [
        attrs.evolve(ONE, grid=None),
        attrs.evolve(ONE, grid=8),
        attrs.evolve(ONE, y=dp.Column("income", bound=1)),
        attrs.evolve(ONE, y=dp.Column(lower=0, upper=3)),
        attrs.evolve(ONE, X=dp.Rows(norm=dp.parameter("R"))),
        attrs.evolve(ONE, X=dp.Rows(norm=dp.parameter("B", 0, 5))),
        attrs.evolve(ONE, X=dp.Rows(norm=1, intercept=True)),
    ],
    ids=["reals", "coarse", "named", "ends", "letter", "range", "intercept"],
)
def test_what_cannot_be_spelled(setting):
    """No command rather than a wrong one."""
    assert command(audit(dp.SSP(), target=TARGET, setting=setting)) == ""


def test_own_declarations_and_hyperparameters():
    """Neither has a name on the command line."""

    class SSP(dp.SSP):
        pass

    assert command(audit(SSP(), target=TARGET, setting=ONE)) == ""
    assert command(audit(dp.AdaSSP(rho="1/10"), target=TARGET, setting=ONE)) == ""
