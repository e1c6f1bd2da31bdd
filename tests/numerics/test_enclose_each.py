"""Intervals in doubles hold what ball arithmetic and mpmath find, and little more."""

import itertools
import math
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.numerics import analytic_sigma, working
from dpframe.numerics.fast import roots as mills_module
from dpframe.numerics.fast import sigma_boxes as module
from dpframe.numerics.fast.roots import is_close, point, root_mu
from dpframe.numerics.profile import sharp_terms
from dpframe.prover.algebra import enclose, rational_ball
from dpframe.symbols.arithmetic import call, power
from dpframe.symbols.enclose_each import as_pairs, enclose_each
from tests.support.oracles import sigma_of, value

e, d, S, t, w, B, R, Y, T = (dp.parameter(name, 0) for name in "edStwBRYT")
SIGMA = call("analytic_sigma", e, d)
CONDITIONED = {  # formulas, and how many decades each symbol spans
    "noise": (power(e / S, Fraction(1, 2)) * B * SIGMA, {"e": (-3, 1), "d": (-12, -2)}),
    "sum of two": (SIGMA + B / (2 * SIGMA**2), {"e": (-3, 1), "d": (-12, -2)}),
    "loss": ((call("exp", e) - 1) / (call("exp", t) - 1), {"e": (-0.5, 1), "t": (-0.5, 1)}),
    "slope": (e * w / (2 * R * (Y + R * T)), {"e": (-3, 1)}),
    "cube root": (power(1 + e, Fraction(1, 3)) / power(S, Fraction(2, 3)), {}),
    "powers": (e**7 * S**-5 * power(B, Fraction(-3, 2)), {}),
    "shares": (call("max", e, S / 2) / call("min", B, 2 * S, 3), {}),
    "classical": (power(2 * call("log", Fraction(5, 4) / d), Fraction(1, 2)) / e, {"d": (-12, -2)}),
}
COUNT = 200


def drawn(formula, decades, count, seed=0):
    """Positive doubles for every symbol of a formula, a decade around 1 unless it says more."""
    rng = np.random.default_rng(seed)
    names = sorted(symbol.name for symbol in formula.symbols())
    return {name: 10 ** rng.uniform(*decades.get(name, (-0.5, 0.5)), count) for name in names}


def ball(formula, point):
    """The formula at one point of doubles or Fractions, by ball arithmetic."""
    exactly = {name: rational_ball(Fraction(number)) for name, number in point.items()}
    with working(128):
        return enclose(formula, exactly)


def points(values):
    """Arrays by name as one dictionary a record."""
    columns = [column.tolist() for column in values.values()]
    return [dict(zip(values, row, strict=True)) for row in zip(*columns, strict=True)]


def within(found, low, high):
    """Is a finite ball certainly between two doubles?"""
    with working(256):
        return bool(flint.arb(low) <= found) and bool(found <= flint.arb(high))


@pytest.mark.parametrize("shortest", [False, True])
@pytest.mark.parametrize("name", CONDITIONED)
def test_ball_arithmetic_lies_inside_and_near(name, shortest):
    """Every enclosure holds the ball at the number that is meant, within 1e-12 of it."""
    formula, decades = CONDITIONED[name]
    values = drawn(formula, decades, COUNT)
    pairs = {symbol: as_pairs(column, shortest=shortest) for symbol, column in values.items()}
    low, high = enclose_each(formula, pairs)
    assert low.shape == high.shape == (COUNT,)
    for record, a, b in zip(points(values), low.tolist(), high.tolist(), strict=True):
        meant = {s: Fraction(repr(x)) if shortest else Fraction(x) for s, x in record.items()}
        assert within(ball(formula, meant), a, b)
        assert 0 < a
        assert b - a < 1e-12 * a


