"""Every mechanism and every certified regression, attacked: true noise passes, less is flagged.

Draws have fixed seeds, so that the verdicts are the same in every run; at confidence 1 - 1e-6 for
each attack a right claim would be flagged by one seed in a million.
"""

from __future__ import annotations

import inspect
import json
import re
from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from docs.generate.pages.attacking import row, rows, shown
from dpframe.audits.lower_bounds import certificates
from dpframe.audits.lower_bounds.certificates import strength
from dpframe.audits.lower_bounds.two_tables import TwoTables
from dpframe.mechanisms import positive_formula
from dpframe.prover.mixture import joint_gaussian
from dpframe.randomness import Randomness
from dpframe.sensitivity import L1
from tests.lower_bounds import attacked_cases as cases
from tests.lower_bounds.attacked_cases import (
    CONFIDENCE,
    MECHANISMS,
    mechanism_attack,
    noise_times,
    regression_attack,
)
from tests.support import commands, samples

# ------------------------------------------------------------- Mechanisms, with noise x0.7 and x0.5
FACTORS = ("0.7", "0.5")
every_mechanism = pytest.mark.parametrize("cls", MECHANISMS, ids=lambda cls: cls.__name__)


def test_every_mechanism_is_attacked():
    """Discovery: a mechanism without an entry, or an entry without a mechanism, is red here."""
    found = set(samples.final_subclasses(dp.Mechanism))
    assert {*MECHANISMS, dp.mechanisms.BlackBox} == found


def held(found):
    """Nothing is flagged, and no bound exceeds its claim."""
    assert not found.flagged, str(found)
    assert all(one.bound <= one.allowed for one in found.findings)


@every_mechanism
def test_the_true_noise_passes(cls):
    """At the claim of its own law; and the bounds are far from nothing."""
    found = mechanism_attack(cls)
    held(found)
    assert found.epsilon > 0.15 * found.claimed


@every_mechanism
@pytest.mark.parametrize("factor", FACTORS)
def test_too_little_noise_is_flagged(cls, factor):
    """By draws, not by the listed law alone."""
    found = mechanism_attack(cls, factor)
    assert any(one.flagged for one in found.findings), str(found)


@pytest.mark.parametrize("cls", samples.NOISES, ids=lambda cls: cls.__name__)
def test_a_sampler_that_draws_too_little_is_flagged(cls):
    """The fault is in the sampler: the mechanism says that its noise is right."""
    with noise_times("0.7"):
        options = {"draws": 16_000, "confidence": CONFIDENCE, "seed": 7}
        found = dp.attack(MECHANISMS[cls](Fraction(1)), **options)
    assert found.flagged, str(found)
    ways = [one for one in found.findings if one.whole]
    assert sum(one.flagged for one in ways) >= min(1 if cls.joint else 2, len(ways)), str(found)


@pytest.mark.parametrize("factor", [1, *FACTORS])
def test_a_black_box_is_attacked_by_what_it_stands_for(factor):
    """The claim is the black box's guarantee, the draws are a program's."""
    claim, X = dp.mechanisms.BlackBox(dp.PureDP(1), name="a sum"), np.ones((3, 1))
    options = {"on": (X, X[:2]), "draws": 6000, "confidence": CONFIDENCE, "seed": 1}
    found = dp.attack(cases.laplace_program(Fraction(factor)), claim=claim, **options)
    assert found.flagged is (factor != 1), str(found)
    with pytest.raises(dp.InvalidArgument, match=r"dp\.attack"):
        dp.attack(claim)


def test_a_small_claim_is_refuted_by_many_runs_together():
    """At mu = 1/10, 8000 draws show nothing of x0.7; of 64 runs together they do."""
    options = {"draws": 8000, "confidence": CONFIDENCE, "seed": 3}
    found = dp.attack(dp.Gaussian(std=7), claim=dp.Gaussian(std=10), **options)
    assert found.flagged
    assert all(one.repeats > 1 for one in found.findings if one.flagged)


def test_sensitivities_scale():
    """Noise 10 at sensitivity 10 is noise 1 at sensitivity 1; at sensitivity 20 it is too little
    for that claim.
    """
    true = dp.attack(dp.Laplace(scale=10), sensitivity=10, draws=8000, seed=2)
    assert true.claimed == 1
    assert not true.flagged
    assert dp.attack(dp.Laplace(scale=10), sensitivity=20, claim=dp.PureDP(1), seed=2).flagged


