"""Two exercises from outside: noise of two parameters, a theorem that depends on dimension."""

from __future__ import annotations

import json
from typing import ClassVar

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.audits.lower_bounds.mechanism_draws import law_of
from dpframe.graph import functions as of
from dpframe.kernel import check
from dpframe.mechanisms import AdditiveNoise, positive_formula
from dpframe.sensitivity import L1, L2
from dpframe.symbols import exact

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
X, Y = np.full((40, 3), 0.5), np.linspace(-1, 1, 40)


@attrs.frozen(cache_hash=True)
class Mixture(AdditiveNoise):
    """Laplace noise of `scale`, or with probability `odd` of `times` that: the density ratio of two
    laws that are moved by Delta is at most exp(Delta/scale), as it is of either.
    """

    kind, gives, norm, noise = "mixture", dp.PureDP, L1, "scale"
    scale: dp.Expression = attrs.field(converter=positive_formula)
    odd: dp.Expression = attrs.field(converter=positive_formula)
    times: dp.Expression = attrs.field(converter=positive_formula)
    formula = property(lambda self: self.scale)

    @property
    def deviation(self):
        """Sqrt(2 (1 - odd + odd times^2)) scale."""
        return self.scale * dp.sqrt(2 * (1 - self.odd + self.odd * self.times**2))

    def guarantee(self, sensitivity):
        """Pure."""
        return dp.PureDP(sensitivity / self.scale)

    @staticmethod
    def sample(size, shape, rng, *, symmetric, odd, times):
        """Draws."""
        wide = np.where(rng.random(shape) < odd, times, 1.0)
        noise = wide * rng.laplace(0.0, size, shape)
        return np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) if symmetric else noise


@attrs.frozen(cache_hash=True)
class SphereTheorem(dp.Calibration):
    """Laplace noise of scale sqrt(entries) Delta_2/epsilon: Delta_1 <= sqrt(entries) Delta_2."""

    name, citation = "Sphere.pure", "[Cauchy and Schwarz]"
    currencies = (("epsilon",), ("epsilon", "delta"))

    def calibrate(self, share, sensitivity):
        """Of one number."""
        return self.calibrate_among(share, sensitivity, exact(1))

    def calibrate_among(self, share, sensitivity, entries):
        """Of many."""
        return Sphere(dp.sqrt(entries) * sensitivity / share.epsilon)

    def limit(self, share):
        """No hypothesis."""
        return


@attrs.frozen(cache_hash=True)
class Sphere(AdditiveNoise):
    """Laplace noise for a sensitivity in L2."""

    kind, gives, norm, noise = "sphere", dp.PureDP, L2, "scale"
    pure: ClassVar[dp.Calibration] = SphereTheorem()
    scale: dp.Expression = attrs.field(converter=positive_formula)
    formula = property(lambda self: self.scale)
    deviation = property(lambda self: dp.sqrt(2) * self.scale)

    def guarantee(self, sensitivity):
        """Of one number."""
        return self.guarantee_among(sensitivity, exact(1))

    def guarantee_among(self, sensitivity, entries):
        """Of many."""
        return dp.PureDP(dp.sqrt(entries) * sensitivity / self.scale)

    @staticmethod
    def sample(size, shape, rng, *, symmetric):
        """Draws."""
        noise = rng.laplace(0.0, size, shape)
        return np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) if symmetric else noise


SphereTheorem.mechanism = Sphere


class Mixed(dp.Regression):
    """A count with noise of two parameters more."""

    odd: object = attrs.field(default="1/10")

    def declare(self, X, y, budget):
        """One release."""
        noise = Mixture(1 / budget.epsilon, self.odd, 5)
        return dp.release(dp.count(X), noise, budget, name="n")


class Spherical(dp.Regression):
    """The sum of the rows, by the theorem or with its noise stated, `factor` times as large."""

    factor: object = attrs.field(default=None)

    def declare(self, X, y, budget):
        """One release."""
        if self.factor is None:
            return dp.release(X.sum(), Sphere.pure, budget, name="total")
        noise = Sphere(exact(self.factor) * dp.sqrt(X.columns) / budget.epsilon)
        return dp.release(X.sum(), noise, budget, name="total")


EACH = dp.PureDP(dp.EPSILON)