def test_exact_fractions():
    """A third is no double: its pair holds it, and so does the formula."""
    thirds = [Fraction(k, 3) for k in range(1, 30)]
    low, high = enclose_each(SIGMA, {"e": as_pairs(thirds), "d": as_pairs(Fraction(1, 10**6))})
    for epsilon, a, b in zip(thirds, low.tolist(), high.tolist(), strict=True):
        assert within(ball(SIGMA, {"e": epsilon, "d": Fraction(1, 10**6)}), a, b)
        assert b - a < 1e-12 * a


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.01, 1e-3), (0.7, 1e-6), (3.0, 0.25), (9.0, 0.75)]
)
def test_sigma_against_mpmath(epsilon, delta):
    """By bisection of the definition, at 50 digits."""
    low, high = enclose_each(SIGMA, {"e": (epsilon, epsilon), "d": (delta, delta)})
    assert mpmath.mpf(low[0]) <= sigma_of(epsilon, delta) <= mpmath.mpf(high[0])


HOSTILE = {
    "e": [0.0, 5e-324, 1e-310, 1e-300, 1e-9, 1.0, 700.0, 1e15, 1e300],
    "d": [5e-324, 1e-310, 1e-300, 1e-12, 0.5, math.nextafter(0.5, 1), 0.9, 1 - 2**-53],
}


def test_sigma_at_hostile_points():
    """Far outside the usual domain the answer comes from ball arithmetic, or agrees with it."""
    pairs = list(itertools.product(HOSTILE["e"], HOSTILE["d"]))
    table = np.array(pairs)
    low, high = enclose_each(SIGMA, {"e": (table[:, 0],) * 2, "d": (table[:, 1],) * 2})
    for (epsilon, delta), a, b in zip(pairs, low.tolist(), high.tolist(), strict=True):
        try:
            least = analytic_sigma(epsilon, delta)
        except InvalidArgument:  # beyond the doubles
            assert b == math.inf
            assert a >= 0
        else:
            assert a <= least <= b
            assert a < least or a == 0  # the least std is just below it
            assert b - a <= 1e-12 * a + 2e-323


EXTREMES = [5e-324, 1e-310, 1e-300, 1e-9, 1.0, 700.0, 1e300, 1.7976931348623157e308]
OTHERS = [
    e + S,
    e - S,
    e * S,
    e / S,
    e**2 / S**3,
    power(e, Fraction(1, 2)) / S,
    power(e, Fraction(2, 3)) * S,
    call("log", e) - call("log", S),
    call("exp", -e) + S,
    call("exp", e) * call("exp", -S),
    call("max", call("log", e), S),
]


@pytest.mark.parametrize("formula", OTHERS, ids=str)
def test_arithmetic_at_hostile_points(formula):
    """Where a result leaves the doubles, an end is infinite or 0, never on the wrong side."""
    table = np.array(list(itertools.product(EXTREMES, EXTREMES)))
    with np.errstate(all="raise"):
        low, high = enclose_each(formula, {"e": (table[:, 0],) * 2, "S": (table[:, 1],) * 2})
    for (one, other), a, b in zip(table.tolist(), low.tolist(), high.tolist(), strict=True):
        assert holds_the_truth(truth(formula, {"e": one, "S": other}), a, b)


def random_formula(rng, depth):
    """A random tree over positive symbols; exponentials of at most 30."""
    if depth == 0:
        return [e, S, t, dp.constant(int(rng.integers(1, 9)))][rng.integers(4)]
    one, other = (random_formula(rng, depth - 1) for _ in range(2))
    makers = [
        lambda: one + other,
        lambda: one - other,
        lambda: one * other,
        lambda: one / other,
        lambda: power(one, int(rng.choice([-3, -2, 2, 3]))),
        lambda: power(one, Fraction(int(rng.choice([-3, -1, 1, 3])), 2)),
        lambda: power(one, Fraction(int(rng.choice([-2, 1, 4])), 3)),
        lambda: call("log", one),
        lambda: call("exp", call("min", one, 30)),
        lambda: call("max", one, other),
        lambda: call("min", one, other),
    ]
    try:
        return makers[rng.integers(len(makers))]()
    except InvalidArgument:  # numbers that are refused when they are written, such as 1/0
        return random_formula(rng, depth)


