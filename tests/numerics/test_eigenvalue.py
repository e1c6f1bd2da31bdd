"""The smallest eigenvalue of an integer matrix is rounded down exactly, whatever doubles say.

The oracle is the definition: m is right if K - m u I is positive semidefinite and K - (m + 1) u I
is not, decided by symmetric elimination in Fractions, which shares nothing with eigenvectors,
determinants or characteristic polynomials. Where the spectrum is known in closed form (Sylvester's
H has H'H = d I, so H diag(c) H' has the eigenvalues d c_i) that decides as well.
"""

import math
import random
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from dpframe.errors import InvalidArgument
from dpframe.numerics import eigenvalue, floor_smallest_eigenvalue
from dpframe.numerics.eigenvalue import Definiteness, whole_matrix

UNIT = 2**20
MOST = 2**40  # of the square norm of a row


def whole(rows):
    """An object array (d, d) of Python integers."""
    return np.array([[int(entry) for entry in row] for row in rows], dtype=object)


def is_semidefinite(matrix, shift=0):
    """K - shift I >= 0, by eliminating positive pivots in Fractions until none is left."""
    left = [[Fraction(int(entry)) for entry in row] for row in matrix]
    for i, row in enumerate(left):
        row[i] -= shift
    while left:
        pivot = max(range(len(left)), key=lambda i: left[i][i])
        if left[pivot][pivot] <= 0:  # then every diagonal entry is 0, or one is negative
            return all(entry == 0 for row in left for entry in row)
        head, rest = left[pivot], [i for i in range(len(left)) if i != pivot]
        left = [[left[i][j] - left[i][pivot] * head[j] / head[pivot] for j in rest] for i in rest]
    return True


def is_the_floor(floor, matrix, unit):
    """The definition."""
    below = is_semidefinite(matrix, floor * unit)
    return below and not is_semidefinite(matrix, (floor + 1) * unit)


def floor_by_mpmath(matrix, unit):
    """From the eigenvalues at 100 digits, none of them within 10^-60 of a whole unit."""
    with mpmath.workdps(100):
        rows = [[int(entry) for entry in line] for line in matrix]
        value = mpmath.eigsy(mpmath.matrix(rows), eigvals_only=True)[0] / unit
        assert abs(value - mpmath.nint(value)) > mpmath.mpf(10) ** -60
        return int(mpmath.floor(value))


def row(source, order, most=MOST):
    """An integer vector whose square norm is at most `most`, and nearly that."""
    raw = [source.gauss(0, 1) for _ in range(order)]
    norm = math.sqrt(sum(x * x for x in raw))
    vector = np.array([int(x / norm * math.isqrt(most)) for x in raw], dtype=object)
    assert 0 <= most - vector @ vector
    return vector


def gram(source, order, rows, copies=1):
    """X'X of some distinct rows, each `copies` times, and one row more."""
    total = sum(np.outer(x, x) for x in (row(source, order) for _ in range(rows)))
    extra = row(source, order)
    return total * copies + np.outer(extra, extra)


def hadamard(order):
    """Sylvester's matrix of signs; `order` is a power of 2."""
    signs = np.array([[1]], dtype=object)
    while len(signs) < order:
        signs = np.block([[signs, signs], [signs, -signs]])
    return signs


