"""An accountant of the user's own certifies by its own methods where its class is trusted."""

from __future__ import annotations

import json
from fractions import Fraction

import attrs
import pytest

import dpframe as dp
from dpframe.numerics import Interval
from dpframe.symbols import Expression, add, exact
from tests.support import checking as check

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
RHO = dp.RHO
CALLED: list[str] = []


@attrs.frozen
class Padded(dp.accountants.AdditiveAccountant):
    """zCDP with a margin: `factor` times the sum of all rhos."""

    name = "basic"  # says nothing
    citation = "[mine]"
    adds = dp.ZeroConcentratedDP
    factor: Expression = attrs.field(default=2, converter=lambda value: exact(value, "factor"))

    def total(self, guarantees):
        """The sum, times the factor."""
        CALLED.append("total")
        return dp.ZeroConcentratedDP(self.factor * add(*(one.amounts[0] for one in guarantees)))

    def times(self, guarantee, count):
        """So many of them."""
        return dp.ZeroConcentratedDP(count * guarantee.amounts[0])


@attrs.frozen
class Halved(dp.accountants.GaussianAccountant):
    """Half of what everything costs: wrong, and believed where it is trusted."""

    def total(self, guarantees):
        """Half the mu."""
        CALLED.append("total")
        return dp.GaussianDP(super().total(guarantees).mu / 2)


@attrs.frozen
class Summed(dp.accountants.AdditiveAccountant):
    """Sums of pure epsilons."""

    name = "summed"
    citation = "[mine]"
    adds = dp.PureDP

    def total(self, guarantees):
        """The sum."""
        return dp.PureDP(add(*(one.epsilon for one in guarantees)))

    def times(self, guarantee, count):
        """So many of them."""
        return dp.PureDP(count * guarantee.epsilon)


class Doubled(dp.Accountant):
    """Twice the certified answer, at numbers."""

    name = "doubled"
    citation = "[mine]"
    reads_losses = True

    def epsilon(self, parts, delta):
        """Twice."""
        found = dp.accountants.NumericAccountant().epsilon(parts, delta)
        return Interval(0.0, 2 * found.upper)

    def delta(self, parts, epsilon):
        """At half of epsilon."""
        return dp.accountants.NumericAccountant().delta(parts, Fraction(epsilon) / 2)


class Two(dp.Regression):
    """X'X and, `times` over, X'y, each with noise of std 1/sqrt(rho), so rho/2 each."""

    times: Expression = attrs.field(default=1)
    std: Expression = attrs.field(default=1 / dp.sqrt(RHO))

    def declare(self, X, y, budget):
        """Two releases."""
        noise = dp.Gaussian(std=self.std)
        return dp.release(X.T @ X, noise), dp.release(X.T @ y, noise, times=self.times)


class Pure(dp.Regression):
    """n, often, with Laplace noise."""

    T: Expression = attrs.field(default=dp.parameter("T", 1, closed="left", integer=True))

    def declare(self, X, y, budget):
        """One release, T times."""
        return dp.release(dp.count(X), dp.Laplace(scale=10), times=self.T)


def certify(regression, target, accountant, trust=(), **more):
    """Certify in this setting."""
    return dp.certify(
        regression, target=target, setting=SETTING, accountant=accountant, trust=trust, **more
    )


def test_its_own_total_is_what_is_compared():
    """rho in all, padded by 2: within 2 rho for every rho, and in no less."""
    done = certify(Two(), dp.ZeroConcentratedDP(2 * RHO), Padded(), [Padded])
    assert done.derivation == f"{__name__}:Padded"
    less = Fraction(1999999, 1000000)
    with pytest.raises(dp.Uncertified, match="the total must be inside the target"):
        certify(Two(), dp.ZeroConcentratedDP(less * RHO), Padded(), [Padded])
    assert certify(Two(), dp.ZeroConcentratedDP(less * RHO), "zcdp").derivation == "zcdp"


def test_its_fields_count():
    """A factor of 3 is not one of 2, and a parameter is one for all its values."""
    with pytest.raises(dp.Uncertified):
        certify(Two(), dp.ZeroConcentratedDP(2 * RHO), Padded(3), [Padded])
    c = dp.parameter("c", 0, 5)
    done = certify(Two(), dp.ZeroConcentratedDP(5 * RHO), Padded(c), [Padded])
    assert done.derivation.endswith(":Padded")


def test_the_certificate_says_that_it_is_believed():
    """Among what is assumed, and where the derivation is named."""
    done = certify(Two(), dp.ZeroConcentratedDP(2 * RHO), Padded(), [Padded])
    said = f"{__name__}:Padded is trusted: what it states of what releases cost together"
    assert any(one.startswith(said) for one in done.assumptions)
    assert "believed on your word" in str(done)


def test_a_wrong_accountant_is_believed_only_where_it_is_trusted():
    """Half the mu is proved on its word, by no other."""
    target = dp.GaussianDP(dp.sqrt(2 * RHO) / 2)
    assert "Halved is trusted" in str(certify(Two(), target, Halved(), [Halved]))
    for accountant in ("auto", dp.accountants.GaussianAccountant()):
        with pytest.raises(dp.Uncertified):
            certify(Two(), target, accountant, [Halved])


