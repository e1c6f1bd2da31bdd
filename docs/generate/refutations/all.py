"""Every refutation in order, and those of one published file by its name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from docs.generate.refutations.published import REGRESSIONS
from dpframe.numbers import Exact, given, open_unit

from .adaops_steps import adaops_cap, adaops_steps
from .adaops_tails import adaops_tails, adaops_tails_mended
from .boosted import boosted_coded, boosted_kendall
from .objpert import objpert_coded
from .ops import CALIBRATIONS
from .posterior_lemma import posterior_lemma, posterior_lemma_mended
from .refutation import Refutation
from .sampled_ridge import sampled_ridge_certain, sampled_ridge_seldom
from .simulated import CODED, MENDED, TURNED, adaops_output, adaops_releases
from .suffstats import suffstats_output
from .tested_distance import unsafe_distance
from .transposed import right_factor, transposed_factor

Records: TypeAlias = tuple[Refutation, ...]
Refute: TypeAlias = Callable[[Exact, Exact, int], Records]

DELTA = Fraction(1, 10**6)
ROWS = 10**5


def _suffstats(epsilon: Exact, delta: Exact, _rows: int) -> Records:
    return (suffstats_output(epsilon, delta),)


def _ops(name: str, epsilon: Exact, delta: Exact, rows: int) -> Records:
    attacks = (transposed_factor, right_factor)
    return tuple(attack(name, epsilon, delta, rows) for attack in attacks)


def _adaops_coded(epsilon: Exact, delta: Exact, rows: int) -> Records:
    coded, turned, mended = (
        adaops_releases(version, epsilon, delta, rows) for version in (CODED, TURNED, MENDED)
    )
    output, cap = adaops_output(epsilon, delta, rows), adaops_cap(epsilon, delta, rows)
    return coded, output, turned, cap, mended


def _adaops_printed(epsilon: Exact, delta: Exact, _rows: int) -> Records:
    share = open_unit("delta", delta) / 3
    lemmas = posterior_lemma(share), posterior_lemma_mended(share)
    tails = adaops_tails(epsilon, delta), adaops_tails_mended(epsilon, delta)
    return *tails, *adaops_steps(epsilon, delta), *lemmas


def _objpert(epsilon: Exact, delta: Exact, _rows: int) -> Records:
    return (objpert_coded(epsilon, delta),)


def _sampled_ridge(epsilon: Exact, _delta: Exact, _rows: int) -> Records:
    """Of a record with this epsilon, below a threshold of at least 1, and at it."""
    threshold = max(Fraction(1), 2 * Fraction(epsilon))
    seldom = (sampled_ridge_seldom(epsilon, threshold, kept) for kept in (80, 20))
    certain = (sampled_ridge_certain(epsilon, kept) for kept in (80, 20))
    return *seldom, *certain, sampled_ridge_seldom(epsilon, threshold, public=True)


def _boosted(epsilon: Exact, delta: Exact, _rows: int) -> Records:
    return (boosted_coded(epsilon, delta),)


def _kendall(epsilon: Exact, delta: Exact, _rows: int) -> Records:
    return (boosted_kendall(epsilon, delta),)


def _tukey(epsilon: Exact, delta: Exact, _rows: int) -> Records:
    return unsafe_distance(epsilon, delta), unsafe_distance(epsilon, delta, mended=True)


REFUTATIONS: dict[str, Refute] = {
    "suffstats_perturb.m": _suffstats,
    **{f"OPS_epsdelta_{name}.m": partial(_ops, name) for name in CALIBRATIONS},
    "adaops.m": _adaops_coded,
    "AdaOPS": _adaops_printed,
    "ObjPert.m": _objpert,
    "jorgensen.py": _sampled_ridge,
    "BoostedAdaSSP.py": _boosted,
    "private_kendall/boosted_adassp.py": _kendall,
    "dp_regression/tukey.py": _tukey,
}
"""By the name of the public file, of [Wang18], [Acharya24], [Tang23], [Dick23] or [Amin23], or of
the printed algorithm.
"""


def refutations_of(
    name: str, epsilon: Exact = 1, delta: Exact = DELTA, rows: int = ROWS
) -> Records:
    """Every record on one file, printed algorithm or declaration, by its name; () if none.

    Controls are among them. As `refutations`.
    """
    found = REFUTATIONS.get(REGRESSIONS.get(name, name))
    claim = given("epsilon", epsilon), given("delta", delta)
    return found(*claim, rows) if found else ()


def refutations(epsilon: Exact = 1, delta: Exact = DELTA, rows: int = ROWS) -> Records:
    """Every record, in order, of the claim (epsilon, delta); tables of `rows` rows, an even number.

    0 < epsilon <= 14. Some two seconds.
    """
    names = tuple(REFUTATIONS)
    return tuple(r for name in names for r in refutations_of(name, epsilon, delta, rows))