def truth(formula, record):
    """The value at a point by mpmath; None where a part is undefined."""
    try:
        found = value(formula, record)
    except (ZeroDivisionError, TypeError, ValueError):
        return None
    return found if isinstance(found, mpmath.mpf) and mpmath.isfinite(found) else None


def holds_the_truth(exactly, low, high):
    """An undefined formula is enclosed by everything."""
    if exactly is None:
        return (low, high) == (-math.inf, math.inf)
    return mpmath.mpf(low) <= exactly <= mpmath.mpf(high)


@pytest.mark.parametrize("seed", range(12))
def test_random_formulas_at_points(seed):
    """Trees of depth 4, whose values mpmath knows to 50 digits."""
    rng = np.random.default_rng(seed)
    finite = 0
    for _ in range(40):
        formula = random_formula(rng, 4)
        values = drawn(formula, dict.fromkeys("eSt", (-1.5, 1.5)), 5, seed)
        low, high = enclose_each(formula, {name: (x, x) for name, x in values.items()})
        for record, a, b in zip(points(values), low.tolist(), high.tolist(), strict=False):
            assert holds_the_truth(truth(formula, record), a, b)
            finite += math.isfinite(b - a)
    assert finite > 50


@pytest.mark.parametrize("seed", range(6))
def test_random_formulas_on_boxes(seed):
    """Every point of a box is enclosed: corners, and points inside."""
    rng = np.random.default_rng(100 + seed)
    finite = 0
    for _ in range(30):
        formula = random_formula(rng, 3)
        lows = drawn(formula, {}, 4, seed)
        highs = {name: low * (1 + rng.uniform(0, 0.5, 4)) for name, low in lows.items()}
        low, high = enclose_each(formula, {name: (lows[name], highs[name]) for name in lows})
        finite += int(np.sum(np.isfinite(high - low)))
        for share in (0, 1, *rng.random(4)):
            mixed = {
                name: np.clip(
                    lows[name] + share * (highs[name] - lows[name]), lows[name], highs[name]
                )
                for name in lows
            }
            for record, a, b in zip(points(mixed), low.tolist(), high.tolist(), strict=False):
                exactly = truth(formula, record)
                assert exactly is None or mpmath.mpf(a) <= exactly <= mpmath.mpf(b)
                assert exactly is not None or (a, b) == (-math.inf, math.inf)
    assert finite > 20


def test_sigma_on_wide_boxes():
    """Both corners, each a double or so from the least std there."""
    values = drawn(SIGMA, {"e": (-2, 1), "d": (-9, -0.5)}, 60)
    more = {"e": values["e"] * 1.7, "d": values["d"] * 1.9}
    low, high = enclose_each(SIGMA, {name: (values[name], more[name]) for name in "ed"})
    for strict, loose, a, b in zip(points(values), points(more), low, high, strict=True):
        most, least = (analytic_sigma(record["e"], record["d"]) for record in (strict, loose))
        assert a < least <= a * (1 + 1e-12)
        assert most <= b <= most * (1 + 1e-12)


@pytest.mark.parametrize(
    ("epsilon", "delta", "low", "high"),
    [
        ((-1.0, -0.5), (0.1, 0.2), -math.inf, math.inf),
        ((1.0, 2.0), (-0.1, 0.0), -math.inf, math.inf),
        ((1.0, 2.0), (1.0, 1.5), -math.inf, math.inf),
        ((1.0, math.inf), (0.0, 1.0), 0.0, math.inf),
    ],
)
def test_sigma_outside_its_domain(epsilon, delta, low, high):
    """Undefined outside, unbounded at the edge, for the neighbours of a good record too."""
    ends = {"e": np.array([epsilon, (1, 1)]).T, "d": np.array([delta, (0.1, 0.1)]).T}
    found = enclose_each(SIGMA, {name: tuple(pair) for name, pair in ends.items()})
    assert (found[0][0], found[1][0]) == (low, high)
    assert found[0][1] <= analytic_sigma(1, 0.1) <= found[1][1]