def whole_noise(factor):
    """Discrete Laplace noise from outside, not exact, which claims to have `factor` times its
    scale.
    """

    @attrs.frozen(cache_hash=True)
    class Whole(dp.mechanisms.AdditiveNoise):
        """Differences of geometric numbers. [tests]"""

        kind, gives, norm, noise, integer = "whole", dp.PureDP, L1, "scale", True
        scale: dp.Expression = attrs.field(converter=positive_formula)
        formula = property(lambda self: self.scale)
        deviation = property(lambda self: dp.constant(2) * self.scale)

        def guarantee(self, sensitivity):
            """Pure."""
            return dp.PureDP(sensitivity / (factor * self.scale))

        @staticmethod
        def sample(size, shape, rng, *, symmetric):
            """In doubles."""
            chance = 1 - np.exp(-1 / size)
            return (rng.geometric(chance, shape) - rng.geometric(chance, shape)).astype(float)

    return Whole(scale=2)


@pytest.mark.parametrize("factor", [1, 3])
def test_noise_in_whole_numbers_that_is_not_exact_is_attacked(factor):
    """What is claimed truly passes, three times that is flagged."""
    assert dp.attack(whole_noise(factor), seed=1).flagged == (factor == 3)


# --------------------------------------------------- Regressions, with noise x0.7 in their samplers
CERTIFIED = [
    pytest.param(cls, relation, id=f"{cls.__name__}-{relation}")
    for cls, relation in cases.certified()
]
every_regression = pytest.mark.parametrize(("cls", "relation"), CERTIFIED)


@pytest.mark.some(2)
@every_regression
def test_the_true_noise_passes_and_too_little_is_flagged(cls, relation):
    """Nothing is flagged, and every release and procedure was attacked. On the same pair too little
    noise is; the fault is in the samplers, which the proof cannot see. Where all noise is Gaussian,
    the pair's exact mu is at most the certificate's, but for 1e-9.
    """
    found = regression_attack(cls, relation)
    held(found)
    assert found.passed_over == ()
    less = regression_attack(cls, relation, "0.7")
    assert less.flagged, str(less)
    proof = cases.proof_of(cls, relation)
    joint = joint_gaussian(proof)
    if joint is not None and all(one.sampled is None for one in proof.graph.releases):
        both = TwoTables.of(proof, found.pair, Randomness.of(0))
        assert strength(both) <= float(joint.mu.value) ** 2 * (1 + 1e-9)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "cls",
    [
        dp.SSP,
        dp.AdaSSP,
        dp.literature.AdaSSPWangCoded,
        dp.regressions.ConstSSPFull,
        dp.literature.AdaSSPPiazza,
    ],
)
@pytest.mark.parametrize("relation", cases.samples.RELATIONS, ids=str)
def test_the_search_attains_what_is_attained(cls, relation):
    """Where the joint move is attained, the search comes within two parts in a hundred of it."""
    proof = cases.proof_of(cls, relation)
    both = TwoTables.of(proof, regression_attack(cls, relation).pair, Randomness.of(0))
    assert strength(both) >= 0.98 * float(joint_gaussian(proof).mu.value) ** 2


# -------------------------------------------------------------------------------- docs/attacking.md
@pytest.mark.page
@pytest.mark.exhaustive
def test_the_table_is_fresh():
    """Names and verdicts as they are; bounds are no more than a search finds, and not far below.

    If this fails: `python -m docs.generate.pages.attacking`.
    """
    found, page = rows(), shown()
    assert [one[:4] + one[6:] for one in page] == [one[:4] + one[6:] for one in found]
    for have, want in zip(page, found, strict=True):
        for i in (4, 5):
            assert float(want[i]) - 0.3 <= float(have[i]) <= float(want[i]) + 0.11, want[0]


@pytest.mark.parametrize(
    "cls", [dp.Laplace, dp.mechanisms.RandomizedResponse], ids=lambda cls: cls.__name__
)
def test_a_row_is_fresh(cls):
    """Two of them, which are quick."""
    (printed,) = [one for one in shown() if one[0] == f"`{cls.__name__}`"]
    attacks = (cases.mechanism_attack(cls, factor) for factor in ("1", "0.7"))
    found = row(cls, dp.ADD_REMOVE, *attacks)
    assert printed[:4] + printed[6:] == found[:4] + found[6:]
    assert all(float(printed[i]) <= float(found[i]) + 0.11 for i in (4, 5))


