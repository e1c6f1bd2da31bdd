"""Published constants by hand, at 50 digits: mu^2/epsilon^2 of all releases, at delta = 1e-6.

No code is shared with dpframe: formulas are those of the papers, suprema those of a worst pair.
"""

from __future__ import annotations

import mpmath

from tests.support.oracles import DIGITS, delta_of

ADD, REPLACE = "add/remove", "replace-one"
DELTA = mpmath.mpf(10) ** -6


def squares() -> dict[tuple[str, str], mpmath.mpf]:
    """mu^2/epsilon^2 by name and relation."""
    with mpmath.workdps(DIGITS):
        log = mpmath.log
        units = {  # (1/(std of X'X), of X'y, of the eigenvalue), squared, times 1/epsilon^2
            "SSPPiazza": _alike(2, 1 / (8 * log(4 / DELTA))),
            "ConstSSPFullPiazza": _alike(2, 1 / (8 * log(4 / DELTA))),
            "SSPWang": _alike(2, 1 / (4 * log(4 / DELTA))),
            "SSPWangCoded": _alike(2, 1 / log(4 / DELTA)),
            "SSPThesis": _alike(2, 1 / (2 * log(mpmath.mpf("1.25") / DELTA))),
            "SSPThesisSplit": _alike(2, 1 / (8 * log(mpmath.mpf("2.5") / DELTA))),
            "AdaSSPWang": _alike(3, 1 / (9 * log(6 / DELTA))),
            "AdaSSPWangCoded": _alike(3, 1 / (9 * log(6 / DELTA))),
            "AdaSSPPiazza": _alike(3, 1 / (18 * log(6 / DELTA))),
            "AdaSSPThesis": _alike(3, 1 / (18 * log(mpmath.mpf("3.75") / DELTA))),
        }
        found = {(name, ADD): sum(parts) for name, parts in units.items()}
        return found | {(name, REPLACE): replaced(*parts) for name, parts in units.items()}


def _alike(count: int, one: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]:
    return one, one, one if count == 3 else mpmath.mpf(0)


def replaced(gram: mpmath.mpf, moment: mpmath.mpf, floor: mpmath.mpf) -> mpmath.mpf:
    """The supremum over pairs of records, at moment <= 2 gram + floor."""
    a = 2 * gram + floor
    return a + 2 * moment + moment**2 / a


def epsilon_of(mu: object, delta: object = DELTA) -> mpmath.mpf:
    """The exact epsilon of a Gaussian pair, by bisection of the profile."""
    with mpmath.workdps(DIGITS):
        low, high = mpmath.mpf(0), mpmath.mpf(1)
        while delta_of(high, mu) > delta:
            low, high = high, 2 * high
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_of(middle, mu) > delta else (low, middle)
        return high


def limit_of(square: mpmath.mpf, delta: object = DELTA) -> mpmath.mpf:
    """The epsilon at which (epsilon, delta) is exact for mu = epsilon sqrt(square)."""
    with mpmath.workdps(DIGITS):
        root = mpmath.sqrt(square)
        low, high = mpmath.mpf(10) ** -6, mpmath.mpf(200)
        for _ in range(150):
            middle = (low + high) / 2
            inside = delta_of(middle, middle * root) <= delta
            low, high = (middle, high) if inside else (low, middle)
        return low