def test_sigma_that_reaches_over_the_edge():
    """epsilon below 0 is cut at 0, as in ball arithmetic."""
    low, high = enclose_each(SIGMA, {"e": (-1.0, 1.0), "d": (0.1, 0.1)})
    assert low[0] < analytic_sigma(1, 0.1)
    assert analytic_sigma(0, 0.1) <= high[0] < 1.01 * analytic_sigma(0, 0.1)


UNDEFINED = [
    call("log", e - S),
    call("log", e),
    power(e - S - 1, Fraction(1, 2)),
    power(e, Fraction(-1, 2)),
    power(e - S, Fraction(1, 3)),
    1 / e,
    S / (e - S),
    (e - S) ** -2,
]
MASKS = [
    lambda part: part,
    lambda part: call("max", part, 7),
    lambda part: call("min", part, 7),
    lambda part: call("exp", -part),
    lambda part: B * part,
    lambda part: call("max", part, 7) ** 2 + 1,
]


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("part", UNDEFINED, ids=str)
def test_an_undefined_part_shows(part, mask):
    """Not even a maximum with a number hides it."""
    values = {"e": (np.zeros(3), np.ones(3)), "S": (0.5, 0.75), "B": (0.0, 0.0)}
    low, high = enclose_each(mask(part), values)
    assert low.tolist() == [-math.inf] * 3
    assert high.tolist() == [math.inf] * 3


def test_the_profile_deserves_its_trust():
    """The look at the profile errs by less than a sixteenth of what it is trusted to."""
    rng = np.random.default_rng(3)
    epsilon, delta = 10 ** rng.uniform(-8, 4, 3000), 10 ** rng.uniform(-290, -0.01, 3000)
    delta[::2] = 10 ** rng.uniform(-12, -0.01, 1500)
    sign, target = np.where(delta > 0.5, -1.0, 1.0), np.where(delta > 0.5, 1 - delta, delta)
    mu = root_mu(epsilon, delta) * (1 + 2**-42 * rng.choice([-1, 1], 3000))
    given = point(epsilon, mu, sign).log_over(target)
    for one, m, s, goal, over in zip(epsilon, mu, sign, target, given, strict=True):
        exact = sharp_terms(float(one), float(m)).delta
        with working(256):
            sought = ((exact if s > 0 else 1 - exact) / flint.arb(float(goal))).log()
            assert abs(flint.arb(float(over)) - sought) < 2**-48


def test_a_difference_of_mills_ratios_hardly_cancels():
    """Where it is taken, the two differ by more than 1 part in 3.4 of their sum."""
    x = np.concatenate([np.linspace(0, 20, 4001), np.geomspace(20, 1e6, 500)])
    for at in x.tolist():
        half = max(1.25, 0.4 * at)
        assert is_close(np.array(at), np.array(2 * half))
        near, far = ratio(mpmath.mpf(at - half)), ratio(mpmath.mpf(at + half))
        assert near + far < 3.4 * (near - far)