def test_noise_of_two_parameters_reaches_the_file_and_the_draw(tmp_path):
    """Both are public formulas of the certificate; other parameters are another certificate."""
    trust = [Mixture]
    proof = dp.certify(Mixed(), target=EACH, setting=SETTING, trust=trust)
    proof.save(tmp_path / "proof.json")
    (release,) = (
        node
        for node in json.loads((tmp_path / "proof.json").read_text())["graph"]["nodes"]
        if node["kind"] == "release"
    )
    assert release["states"]["parameters"] == {"odd": "1/10", "times": "5"}
    other = dp.certify(Mixed(odd="1/5"), target=EACH, setting=SETTING, trust=trust)
    assert other.hash != proof.hash
    assert dp.load(tmp_path / "proof.json", trust=trust).hash == proof.hash
    certain = dp.certify(Mixed(odd=1), target=dp.PureDP(1), setting=SETTING, trust=trust)
    drawn = [dp.execute(certain, X, Y, rng=seed).output - len(X) for seed in range(60)]
    assert 4 < np.mean(np.abs(drawn)) < 6.5  # Laplace noise of scale 5


def test_parameters_must_be_public():
    """A parameter that reads the labels is refused by its path."""

    class Leaking(dp.Regression):
        def declare(self, X, y, budget):
            odd = exact(of.aggregate("max_abs", y))
            return dp.release(dp.count(X), Mixture(1 / budget.epsilon, odd, 5), budget, name="n")

    found = dp.audit(Leaking(), target=dp.PureDP(1), setting=SETTING, trust=[Mixture])
    assert str(found.verdict) == "unproved"
    assert "odd of the noise must be public" in str(found)


def test_scaling_keeps_the_parameters():
    """The size alone is multiplied."""
    assert Mixture(2, "1/10", 5).scaled(exact(3)) == Mixture(6, "1/10", 5)
    assert Mixture(2, "1/10", 5).parameters == {"odd": exact("1/10"), "times": exact(5)}
    assert dp.Laplace(2).parameters == {}


@pytest.mark.slow
def test_it_is_what_it_says():
    """By the conformance suite, whose attack draws at the parameters."""
    dp.audits.check_mechanism(Mixture(2, "1/10", 5))


def test_an_attack_draws_at_the_parameters():
    """Ten times the scale, always: what is sampled is Laplace noise of scale 10."""
    kind = law_of(Mixture(2, 1, 5))
    drawn = kind.sample(2.0, (20_000,), np.random.default_rng(1), symmetric=False)
    assert np.abs(drawn).mean() == pytest.approx(10, rel=0.05)
    assert law_of(dp.Laplace(2)) is dp.Laplace


@pytest.mark.parametrize(("factor", "verdict"), [(None, "proved"), (1, "proved"), ("0.99", "")])
def test_a_theorem_that_depends_on_dimension(factor, verdict):
    """For every d; noise that is stated is judged by what it states for d numbers."""
    trust = [Sphere, SphereTheorem]
    found = dp.audit(Spherical(factor=factor), target=EACH, setting=SETTING, trust=trust)
    assert (str(found.verdict) == "proved") is bool(verdict)
    assert "sqrt(d)" in found.text(details=True)
    if verdict:
        assert found.certificate is not None
        run = dp.certify(
            Spherical(factor=factor), target=dp.PureDP(2), setting=SETTING, trust=trust
        )
        drawn = np.array([dp.execute(run, X, Y, rng=seed).output for seed in range(60)])
        spread = np.abs(drawn - X.sum(axis=0)).mean()
        assert spread == pytest.approx(3**0.5 / 2, rel=0.25)


DESCRIBED = """
title = "t"
relation = "add-remove"
claim = {epsilon = 1}
rows = {norm = 1}
[[release]]
name = "size"
statistic = "n"
mechanism = "mixture"
scale = "1/epsilon"
share = "epsilon"
law = "LAW"
"""


def test_a_description_states_other_parameters_of_noise():
    """By name; each one, and no others."""
    text = DESCRIBED.replace("LAW", "odd = 1/10, times = max(3, epsilon)")
    found = dp.audits.parse_description(text, trust=[Mixture])
    (release,) = found.graph.releases
    assert release.mechanism == Mixture(1, exact("1/10"), 3)
    for law in ("odd = 1/10", "odd = 1/10, times = 3, scale = 2", "odd = 1, times = 3, left = 2"):
        with pytest.raises(dp.InvalidArgument, match="those of its parameters: "):
            dp.audits.parse_description(text.replace(text.split('"')[-2], law), trust=[Mixture])
    with pytest.raises(dp.InvalidArgument, match="written name = formula"):
        dp.audits.parse_description(text.replace("odd =", "odd"), trust=[Mixture])
    laplace = text.replace('"mixture"', '"laplace"')
    with pytest.raises(dp.InvalidArgument, match="law must be left out"):
        dp.audits.parse_description(laplace, trust=[Mixture])


