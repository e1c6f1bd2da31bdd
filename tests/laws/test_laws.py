"""Laws that hold for every mechanism x accountant x relation; a new mechanism joins by existing.

An instance is a mechanism of tests/support/samples.py at some size, a relation, an accountant that
can add it, and a delta. Where an accountant cannot, it must say so in words.
"""

import itertools
import math
from fractions import Fraction
from functools import cache

import pytest

import dpframe as dp
from dpframe.accountants import ACCOUNTANTS, AdditiveAccountant
from tests.support import samples

pytestmark = pytest.mark.some(8)
SIZES = (Fraction(1, 2), Fraction(3), Fraction(40))
DELTAS = (Fraction(1, 10**6), Fraction(1, 10**12))
HAIR = 1e-9  # relative slack where two intervals of one number are compared


@cache
def sample(cls, size):
    """A mechanism that hides more the larger the size."""
    return samples.MECHANISMS[cls](size)


@cache
def epsilon(things, relation, accountant, delta):
    """The interval of epsilon; things are (mechanism class, size, count) or guarantees."""
    made = [(sample(*t[:2]), t[2]) if isinstance(t, tuple) else t for t in things]
    return dp.compose(*made, relation=relation, accountant=accountant).epsilon(delta)


ALL = set(samples.MECHANISMS)
GAUSSIAN = {
    dp.Gaussian,
    dp.mechanisms.MirroredGaussian,
    dp.mechanisms.FullGaussian,
    dp.mechanisms.CorrelatedGaussian,
}
SAMPLED = {
    dp.mechanisms.PoissonSubsampled: dp.ADD_REMOVE,
    dp.mechanisms.SubsampledWithoutReplacement: dp.REPLACE_ONE,
}
PURE = ALL - GAUSSIAN - {dp.DiscreteGaussian} - set(SAMPLED)
ADDED = {  # what each accountant adds
    "basic": PURE,
    "optimal": PURE,
    "gaussian": GAUSSIAN,
    "zcdp": ALL - set(SAMPLED),
    "numeric": ALL,
    "rdp": ALL,
}


def supported(cls, relation, accountant):
    """Whether the accountant can add the mechanism under the relation."""
    return cls in ADDED[accountant.name] and SAMPLED.get(cls, relation) is relation


def marks(cls, relation, accountant):
    """Relations take turns, where both are supported; the other one is exhaustive."""
    if cls in SAMPLED:
        return [pytest.mark.slow] if accountant.name == "rdp" else []
    turn = [*samples.MECHANISMS].index(cls) + ACCOUNTANTS.index(accountant)
    return [] if relation is samples.RELATIONS[turn % 2] else [pytest.mark.exhaustive]


def family(cases):
    """A test for each mechanism, relation and accountant."""
    given = [
        pytest.param(
            *case, id=f"{case[0].__name__}-{case[1].value}-{case[2].name}", marks=marks(*case)
        )
        for case in cases
    ]
    return pytest.mark.parametrize(("cls", "relation", "accountant"), given)


CASES = list(itertools.product(samples.MECHANISMS, samples.RELATIONS, ACCOUNTANTS))
every = family([case for case in CASES if supported(*case)])
SLOW = {dp.Laplace, dp.mechanisms.PoissonSubsampled, dp.mechanisms.SubsampledWithoutReplacement}


def instances(cls):
    """Every size and delta; one of them where a sum takes the numeric accountant 0.2 s."""
    every_one = itertools.product(SIZES, DELTAS)
    return [(SIZES[1], DELTAS[0])] if cls in SLOW else every_one


@family([case for case in CASES if not supported(*case)])
def test_what_cannot_be_added_is_refused_in_words(cls, relation, accountant):
    """By name, with a requirement and a way out."""
    with pytest.raises(dp.InvalidArgument) as refusal:
        epsilon(((cls, SIZES[1], 1),), relation, accountant, DELTAS[0])
    assert all((refusal.value.name, refusal.value.requirement, refusal.value.way_out))


def same(a, b):
    """Whether two intervals may enclose one number, and neither end is far from its twin."""
    if math.isinf(a.upper) or math.isinf(b.upper):
        return a.upper == b.upper
    near = abs(a.upper - b.upper) <= HAIR * max(a.upper, b.upper) + a.width + b.width
    return near and a.lower <= b.upper * (1 + HAIR) and b.lower <= a.upper * (1 + HAIR)


@every
def test_k_times_one_is_a_list_of_k(cls, relation, accountant):
    """Self-composition equals the list."""
    for size, delta in instances(cls):
        repeated = epsilon(((cls, size, 4),), relation, accountant, delta)
        listed = epsilon(((cls, size, 1),) * 4, relation, accountant, delta)
        assert same(repeated, listed)