def test_the_walk_forgets_where_it_starts():
    """From the start that it takes, but without rounding, it ends within 2^-53 of the truth."""
    x = np.concatenate([np.linspace(0, 8, 201), np.geomspace(8, 1e5, 40)])
    for at, start in zip(x.tolist(), mills_module._start(x).tolist(), strict=True):
        with mpmath.workdps(80):
            half, r = max(mpmath.mpf(1.25), mpmath.mpf("0.4") * at), [mpmath.mpf(start)]
            for k in range(49, 0, -1):
                r.append(k / (at + r[-1]))
            r = [None, *reversed(r)]  # r[1] to r[50]
            total = mpmath.mpf(1)
            for k in range(49, 2, -2):
                total = 1 + total * half**2 / ((at + r[k + 1]) * (at + r[k]))
            near, middle, far = (ratio(y) for y in (at - half, mpmath.mpf(at), at + half))
            assert abs(2 * half * total / (1 + at * (at + r[2])) / (near - far) - 1) < 2**-53
            assert at < 0.5 or abs(1 / (at + r[1]) / middle - 1) < 2**-53


def ratio(y):
    """The Mills ratio, by its definition."""
    return mpmath.erfc(y / mpmath.sqrt(2)) / mpmath.npdf(y) / 2


def test_shared_parts_are_evaluated_once(monkeypatch):
    """Also the root of analytic_sigma, which is most of the work."""
    calls = []
    monkeypatch.setattr(module, "root_mu", lambda *at: calls.append(at) or root_mu(*at))
    values = {"e": (1.0, 1.0), "d": (1e-6, 1e-6), "B": (1.0, 2.0)}
    enclose_each(SIGMA**2 + B * SIGMA + call("exp", -SIGMA), values)
    assert len(calls) == 1