# ------------------------------------------------- What a person sees: the record, the command line
TABLES = (np.ones((3, 1)), np.ones((2, 1)))


def release(X, seed):
    """A count with half the noise that epsilon = 1 needs."""
    return len(X) + np.random.default_rng(seed).laplace(0.0, 0.5)


def test_pages():
    """Verdict first, then claim, bounds, confidence, attempts and meaning; without a flag the page
    says that nothing is proved.
    """
    text = str(dp.attack(dp.Laplace(scale="1/2"), claim=dp.PureDP(1), draws=4000, seed=1))
    assert text.startswith("Attack on laplace at sensitivity 1: FLAGGED")
    parts = ("Claimed: 1-differential", "epsilon >=", "Confidence 0.95", "REFUTED", "NOT private")
    assert [one for one in parts if one not in text] == []
    assert max(map(len, text.splitlines())) <= 120
    other = str(dp.attack(dp.Laplace(scale=1), draws=4000, seed=1))
    assert "not flagged" in other.splitlines()[0]
    assert "no proof" in other
    assert "REFUTED" not in other


def test_printed_bounds_are_rounded_down():
    """As proved: a bound is at most what was found, a claim at least what was claimed."""
    found = dp.attack(dp.Gaussian(std=3), claim=dp.GaussianDP("0.25"), draws=4000, seed=1)
    lines = re.findall(r"(delta|chance).* is at least (\S+); (\S+) is claimed", str(found))
    assert len(lines) == len(found.findings)
    for (_, bound, claimed), one in zip(lines, found.findings, strict=True):
        assert float(bound) <= one.bound
        assert float(claimed) >= one.allowed * (1 - 1e-12)
    assert float(re.search(r"epsilon >= (\S+) at", str(found))[1]) <= found.epsilon
    epsilons = re.findall(r"delta at epsilon (\S+)", str(found))
    assert {float(one) for one in epsilons} <= {
        *found.claim.grid,
        *found.claim.times(8).grid,
        *found.claim.times(16).grid,
    }


def test_a_record_is_json_with_the_pair():
    """Everything that the page has; the tables themselves."""
    found = dp.attack(release, on=TABLES, claim=dp.PureDP(1), draws=1000, seed=1)
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert record["flagged"] is True
    assert record["pair"]["tables"][1]["X"] == [[1.0], [1.0]]
    assert record["findings"][0]["flagged"] is True
    assert "flagged" in repr(found)


def test_attempts_that_were_not_made_are_listed(monkeypatch):
    """A procedure whose law is unknown: the page names it."""
    monkeypatch.setattr(certificates, "law_of", lambda *_: None)
    found = dp.attack(cases.proof_of(dp.regressions.ObjPertPure, dp.ADD_REMOVE), draws=400, seed=1)
    assert len(found.passed_over) == 1
    assert "not tried: " in str(found)


def test_progress_is_reported():
    """Each step in words."""
    steps = []
    target = dp.mechanisms.PermuteAndFlipSelection(scale=1)
    dp.attack(target, draws=1000, seed=1, on_progress=steps.append)
    assert any("1000 draws" in one for one in steps)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["Laplace", "--set", "scale=1"], 0, "not flagged"),
        (["Laplace", "--set", "scale=1/2", "--epsilon", "1"], 1, "REFUTED"),
        (["SSP", "--epsilon", "3"], 0, "all releases together"),
        (["Laplace"], 2, "--set"),
        (["Lapalce"], 2, "dpframe list"),
        (["SSP", "--draws", "3"], 2, "draws"),
    ],
)
def test_the_command(arguments, status, said):
    """Exit 0 where nothing is flagged, 1 where a claim is refuted, 2 for a bad argument."""
    options = ["--draws", "1000", "--seed", "1", *arguments]
    assert said in commands.both_streams("attack", *options, status=status)


def test_the_command_attacks_a_program(tmp_path, monkeypatch):
    """module:function, with its claim and its tables; as JSON."""
    lines = ["import numpy as np", "tables = (np.ones((3, 1)), np.ones((2, 1)))"]
    (tmp_path / "mine.py").write_text("\n".join([*lines, inspect.getsource(release)]))
    monkeypatch.chdir(tmp_path)
    words = ["mine:release", "--on", "mine:tables", "--epsilon", 1, "--draws", 1000, "--seed", 1]
    found = commands.call("attack", *words, "--json", status=1)
    assert json.loads(found)["flagged"] is True
