"""Histories of Opacus, and privacy maps of OpenDP and Tumult Core."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import dpframe as dp
from dpframe.accountants import RenyiAccountant, from_opacus, stated_by

OPACUS = [
    ([(1.1, 256 / 60000, 14063)], 2.5966555286883684, 2.38283391221129),
    ([(1.3, 256 / 60000, 3516)], 0.9545639531462444, 0.8656009466907795),
    ([(4.0, 0.01, 10000)], 1.0354900660362476, 0.9479303089506167),
    ([(0.7, 0.004, 500), (1.0, 0.004, 2000)], 2.6849807461258304, 1.9049049112901248),
    ([(2.0, 0.02, 300), (1.0, 0.01, 700), (3.0, 0.1, 50)], 2.229681406556826, 1.9761810081126239),
    ([(5.0, 1.0, 20)], 4.161624306053592, 3.849820008034191),
    ([(1.0, 0.001, 5000)], 0.7266407511899583, 0.3327810693496742),
    ([(0.6, 0.001, 1000)], 2.545344231900243, 1.426544973594012),
    ([(10.0, 0.25, 200)], 1.499312682689475, 1.374311501315061),
    (
        [(1.5, 0.05, 64), (1.5, 0.025, 128), (6.0, 1.0, 2)],
        2.058047664506146,
        1.856286648225595,
    ),
]
"""History; epsilon at delta = 1e-5 of Opacus 1.6.0, by its RDPAccountant, and by its PRVAccountant
with eps_error=0.001, whose answer is at most twice that above the truth.
"""


@pytest.mark.parametrize(("history", "renyi", "numeric"), OPACUS)
@pytest.mark.some(3)
def test_ten_histories_cost_what_opacus_says(history, renyi, numeric):
    """Its numeric accountant, to its error; its Renyi accountant has fewer orders than ours."""
    composition = from_opacus(history)
    found = composition.epsilon(1e-5)
    assert found.lower <= numeric
    assert numeric - 0.0025 <= found.upper <= numeric
    ours = RenyiAccountant().epsilon(composition.parts, Fraction(1e-5)).upper
    assert found.upper <= ours <= renyi * (1 + 1e-12)
    assert ours == pytest.approx(renyi, rel=1e-2)


def published(rate, sigma, order):
    """(order - 1) D for a whole order, as Opacus documents it: a binomial sum."""
    return math.log(
        sum(
            math.comb(order, k)
            * (1 - rate) ** (order - k)
            * rate**k
            * math.exp((k * k - k) / (2 * sigma**2))
            for k in range(order + 1)
        )
    )


@pytest.mark.parametrize("order", [2, 3, 8, 20])
@pytest.mark.parametrize(("sigma", "rate", "steps"), [(1.1, 0.004, 100), (4.0, 0.01, 1000)])
def test_divergences_are_those_of_the_published_formula(sigma, rate, steps, order):
    """At whole orders, of one step."""
    (part,) = from_opacus([(sigma, rate, steps)]).parts
    found, _ = part.what.cumulants(part.what.stack([part.what]), np.array([order - 1 + 0j]))
    assert part.count == steps
    assert found.real.item() == pytest.approx(published(rate, sigma, order), rel=1e-9)


def test_it_is_read_from_an_accountant_and_from_its_state():
    """Both hold the list; steps of nothing cost nothing."""
    history = [(1.1, 0.01, 100), (2.0, 0.0, 5), (2.0, 0.5, 0)]
    plain = from_opacus(history)
    assert len(plain.parts) == 1
    accountant = SimpleNamespace(history=history)
    assert from_opacus(accountant) == plain
    assert from_opacus({"history": history, "mechanism": "rdp"}) == plain
    assert from_opacus([]).epsilon(1e-5).upper == 0


@pytest.mark.parametrize(
    "history",
    [
        [(0, 0.1, 1)],
        [(1.0, 0.1, -1000)],
        [(1.0, 1.1, 1)],
        [(1.0, 0.1, 1.5)],
        [(math.inf, 0.1, 1)],
        [(1.0, True, 1)],
        [(1.0, 0.1)],
        ["abc"],
        {"mechanism": "rdp"},
        None,
    ],
    ids=repr,
)
def test_what_is_no_history_is_refused(history):
    """Opacus itself answers epsilon = -26820 where the number of steps is -1000."""
    with pytest.raises(dp.InvalidArgument):
        from_opacus(history)


class PureDP:
    """An output measure of Tumult Core, by its name."""


class ApproxDP:
    """Another."""


class RhoZCDP:
    """Another."""


class Exact:
    """A number of Tumult Core: rounded on request."""

    def __init__(self, value):
        self.value = Fraction(value)

    def to_float(self, *, round_up):
        """The double above."""
        return math.nextafter(float(self.value), math.inf if round_up else -math.inf)


def of(measure, found, name="map"):
    """A measurement with this privacy map."""
    return SimpleNamespace(**{"output_measure": measure, name: lambda d_in: found})


@pytest.mark.parametrize(
    ("measurement", "stated"),
    [
        (of("MaxDivergence", 0.5), dp.PureDP("0.5")),
        (of("ZeroConcentratedDivergence", 0.125), dp.ZeroConcentratedDP("0.125")),
        (of("Approximate(MaxDivergence)", (0.5, 0.25)), dp.ApproxDP("0.5", "0.25")),
        (of("Approximate(MaxDivergence)", (0.5, 0.0)), dp.PureDP("0.5")),
        (of(PureDP(), 2, "privacy_function"), dp.PureDP(2)),
        (of(ApproxDP(), (1, Fraction(1, 9)), "privacy_function"), dp.ApproxDP(1, "1/9")),
        (of(RhoZCDP(), 3, "privacy_function"), dp.ZeroConcentratedDP(3)),
    ],
    ids=range(7),
)
def test_privacy_maps_are_taken_at_their_word(measurement, stated):
    """As the guarantee that the output measure names, which composes with others."""
    assert stated_by(measurement) == stated
    other = dp.ZeroConcentratedDP("0.1")
    both = dp.compose(stated_by(measurement), other, accountant=RenyiAccountant())
    if not isinstance(stated, dp.ApproxDP):
        assert (
            both.epsilon("1e-6").upper
            > dp.compose(other, accountant=RenyiAccountant()).epsilon("1e-6").upper
        )


def test_exact_numbers_are_rounded_up():
    """A third of Tumult Core is above a third."""
    found = stated_by(of(PureDP(), Exact("1/3"), "privacy_function"))
    assert found.epsilon.value > Fraction(1, 3)


@pytest.mark.parametrize(
    "measurement",
    [
        of("RenyiDivergence", 1.0),
        of("PrivacyProfile", 1.0),
        of("MaxDivergence", math.inf),
        of("MaxDivergence", (1.0, 0.1)),
        of("Approximate(MaxDivergence)", 1.0),
        of("MaxDivergence", -1.0),
        of("MaxDivergence", "1"),
        SimpleNamespace(output_measure="MaxDivergence"),
        SimpleNamespace(map=lambda d_in: d_in),
        None,
        dp.Gaussian(1),
    ],
    ids=range(11),
)
def test_other_maps_are_refused(measurement):
    """A curve, no cost at all, no map."""
    with pytest.raises(dp.InvalidArgument):
        stated_by(measurement)


def test_measurements_of_opendp():
    """Where it is installed: Laplace, Gaussian, and its conversion to a fixed delta."""
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    space = opendp.atom_domain(T=float, nan=False), opendp.absolute_distance(T=float)
    assert stated_by(opendp.m.make_laplace(*space, scale=2.0), 1.0) == dp.PureDP("0.5")
    gaussian = opendp.m.make_gaussian(*space, scale=2.0)
    assert stated_by(gaussian, 1.0) == dp.ZeroConcentratedDP("0.125")
    fixed = opendp.c.make_fix_delta(opendp.c.make_zCDP_to_approxDP(gaussian), 1e-6)
    assert isinstance(stated_by(fixed, 1.0), dp.ApproxDP)