@pytest.mark.parametrize(
    "accountant", [Padded(), Halved(), Summed(), Doubled()], ids=lambda one: type(one).__name__
)
def test_without_trust_it_is_refused_unasked(accountant):
    """The sentence says what to write, and none of its methods is called."""
    CALLED.clear()
    name = type(accountant).__name__
    for trust in ((), (dp.accountants.BasicAccountant, Two)):
        with pytest.raises(dp.Uncertified, match=rf"trust=\[{name}\]"):
            certify(Two(), dp.ApproxDP(50, "1e-6"), accountant, trust)
    assert not CALLED


def test_trust_in_a_class_is_none_in_what_derives_from_it():
    """A subclass says its own."""

    class Bolder(Padded):
        pass

    with pytest.raises(dp.Uncertified, match=r"trust=\[Bolder\]"):
        certify(Two(), dp.ZeroConcentratedDP(2 * RHO), Bolder(), [Padded])


def test_an_approximate_target_follows_from_a_total_in_any_kind():
    """zCDP by its conversion, Gaussian DP by its profile, pure as it is."""
    two = Two(std=exact(10))
    assert certify(two, dp.ApproxDP("4/5", "1e-6"), Padded(1), [Padded]).region == ()
    with pytest.raises(dp.Uncertified):
        certify(two, dp.ApproxDP("1/2", "1e-6"), Padded(1), [Padded])
    assert certify(two, dp.ApproxDP("1/3", "1e-6"), Halved(), [Halved]).region == ()
    with pytest.raises(dp.Uncertified):
        certify(two, dp.ApproxDP("1/4", "1e-6"), Halved(), [Halved])


def test_parameters_count_draws():
    """T draws of epsilon 1/10 are T/10, for every whole T."""
    T = dp.parameter("T", 1, closed="left", integer=True)
    assert certify(Pure(), dp.PureDP(T / 10), Summed(), [Summed]).region == ()
    with pytest.raises(dp.Uncertified):
        certify(Pure(), dp.PureDP(T / 11), Summed(), [Summed])


def test_numbers_are_asked_of_one_that_knows_no_symbols():
    """Its `epsilon` of all losses, at the target's delta."""
    two = Two(std=exact(10))
    assert certify(two, dp.ApproxDP("8/5", "1e-6"), Doubled(), [Doubled]).derivation.endswith(
        ":Doubled"
    )
    with pytest.raises(dp.Uncertified):
        certify(two, dp.ApproxDP("1", "1e-6"), Doubled(), [Doubled])


def test_what_it_cannot_add_is_refused():
    """Gaussian noise has no pure epsilon."""
    with pytest.raises(dp.Uncertified, match="some derivation must apply"):
        certify(Two(), dp.ApproxDP(50, "1e-6"), Summed(), [Summed])


def test_a_total_that_is_no_guarantee_is_refused():
    """Such as a number."""

    @attrs.frozen
    class Number(Padded):
        def total(self, guarantees):
            return 0

    with pytest.raises(dp.InvalidArgument, match="a guarantee"):
        certify(Two(), dp.ZeroConcentratedDP(RHO), Number(), [Number])


def test_numbers_outside_fields_are_refused():
    """A certificate could not name them."""
    loose = Doubled()
    loose.factor = 2
    with pytest.raises(dp.InvalidArgument, match="fields of attrs"):
        certify(Two(std=exact(10)), dp.ApproxDP(2, "1e-6"), loose, [Doubled])


def test_a_file_brings_it_back(tmp_path):
    """With its fields; and not where its module may not be named."""
    path = tmp_path / "padded.json"
    done = certify(Two(), dp.ZeroConcentratedDP(3 * RHO), Padded(3), [Padded])
    done.save(path)
    again = dp.load(path, trust=[Padded])
    assert again.hash == done.hash
    assert again.report.problem.accountant == Padded(3)
    content = json.loads(path.read_text())
    assert content["declaration"]["accountant"]["class"] == f"{__name__}:Padded"
    with pytest.raises(dp.errors.BadCertificate, match="names modules"):
        dp.load(path, modules=("dpframe",))
    content["declaration"]["accountant"]["fields"]["factor"]["formula"] = "4"
    with pytest.raises((dp.errors.BadCertificate, dp.Uncertified)):
        dp.load(content)


def test_the_kernel_says_that_the_total_is_on_its_word():
    """Where an assumption names it; every node is shown as ever."""
    done = certify(Two(), dp.ZeroConcentratedDP(2 * RHO), Padded(), [Padded])
    document = json.loads(json.dumps(done.document))
    verdict = check.check(document)
    assert verdict.accepted
    assert f"The total itself is what {__name__}:Padded says that it is." in verdict.sentence
    assert not check.check(document, trusted=()).accepted
    assert "sensitivity" in check.check(check.bent(document, "gram", inputs=[0])).reason


# ---------------------------------- An accountant certifies as the object that it is, or is refused
TARGET = dp.ApproxDP(1, "1e-6")
AS_THEY_ARE = {one.name: type(one) for one in dp.accountants.ACCOUNTANTS}


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
    [Everything(), dp.accountants.BasicAccountant, None, 1, "moments"],
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