def with_spectrum(*eigenvalues):
    """A dense integer matrix with exactly these eigenvalues, each a multiple of their number."""
    order = len(eigenvalues)
    signs = hadamard(order)
    assert all(value % order == 0 for value in eigenvalues)
    return (signs * [value // order for value in eigenvalues]) @ signs.T


def shuffled(source, *blocks):
    """A block diagonal matrix whose rows and columns have the same permutation."""
    order = sum(len(block) for block in blocks)
    matrix, start = np.zeros((order, order), dtype=object), 0
    for block in blocks:
        end = start + len(block)
        matrix[start:end, start:end], start = block, end
    places = source.sample(range(order), order)
    return matrix[np.ix_(places, places)]


def one_hot(source, order, counts):
    """X'X of rows that are 2^20 in one column each."""
    return shuffled(source, *([[count * MOST]] for count in counts[:order]))


FAR = 2**73


def by_structure():
    """Name: (matrix, its floor in units of 2^20), for zeros, ranks, multiplicities and blocks."""
    source, far = random.Random(7), FAR
    dense = gram(source, 5, 9)
    signs = whole([[2**30 * (-1) ** (i * j) for j in range(9)] for i in range(9)])
    eye, ones = whole(np.eye(9)), whole(np.ones((9, 9)))
    thin = whole([[source.randint(-(2**17), 2**17) for _ in range(4)] for _ in range(9)])
    top = math.lcm(*range(1, 20)) * 2**40
    hilbert = whole([[top // (i + j + 1) for j in range(10)] for i in range(10)])
    return {
        "zero of order 1": (whole([[0]]), 0),
        "one below a unit": (whole([[UNIT - 1]]), 0),
        "a unit": (whole([[UNIT]]), 1),
        "zero": (whole(np.zeros((6, 6))), 0),
        "a column of zeros": (shuffled(source, dense, [[0]]), 0),
        "one-hot rows": (one_hot(source, 8, [5, 3, 9, 4, 3, 8, 7, 6]), 3 * UNIT),
        "one-hot rows, one count huge": (one_hot(source, 4, [5, 10**10, 7, 10**9]), 5 * UNIT),
        "scalar": (eye * (7 * UNIT), 7),
        "scalar, one below": (eye * (7 * UNIT) - eye, 6),
        "multiplicity d - 1": (eye * (7 * UNIT) + ones * 2**40, 7),
        "multiplicity d - 1, huge": (eye * (2**50 * UNIT) + ones * far, 2**50),
        "multiplicity d - 1, huge, one below": (eye * (2**50 * UNIT - 1) + ones * far, 2**50 - 1),
        "multiplicity d - 1, between": (eye * (2**50 * UNIT + 9) + ones * far, 2**50),
        "multiplicity 5": (eye * (7 * UNIT) + thin @ thin.T, 7),
        "multiplicity 5, huge": (eye * (7 * UNIT) + thin @ thin.T * 2**35, 7),
        "multiplicity 5, one below": (eye * (7 * UNIT) + thin @ thin.T * 2**35 - eye, 6),
        "rank deficient": (thin @ thin.T, 0),
        "rank deficient, huge": (thin @ thin.T * 2**35, 0),
        "rank 2": (signs @ signs.T, 0),
        "two": (whole([[5 * UNIT, 2 * UNIT], [2 * UNIT, 5 * UNIT]]), 3),
        "two, one below": (whole([[5 * UNIT, 2 * UNIT + 1], [2 * UNIT + 1, 5 * UNIT]]), 2),
        "blocks": (
            shuffled(
                source,
                with_spectrum(*[10 * UNIT] * 3, far),
                dense,
                [[11 * UNIT]],
                whole([[12 * UNIT, 3 * UNIT], [3 * UNIT, 12 * UNIT]]),
            ),
            9,
        ),
        "Hilbert's": (hilbert, floor_by_mpmath(hilbert, UNIT)),
    }


def by_spectrum():
    """The same for matrices of a known spectrum, at and beside ties."""
    far, spread = FAR, [8 * UNIT * 10**k for k in range(1, 8)]

    def cluster(*places):
        return with_spectrum(*[8 * UNIT + 8 * k for k in places], *[far] * (8 - len(places)))

    return {
        "tie at one unit": (with_spectrum(UNIT, *spread), 1),
        "below one unit": (with_spectrum(UNIT - 8, *spread), 0),
        "tie": (with_spectrum(8 * UNIT, *spread), 8),
        "tie, one step of spectrum below": (with_spectrum(8 * UNIT - 8, *spread), 7),
        "tie, one step of spectrum above": (with_spectrum(8 * UNIT + 8, *spread), 8),
        "tie beside 2^73": (with_spectrum(8 * UNIT, *[far + 8 * k for k in range(7)]), 8),
        "below a tie beside 2^73": (with_spectrum(8 * UNIT - 8, *[far] * 7), 7),
        "cluster at a tie": (cluster(0, 1, 2, 3), 8),
        "cluster below a tie": (cluster(-4, -1, -2, -3), 7),
        "cluster about a tie": (cluster(1, 0, -1, 2), 7),
        "six below a tie beside 2^73": (cluster(*range(-1, -7, -1)), 7),
        "all but one equal": (with_spectrum(*[8 * UNIT] * 7, far), 8),
        "all equal and one below": (with_spectrum(*[far] * 7, far - 8), (far - 8) // UNIT),
        "beyond doubles": (with_spectrum(8 * UNIT, *[2**1500] * 3), 8),
        "far beyond doubles": (
            with_spectrum(*[UNIT * 2**1500] * 3, UNIT * (2**1500 - 4)),
            2**1500 - 4,
        ),
    }


CASES = by_structure() | by_spectrum()


@pytest.mark.parametrize("name", CASES)
def test_adversarial(name):
    """Ties, clusters, huge entries, blocks: the closed form and the definition."""
    matrix, floor = CASES[name]
    before = matrix.copy()
    answer = floor_smallest_eigenvalue(matrix, UNIT)
    assert type(answer) is int
    assert answer == floor
    assert is_the_floor(answer, matrix, UNIT)
    assert (matrix == before).all()


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("order", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("copies", [1, 10**9])
@pytest.mark.parametrize("unit", [1, 21, UNIT, 2**60])
def test_random(order, copies, unit):
    """Gram matrices of rows on a grid, few and 10^10: the definition, and mpmath at 100 digits."""
    source = random.Random(order * copies + unit)
    for rows in (order, 3 * order):
        matrix = gram(source, order, rows, copies)
        floor = floor_smallest_eigenvalue(matrix, unit)
        assert is_the_floor(floor, matrix, unit)
        assert order == 1 or floor == floor_by_mpmath(matrix, unit)


def test_random_of_order_40():
    """The definition, at an order at which every product has many terms."""
    matrix = gram(random.Random(40), 40, 90, 10**8)
    assert is_the_floor(floor_smallest_eigenvalue(matrix, UNIT), matrix, UNIT)


def test_integer_types_agree():
    """int32, int64, uint64, Python integers and numpy integers as objects."""
    small = whole([[70000, 3, 0], [3, 90000, 0], [0, 0, 80000]])
    answers = {
        floor_smallest_eigenvalue(small.astype(kind), 7)
        for kind in (np.int32, np.int64, np.uint64, object)
    }
    objects = np.array([[np.int64(x) for x in line] for line in small], dtype=object)
    assert answers == {9999} == {floor_smallest_eigenvalue(objects, np.int64(7))}


def neighbours():
    """Pairs (K, k): random, with k along the lowest direction, and at ties."""
    source = random.Random(11)
    for copies in (0, 1, 10**9):
        for order in (1, 2, 4, 8):
            matrix = gram(source, order, 3 * order, copies)
            lowest = np.linalg.eigh(matrix.astype(float))[1][:, 0] * 2.0**20
            yield matrix, row(source, order)
            yield matrix, whole([np.trunc(lowest)])[0]
    signs = hadamard(4)
    for least in (0, 4 * UNIT, 4 * UNIT - 4, 4 * UNIT + 4, 2**70):
        for others in (2**60, 2**73):
            matrix = with_spectrum(least, *[others + 4 * k for k in range(3)])
            for size in (2**19, 2**19 - 1):  # |signs k|^2 = 4 size^2, at most 2^40
                yield matrix, signs[:, 0] * size
            yield matrix, signs[:, 1] * 2**19
            yield matrix, row(source, 4)


def test_one_row_moves_the_floor_by_at_most_its_share():
    """0 <= m(K + kk') - m(K) <= 2^40/unit for |k|^2 <= 2^40, at several units, and it is attained.

    Replacing k by l moves it by no more, whichever way.
    """
    attained = 0
    for matrix, k in neighbours():
        assert k @ k <= MOST
        for unit in (2**10, UNIT, MOST):
            share = MOST // unit
            added = floor_smallest_eigenvalue(matrix + np.outer(k, k), unit)
            other = floor_smallest_eigenvalue(matrix + np.outer(k[::-1], k[::-1]), unit)
            move = added - floor_smallest_eigenvalue(matrix, unit)
            assert 0 <= move <= share
            assert abs(added - other) <= share
            attained += move == share
    assert attained >= 10


def blurred(answer):
    """With errors of a few degrees."""
    noise = np.random.default_rng(3).normal(size=answer[1].shape)
    return answer[0], np.clip(answer[1] + 0.05 * noise, -2, 2)


HINTS = {
    "none": lambda answer: (answer[0], np.eye(len(answer[0]))),
    "reversed": lambda answer: (answer[0], answer[1][:, ::-1]),
    "blurred": blurred,
    "tiny": lambda answer: (answer[0], answer[1] * 2.0**-50),
    "zero": lambda answer: (answer[0], answer[1] * 0),
    "huge": lambda answer: (answer[0], answer[1] * 1e300),
    "singular": lambda answer: (answer[0], answer[1][:, [-1] * len(answer[0])]),
    "without the lowest": lambda answer: (answer[0], answer[1][:, [-1, *range(1, len(answer[0]))]]),
    "not a number": lambda answer: (answer[0], answer[1] * np.nan),
}


def fails(answer):
    """LAPACK does not converge."""
    raise np.linalg.LinAlgError


@pytest.mark.parametrize("hint", [*HINTS.values(), fails], ids=[*HINTS, "fails"])
def test_hints_cannot_change_the_answer(hint, monkeypatch):
    """Eigenvectors that are wrong, singular, no numbers or missing cost time only."""
    true = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda matrix: hint(true(matrix)))
    for matrix, floor in CASES.values():
        assert floor_smallest_eigenvalue(matrix, UNIT) == floor


WAYS = {
    "D4, D5, D6 alone": ("_rest_follows", lambda form, secure, least: False),
    "D6 alone": ("_secured", lambda form: (np.zeros(len(form), dtype=bool), 1)),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_decides(way, monkeypatch):
    """With the quicker ways shut, the slower ones give the same answers."""
    monkeypatch.setattr(eigenvalue, *WAYS[way])
    for matrix, floor in CASES.values():
        assert floor_smallest_eigenvalue(matrix, UNIT) == floor


def test_every_way_is_taken(monkeypatch):
    """The cases reach D2, D3, D4, D5 and D6: each where its name says."""
    taken = set()
    rest, exact = eigenvalue._rest_follows, Definiteness._exactly
    signs = eigenvalue._by_signs

    def watch_rest(form, secure, least):
        answer = rest(form, secure, least)
        if answer:
            taken.add("D2" if secure.all() else "D3")
        return answer

    def watch_exact(proof, bound, positive):
        depth.append("D4" if positive == proof.matrix.nrows() - 1 else "D5")
        answer = exact(proof, bound, positive)
        taken.add(depth.pop())
        return answer

    def watch_signs(matrix):
        if depth:
            depth[-1] = "D6"
        return signs(matrix)

    depth = []
    monkeypatch.setattr(eigenvalue, "_rest_follows", watch_rest)
    monkeypatch.setattr(Definiteness, "_exactly", watch_exact)
    monkeypatch.setattr(eigenvalue, "_by_signs", watch_signs)
    for matrix, _ in CASES.values():
        floor_smallest_eigenvalue(matrix, UNIT)
    assert taken == {"D2", "D3", "D4", "D5", "D6"}


def test_random_ones_need_no_exact_way(monkeypatch):
    """Away from ties D1-D3 decide at once, with 10^10 rows too, where doubles are off by units."""
    monkeypatch.setattr(
        Definiteness, "_exactly", lambda proof, bound, positive: pytest.fail("exact")
    )
    for order in (2, 5, 13, 30):
        for copies in (1, 10**9):
            matrix = gram(random.Random(order), order, 2 * order, copies)
            assert floor_smallest_eigenvalue(matrix, UNIT) > 0


def indefinite(source):
    """Small symmetric matrices of every inertia, many of them singular."""
    for _ in range(400):
        order, rank = source.randint(1, 5), source.randint(0, 5)
        factor = whole([[source.randint(-2, 2) for _ in range(rank)] for _ in range(order)])
        middle = [source.choice([1, 1, 1, 2, -1]) for _ in range(rank)]
        yield (factor.reshape(order, rank) * middle) @ factor.reshape(order, rank).T + 0


def test_signs_decide():
    """D6 against elimination, on semidefinite, singular and indefinite matrices."""
    answers = []
    for matrix in indefinite(random.Random(5)):
        entries = whole(matrix)
        assert eigenvalue._by_signs(whole_matrix(entries)) == is_semidefinite(entries)
        answers.append(is_semidefinite(entries))
    assert 50 < sum(answers) < 350


def test_definiteness_with_any_hints():
    """at_least against elimination, for any K and hints: unit, random, and singular ones."""
    source = random.Random(6)
    for matrix in indefinite(source):
        entries, order = whole(matrix), len(matrix)
        diagonal = [source.choice([0, 1, 1]) for _ in range(order)]
        for hints in (
            np.eye(order, dtype=object),
            np.diag(diagonal),
            whole([[source.randint(-3, 3) for _ in range(order)] for _ in range(order)]),
        ):
            proof = Definiteness.of(whole_matrix(entries), whole_matrix(whole(hints)))
            for bound in (-2, 0, 1, 3):
                assert proof.at_least(bound) == is_semidefinite(entries, bound)


def test_the_rest_follows_only_where_it_does():
    """D1-D3 on nearly diagonal forms about the edge: a yes is true, and yes and no both occur."""
    source, answers = random.Random(8), []
    for _ in range(600):
        order = source.randint(2, 5)
        form = whole(np.diag([source.randint(20, 60) for _ in range(order)]))
        form[0, 0] = source.randint(-1, 6)
        for i in range(order):
            for j in range(i):
                form[i, j] = form[j, i] = source.randint(-6, 6)
        secure, least = eigenvalue._secured(np.array(whole_matrix(form).tolist(), dtype=object))
        says = eigenvalue._rest_follows(form, secure, int(least))
        assert is_semidefinite(form) or not says
        inner = form[np.ix_(secure, secure)]
        assert not secure.any() or is_semidefinite(inner, int(least))
        answers.append((says, is_semidefinite(form)))
    assert set(answers) == {(True, True), (False, True), (False, False)}


def test_search():
    """Every pair of a bound and an answer below 70; steps grow, so that few are tested."""
    for highest in range(70):
        for answer in range(highest + 1):
            tested = []

            def holds(m, answer=answer, tested=tested):
                tested.append(m)
                return m <= answer

            assert eigenvalue._largest(holds, highest) == answer
            assert all(0 < m <= highest for m in tested)
            assert len(tested) <= 3 + 2 * math.log2(1 + highest - answer)


def test_blocks():
    """Parts are found under any permutation, and no entry is lost between them."""
    source = random.Random(9)
    for _ in range(30):
        sizes = [source.randint(1, 4) for _ in range(source.randint(1, 4))]
        parts = [gram(source, size, size + 1) for size in sizes]
        found = list(eigenvalue._blocks(shuffled(source, *parts)))
        assert sorted(len(part) for part in found) == sorted(sizes)
        assert all(len(a) <= len(b) for a, b in pairwise(found))
        traces = sorted(int(part.trace()) for part in found)
        assert traces == sorted(int(part.trace()) for part in parts)


SQUARE = whole([[5, 1], [1, 5]])


@pytest.mark.parametrize(
    ("matrix", "unit", "words"),
    [
        (SQUARE, 0, "unit must be an integer >= 1"),
        (SQUARE, True, "unit must be an integer >= 1"),
        (SQUARE, 2.0, "unit must be an integer >= 1"),
        ([[1]], 1, "square array"),
        (whole([[1, 2]]), 1, "of a shape"),
        (np.zeros(3, dtype=int), 1, "of a shape"),
        (np.zeros((0, 0), dtype=int), 1, "of a shape"),
        (np.zeros((2, 2)), 1, "of integers; got float"),
        (np.zeros((2, 2), dtype=bool), 1, "of integers; got bool"),
        (np.array([[1, None], [None, 1]], dtype=object), 1, "of integers"),
        (np.array([[1, 0.5], [0.5, 1]], dtype=object), 1, "of integers"),
        (whole([[77, 123], [124, 77]]), 1, "symmetric"),
        (whole([[-77]]), 1, "positive semidefinite"),
        (whole([[77, 123], [123, 77]]), 1, "positive semidefinite"),
    ],
)
def test_refusals(matrix, unit, words):
    """Each names what must be; none shows an entry of the matrix."""
    with pytest.raises(InvalidArgument) as refusal:
        floor_smallest_eigenvalue(matrix, unit)
    assert words in str(refusal.value)
    assert not any(entry in str(refusal.value) for entry in ("77", "123", "124", "0.5"))