def test_equal_budgets_cost_one_root(monkeypatch):
    """A thousand records of six kinds: six roots, and the same answers."""
    sizes = []
    monkeypatch.setattr(module, "root_mu", lambda *at: sizes.append(at[0].size) or root_mu(*at))
    kinds = np.arange(1000) % 6
    values = {"e": as_pairs(1.0 + kinds % 3), "d": as_pairs(1e-6 * (1 + kinds // 3))}
    low, high = enclose_each(SIGMA, values)
    assert sizes == [6]
    for i in range(6):
        one = enclose_each(SIGMA, {name: (pair[0][i], pair[1][i]) for name, pair in values.items()})
        assert set(low[i::6]) == set(one[0])
        assert set(high[i::6]) == set(one[1])


def test_records_do_not_depend_on_their_neighbours():
    """Across the blocks in which they are evaluated, with one record that is undefined."""
    formula = CONDITIONED["noise"][0]
    values = drawn(formula, {"e": (-3, 1), "d": (-12, -2)}, 20_000)
    values["S"][9_000] = 0
    low, high = enclose_each(formula, {name: (x, x) for name, x in values.items()})
    for i in (0, 8_191, 8_192, 9_000, 19_999):
        alone = enclose_each(formula, {name: (x[i], x[i]) for name, x in values.items()})
        assert (low[i], high[i]) == (alone[0][0], alone[1][0])
    assert (low[9_000], high[9_000]) == (-math.inf, math.inf)
    assert np.sum(np.isinf(high)) == 1


def test_extremes_over_records():
    """The largest std is enough for everybody, the least is needed by somebody."""
    values = drawn(SIGMA, {"e": (-1, 1), "d": (-9, -3)}, 50)
    pairs = {name: as_pairs(column) for name, column in values.items()}
    needed = [analytic_sigma(record["e"], record["d"]) for record in points(values)]
    low, high = enclose_each(SIGMA, pairs)
    assert max(needed) <= high.max() <= max(needed) * (1 + 1e-12)
    assert min(needed) * (1 - 1e-12) <= low.min() <= min(needed)
    undefined = {"e": (np.array([1.0, -1.0]),) * 2, "d": (0.1, 0.1)}
    low, high = enclose_each(SIGMA, undefined)
    assert (low.min(), high.max()) == (-math.inf, math.inf)


def test_nobody_has_no_ends():
    """Of no record."""
    nobody = {"e": (np.zeros(0), np.zeros(0))}
    assert enclose_each(e + 1, nobody)[0].shape == (0,)


def test_pairs_of_doubles():
    """Exactly, or around the shortest decimal."""
    given = np.array([0.1, 0.7, -1e-5, 3.0, 0.0, 2.0**60, 1e300, 5e-324, 1.7976931348623157e308])
    for a, b in zip(*as_pairs(given), strict=True):
        assert a == b
    low, high = as_pairs(given, shortest=True)
    for x, a, b in zip(given.tolist(), low.tolist(), high.tolist(), strict=True):
        meant = Fraction(repr(x))
        assert Fraction(a) <= meant
        assert b == math.inf or meant <= Fraction(b)
        assert (a, b) == (x, x) or (math.nextafter(x, -math.inf), math.nextafter(x, math.inf)) == (
            a,
            b,
        )
    assert (low[3], high[3], low[4], high[4]) == (3, 3, 0, 0)


def test_pairs_of_exact_numbers():
    """The nearest doubles on each side, in the shape that was given."""
    given = [Fraction(1, 3), 2**70 + 1, 5, Fraction(-1, 10), 10**400]
    for shortest in (False, True):
        low, high = as_pairs(given, shortest=shortest)
        for x, a, b in zip(given, low.tolist(), high.tolist(), strict=True):
            assert Fraction(a) <= x
            assert b == math.inf or x <= Fraction(b)
            assert b <= math.nextafter(a, math.inf)
    assert as_pairs(Fraction(1, 2)) == (0.5, 0.5)
    assert as_pairs(np.arange(3))[1].tolist() == [0, 1, 2]
    assert as_pairs([])[0].shape == (0,)
    assert as_pairs([0.1, Fraction(1, 5)], shortest=True)[0][0] < 0.1


@pytest.mark.parametrize(
    "bad",
    [[math.nan], np.array([1.0, math.inf]), [True], ["1"], [None], [[1], [1, 2]], np.array([True])],
)
def test_what_is_no_number_makes_no_pair(bad):
    """Refused, without its contents."""
    with pytest.raises(InvalidArgument, match=r"^values must be"):
        as_pairs(bad)


GOOD = (np.ones(3), np.ones(3))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"S": GOOD}, "^e must be given a pair"),
        ({"e": np.ones(3), "S": GOOD}, "^e must be a pair of ends"),
        (
            {"e": (np.ones(3), np.zeros(3)), "S": GOOD},
            "^e must be boxes with low <= high; got 3 of 3",
        ),
        ({"e": (np.full(3, np.nan),) * 2, "S": GOOD}, "^e must be boxes"),
        ({"e": (math.inf, math.inf), "S": GOOD}, "^e must be boxes"),
        ({"e": (np.ones(2), np.ones(3)), "S": GOOD}, "^e must be two ends of one shape"),
        ({"e": (np.ones(2), np.ones(2)), "S": GOOD}, "^values must be of one length"),
        ({"e": (np.ones((3, 1)),) * 2, "S": GOOD}, "^e must be doubles of shape"),
        ({"e": ([Fraction(1, 3)],) * 2, "S": GOOD}, "^e must be doubles of shape"),
        ({"e": (np.array([2**60]),) * 2, "S": GOOD}, "^e must be doubles of shape"),
        ({"e": (np.array([True]),) * 2, "S": GOOD}, "^e must be doubles of shape"),
    ],
)
def test_bad_boxes_are_refused_by_name(values, message):
    """Each says what it must be."""
    with pytest.raises(InvalidArgument, match=message):
        enclose_each(e + S, values)


def test_single_numbers_and_arrays_mix():
    """A box that is the same for all is given once; a formula without symbols has one record."""
    low, high = enclose_each(e + S, {"e": (1, 2), "S": (np.arange(3.0), np.arange(3.0))})
    assert np.all(low <= 1 + np.arange(3))
    assert np.all(high >= 2 + np.arange(3))
    assert [end.shape for end in enclose_each(dp.constant(2) * 3, {})] == [(1,), (1,)]
