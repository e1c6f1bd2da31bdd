"""Terms of a codebook: products of its columns, as in a formula's `bmi:C(smoker)`.

A column of the codebook is coded in one column or several, of a row of length at most 1. The term
of several has every product of one coded column of each, |a x b| = |a| |b|, so its row is no longer
than 1 either, in the 2-norm; and it is a map of one row by public numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

from dpframe.errors import InvalidArgument, Plain

from .arrays import Array, np

Term = tuple[str, ...]
WRITE = 'Such as terms=["age", ("bmi", "smoker")]: a column, or several to be multiplied.'


def term_of(value: Any) -> Term:
    """A column's name, or several. Raises InvalidArgument."""
    names = (value,) if isinstance(value, str) else value
    if not (isinstance(names, (list, tuple)) and names and all(isinstance(n, str) for n in names)):
        wanted, kind = "names of columns, alone or several together", Plain(type(value).__name__)
        raise InvalidArgument("terms", wanted, kind, WRITE)
    return tuple(names)


def terms_of(value: Any) -> tuple[Term, ...]:
    """A list of terms. Raises InvalidArgument."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgument("terms", "a list of terms, or None", value, WRITE)
    return tuple(map(term_of, value))


def check_terms(terms: Sequence[Term], names: Sequence[str]) -> None:
    """Terms are different, of different columns of the codebook, and use all of these. Raises
    InvalidArgument.
    """
    for term in terms:
        unknown = [name for name in term if names.count(name) != 1]
        if unknown or len(set(term)) < len(term):
            wanted = "different columns of the codebook, each of a name of its own"
            raise InvalidArgument("terms", wanted, ":".join(term), WRITE)
    if len(set(map(frozenset, terms))) < len(terms):
        raise InvalidArgument("terms", "given once each", [":".join(term) for term in terms], "")
    unused = [name for name in names if not any(name in term for term in terms)]
    if unused or not terms:
        way_out = "Leave the column out of columns, or name it in a term."
        raise InvalidArgument("terms", "such that every column is used", unused, way_out)


def repeated(terms: Iterable[Term], full: Iterable[str]) -> Iterator[tuple[Term, Term]]:
    """Terms, each with another that is its product with a category of `full`, which have a column
    for each level: these columns sum to those of the first. The intercept is the empty term.
    """
    found = {frozenset(term): term for term in terms}
    for term in found.values():
        wider = (found.get(frozenset((*term, name))) for name in full if name not in term)
        yield from ((term, one) for one in wider if one is not None)


def check_repeated(terms: Sequence[Term], full: Iterable[str]) -> None:
    """Raises InvalidArgument where columns of some terms sum to those of another."""
    for term, wider in repeated(terms, full):
        got = f"{':'.join(term)} beside {':'.join(wider)}, which sums to it"
        way_out = f"Leave {':'.join(term)} out: the other has a slope for each level."
        raise InvalidArgument("terms", "such that they identify a model", Plain(got), way_out)


def multiplied(parts: Sequence[Array]) -> Array:
    """All products of one column of each block (m, p_i), the last changing first: (m, prod p_i).

    Entries in [-1, 1]; a product that is no double is rounded towards zero, so that rows are no
    longer as they are stored than the product of the rows' lengths.
    """
    return reduce(_product, parts)


def _product(first: Array, second: Array) -> Array:
    left, right = first[:, :, None], second[:, None, :]
    found = left * right
    exact = (np.abs(left) == 1) | (np.abs(right) == 1)
    inside = np.where(exact, found, np.nextafter(found, 0.0))
    return inside.reshape(len(first), first.shape[1] * second.shape[1])
