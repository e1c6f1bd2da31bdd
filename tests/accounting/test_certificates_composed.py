"""Certificates and noise on samples, composed: the cost of several fits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.mechanisms import PoissonSubsampled
from tests.support import oracles

ROWS, LABEL = dp.Rows(norm=1), dp.Column(bound=1)
SETTING = dp.Setting(X=ROWS, y=LABEL, relation=dp.ADD_REMOVE)
FIT = dp.certify(dp.JointSSP(), target=dp.ApproxDP("0.3", "1e-7"), setting=SETTING)


def test_twelve_fits():
    """The epsilon of the exact profile at sqrt(12) mu, at 50 digits; also from compositions."""
    found = dp.compose((FIT, 12)).epsilon("1e-6")
    mu = oracles.mpf(FIT.as_composition().parts[0].what.mu) * mpmath.sqrt(12)
    epsilon = mpmath.findroot(lambda e: oracles.delta_of(e, mu) - mpmath.mpf("1e-6"), 1)
    assert epsilon <= found.upper <= epsilon * (1 + mpmath.mpf("1e-9"))
    assert found == dp.compose((FIT.as_composition(), 12)).epsilon("1e-6")
    assert found == dp.compose(*[FIT] * 12).epsilon("1e-6")
    assert dp.compose(FIT).epsilon("1e-6") == FIT.as_composition().epsilon("1e-6")


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
@pytest.mark.parametrize("d", [1, 2, None])
def test_a_fit_whose_noise_follows_released_numbers_costs_at_most_its_target(relation, d):
    """Where the cost is another for other released numbers, it is that of the target."""
    setting = dp.Setting(X=dp.Rows(norm=1, d=d), y=LABEL, relation=relation)
    run = dp.certify(dp.JointSSP(), target=FIT.target, setting=setting)
    found = dp.compose(run if d else run.at(d=4)).epsilon("1e-7")
    assert 0.29 < found.upper <= 0.3 * (1 + 1e-9)


def test_an_infinite_epsilon_is_explained():
    """The deltas of twelve targets exceed the delta that is requested."""
    with pytest.warns(dp.errors.PrivacyWarning, match=r"the parts sum to 1\.2e-06"):
        assert dp.compose((FIT.target, 12)).epsilon("1e-6").upper == np.inf
    with pytest.warns(dp.errors.PrivacyWarning, match=r"the parts sum to 1\.11112e-06"):  # up
        dp.compose((dp.ApproxDP(1, "1.2345678e-7"), 9)).epsilon("1.1e-6")


def test_units_and_relations_of_certificates():
    """The relation is that of the certificates; two units of privacy are never added."""
    two = dp.Setting(X=ROWS, y=LABEL, relation=dp.ADD_REMOVE, rows_per_person=2)
    other = dp.Setting(X=ROWS, y=LABEL, relation=dp.REPLACE_ONE)
    runs = [dp.certify(dp.SSP(), target=FIT.target, setting=one) for one in (SETTING, two, other)]
    assert dp.compose((runs[2], 2)).relation is dp.REPLACE_ONE
    for wrong in ([FIT, runs[1]], [FIT, runs[2]], [runs[0].as_composition(), runs[2]]):
        with pytest.raises(dp.InvalidArgument, match=r"certificate"):
            dp.compose(*wrong)
    with pytest.raises(dp.InvalidArgument, match=r"pair: \(dp.Gaussian\(std=1\), 10\)"):
        dp.compose(dp.Gaussian(std=1), 10)
    assert dp.compose(FIT, dp.Gaussian(std=9)).epsilon("1e-6").lower == 0  # other worst pairs


def test_fits_without_a_ledger_warn_of_their_joint_cost():
    """As a composition has it at the sum of the deltas, rounded up to 6 digits."""
    X, y = np.zeros((50, 2)), np.zeros(50)
    for _ in range(11):
        dp.execute(FIT, X, y, rehearse=False) if _ == 0 else _warned(X, y)
    with pytest.warns(dp.errors.PrivacyWarning) as caught:
        dp.execute(FIT, X, y, rehearse=False)
    exact = dp.compose((FIT, 12)).epsilon("1.2e-6").upper
    stated = next(word for word in str(caught[0].message).split("(")[1].split(","))
    assert exact <= float(Fraction(stated)) <= exact * (1 + 1e-5)


def _warned(X, y):
    with pytest.warns(dp.errors.PrivacyWarning, match="by composition"):
        dp.execute(FIT, X, y, rehearse=False)


def test_noise_on_samples_is_calibrated():
    """The profile of one release in closed form at 50 digits: the mixture exceeds e^epsilon times
    N(0, s^2) above one point, and the other direction costs nothing at this rate. It is inside the
    target, and a millionth less noise is not.
    """
    q, epsilon, target = Fraction(1, 10), mpmath.mpf("0.5"), dp.ApproxDP("0.5", "1e-5")
    found = dp.calibrate((PoissonSubsampled(dp.Gaussian(std=1), rate=q), 1), target=target)

    def delta(factor):
        s, rate, grow = oracles.mpf(factor), oracles.mpf(q), mpmath.exp(epsilon)
        point = s**2 * mpmath.log((grow - 1 + rate) / rate) + mpmath.mpf("0.5")
        none, one = (mpmath.ncdf(-(point - mean) / s) for mean in (0, 1))
        assert 1 - rate > 1 / grow  # the other direction
        return (1 - rate - grow) * none + rate * one

    with mpmath.workdps(50):
        assert delta(found.factor) <= mpmath.mpf("1e-5")
        assert delta(found.factor * Fraction(999_999, 1_000_000)) > mpmath.mpf("1e-5")
    assert found.composition.delta("0.5").upper <= 1e-5
    assert str(found).startswith("Calibrated(factor=1.72")


def test_compositions_of_certificates_with_other_worst_neighbours_have_no_lower_end():
    """A record of either level moves the statistics of one fit and not those of the other, for
    which its row is 0: both cost 1, and together no more. The unit of privacy is remembered.
    """
    levels = [
        dp.Rows(columns=[dp.Categorical("c", levels=["a", "b"], baseline=one)]) for one in "ab"
    ]
    target = dp.ApproxDP(1, "1e-6")
    settings = [dp.Setting(X=one, y=LABEL, relation=dp.ADD_REMOVE) for one in levels]
    fits = [dp.certify(dp.SSP(), target=target, setting=one).as_composition() for one in settings]
    assert all(0.999 < one.epsilon("1e-6").lower <= 1 for one in fits)
    for both in (dp.compose(*fits), fits[0] + fits[1], dp.compose(dp.compose(*fits))):
        assert both.epsilon("1e-6").lower == 0
        assert both.unit == SETTING.unit
    two = dp.Setting(X=ROWS, y=LABEL, relation=dp.ADD_REMOVE, rows_per_person=2)
    with pytest.raises(dp.InvalidArgument, match="of one unit of privacy"):
        dp.compose(fits[0], dp.certify(dp.SSP(), target=target, setting=two))


def test_a_part_of_one_direction_is_refused_under_replacement():
    """As its loss alone is; a class is no certificate; a variance is printed exactly."""
    loss = PoissonSubsampled(dp.Gaussian(std=1), rate="0.01").loss(1, dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match="both directions"):
        dp.compose(dp.accountants.Part(loss), relation=dp.REPLACE_ONE)
    with pytest.raises(dp.InvalidArgument, match="part"):
        dp.compose(dp.Certificate)
    assert "variance=Fraction(9, 4)" in repr(dp.compose(dp.DiscreteGaussian(std="1.5")))