@every
def test_order_does_not_matter(cls, relation, accountant):
    """Two sizes, both ways round."""
    for size, delta in instances(cls):
        pair = ((cls, size, 2), (cls, 2 * size, 1))
        forth = epsilon(pair, relation, accountant, delta)
        assert same(forth, epsilon(pair[::-1], relation, accountant, delta))


@every
def test_more_noise_never_costs_more(cls, relation, accountant):
    """Twice the size, and another release."""
    for size, delta in instances(cls):
        one = epsilon(((cls, size, 1),), relation, accountant, delta)
        quieter = epsilon(((cls, 2 * size, 1),), relation, accountant, delta)
        assert quieter.lower <= one.upper
        assert quieter.upper <= one.upper * (1 + HAIR) + quieter.width


@every
def test_another_release_never_costs_less(cls, relation, accountant):
    """Nor does the same one again."""
    for size, delta in instances(cls):
        one = epsilon(((cls, size, 1),), relation, accountant, delta)
        two = epsilon(((cls, size, 1), (cls, 3 * size, 1)), relation, accountant, delta)
        assert one.lower <= two.upper
        assert one.upper <= two.upper * (1 + HAIR) + two.width + one.width


@every
def test_composing_with_nothing_is_free(cls, relation, accountant):
    """Zero releases cost nothing: post-processing is free."""
    for size, delta in instances(cls):
        alone = epsilon(((cls, size, 2),), relation, accountant, delta)
        assert same(alone, epsilon(((cls, size, 2), (cls, size, 0)), relation, accountant, delta))


@every
def test_the_profile_inverts(cls, relation, accountant):
    """delta(epsilon(delta)) <= delta, and epsilon(delta(epsilon)) <= epsilon."""
    for size, delta in instances(cls):
        whole = dp.compose((sample(cls, size), 3), relation=relation, accountant=accountant)
        spent = whole.epsilon(delta)
        if math.isfinite(spent.upper):
            there = whole.delta(Fraction(spent.upper))
            assert there.lower <= delta
            assert there.upper <= delta * (1 + HAIR) + there.width


@every
def test_a_smaller_delta_costs_more_epsilon(cls, relation, accountant):
    """And a larger epsilon less delta."""
    for size in {size for size, _ in instances(cls)}:
        costs = [epsilon(((cls, size, 2),), relation, accountant, delta) for delta in DELTAS]
        assert costs[0].lower <= costs[1].upper
        assert costs[0].upper <= costs[1].upper * (1 + HAIR) + costs[0].width


@every
def test_twice_the_sensitivity_never_costs_less(cls, relation, accountant):
    """Replace-one moves at most twice as far as add/remove: at sensitivity 2 it costs no less."""
    for size, delta in instances(cls):
        mechanism = sample(cls, size)
        try:
            if accountant.reads_losses:
                far = mechanism.loss(2, relation)
            else:
                far = mechanism.guarantee(dp.constant(2))
        except dp.InvalidArgument:
            continue  # it has one sensitivity, or one coordinate, only
        near = epsilon(((cls, size, 1),), relation, accountant, delta)
        there = dp.compose(far, relation=relation, accountant=accountant).epsilon(delta)
        assert near.lower <= there.upper
        assert near.upper <= there.upper * (1 + HAIR) + there.width + near.width


@pytest.mark.parametrize("cls", samples.MECHANISMS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_no_accountant_is_below_what_another_proves(cls, relation):
    """Conversion never gains: every upper bound is above every certified lower bound."""
    able = [a for a in ACCOUNTANTS if supported(cls, relation, a)]
    for size, delta in instances(cls):
        for count in (1, 5):
            found = {a.name: epsilon(((cls, size, count),), relation, a, delta) for a in able}
            exact = [found["numeric"]] if "numeric" in found else []
            for least, most in itertools.product(exact, found.values()):
                assert least.lower <= most.upper


@pytest.mark.parametrize("cls", samples.NOISES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("accountant", ACCOUNTANTS, ids=lambda a: a.name)
def test_the_relation_enters_through_the_sensitivity(cls, accountant):
    """Noise at one sensitivity costs the same under either relation."""
    if all(supported(cls, relation, accountant) for relation in samples.RELATIONS):
        for size, delta in instances(cls):
            costs = [epsilon(((cls, size, 3),), r, accountant, delta) for r in samples.RELATIONS]
            assert same(*costs)


@every
def test_mixing_with_others_adds_up(cls, relation, accountant):
    """With a guarantee that the accountant adds: no less than either, no more than their sum."""
    if not isinstance(accountant, AdditiveAccountant):
        for size, delta in instances(cls):
            alone = epsilon(((cls, size, 1),), relation, accountant, delta)
            other = epsilon((dp.PureDP("1/4"),), relation, accountant, delta)
            both = epsilon(((cls, size, 1), dp.PureDP("1/4")), relation, accountant, delta)
            assert both.upper * (1 + HAIR) + both.width >= max(alone.lower, other.lower)
            assert both.lower <= (alone.upper + 0.25) * (1 + HAIR)