@attrs.frozen(cache_hash=True)
class Stairs(AdditiveNoise):
    """`width` times a two-sided geometric number plus a uniform one: a move of one number by at
    most `width`, however small, costs `cost` on each number.
    """

    kind, gives, norm, noise = "stairs", dp.PureDP, L1, "width"
    width: dp.Expression = attrs.field(converter=positive_formula)
    cost: dp.Expression = attrs.field(converter=positive_formula, default="1/100000")
    formula = property(lambda self: self.width)

    @property
    def deviation(self):
        """Of the geometric and of the uniform number."""
        ratio = dp.exp(-self.cost)
        return self.width * dp.sqrt(2 * ratio / (1 - ratio) ** 2 + dp.constant("1/12"))

    def guarantee(self, sensitivity):
        """Of one number."""
        return self.guarantee_among(sensitivity, exact(1))

    def guarantee_among(self, sensitivity, entries):
        """Of many, each of which may move: entries + sensitivity/width steps at most."""
        return dp.PureDP((entries + sensitivity / self.width) * self.cost)

    @staticmethod
    def sample(size, shape, rng, *, symmetric, cost):
        """Draws."""
        up, down = (rng.geometric(-np.expm1(-cost), shape) for _ in range(2))
        noise = size * (up - down + rng.uniform(-0.5, 0.5, shape))
        return np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) if symmetric else noise


@attrs.frozen(cache_hash=True)
class StairsTheorem(dp.Calibration):
    """`factor` times the share for each number and step; more than 1 is wrong."""

    name, citation = "Stairs.even", "[a claim]"
    currencies = (("epsilon",), ("epsilon", "delta"))
    mechanism = Stairs
    factor: object = attrs.field(default=1)

    def calibrate(self, share, sensitivity):
        """Of one number."""
        return self.calibrate_among(share, sensitivity, exact(1))

    def calibrate_among(self, share, sensitivity, entries):
        """Of many."""
        return Stairs(sensitivity, exact(self.factor) * share.epsilon / (entries + 1))

    def limit(self, share):
        """No hypothesis."""
        return


class Stepped(dp.Regression):
    """X'y with noise as the theorem sizes it, or with a stated one."""

    factor: object = attrs.field(default=None)

    def declare(self, X, y, budget):
        """One release."""
        stated = self.factor is None
        noise = Stairs(4, budget.epsilon / 2) if stated else StairsTheorem(self.factor)
        return dp.release(X.T @ y, noise, budget, name="moment")


@pytest.mark.parametrize("factor", [1, 50])
@pytest.mark.parametrize("target", [dp.PureDP(1), EACH, dp.ApproxDP(1, "1e-6")], ids=str)
def test_noise_from_outside_states_no_more_than_its_share(factor, target):
    """Where a theorem from outside sizes noise from outside: as the kernel requires."""
    options = {"target": target, "setting": SETTING, "trust": [Stairs, StairsTheorem]}
    if factor == 1:
        proof = dp.certify(Stepped(factor), **options)
        assert check(json.loads(json.dumps(proof.document))).accepted
        return
    with pytest.raises(dp.errors.Uncertified, match="no more than its share; Stairs states"):
        dp.certify(Stepped(factor), **options)
    assert "proved" not in str(dp.audit(Stepped(factor), **options).verdict).split()


@pytest.mark.parametrize("factor", [1, 50])
def test_a_calibration_is_checked_at_its_own_parameters(factor):
    """And for several numbers; the default of a parameter is not used."""
    if factor == 1:
        dp.audits.check_calibration(StairsTheorem())
        return
    with pytest.raises(dp.errors.NonConforming, match="inside the share"):
        dp.audits.check_calibration(StairsTheorem(factor))


def test_a_certificate_is_attacked_at_its_own_parameters():
    """A right claim is not flagged, though it would be at the default of the parameter."""
    rows = dp.Rows(columns=[dp.Numeric("x", 0, 1)])
    setting = dp.Setting(X=rows, y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    proof = dp.certify(Stepped(), target=EACH, setting=setting, trust=[Stairs])
    assert not dp.attack(proof.at(epsilon=4), draws=2000, seed=0).flagged


@attrs.frozen(cache_hash=True)
class Smooth(Stairs):
    """It wrongly states that half a step costs half of `cost`."""

    kind = "smooth"

    def guarantee_among(self, sensitivity, entries):
        """False."""
        return dp.PureDP(sensitivity / self.width * self.cost)


@pytest.mark.parametrize("move", [20, 1])
def test_attacks_try_small_moves_and_several_numbers(move):
    """Wrong of one number that moves by a part of the width, and of three that move together."""
    found = dp.attack(Smooth(20, 4 if move == 1 else 1), sensitivity=move, draws=20_000, seed=3)
    flagged = [one.what for one in found.findings if one.flagged]
    assert flagged
    assert move == 1 or flagged == ["a vector of 3 numbers"]
    assert not dp.attack(Stairs(20, 1), sensitivity=move, draws=20_000, seed=3).flagged
