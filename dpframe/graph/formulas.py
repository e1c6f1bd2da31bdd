"""Model formulas as in R, patsy and formulaic, over a codebook: `charges ~ age + C(smoker) +
bmi:C(smoker)`.

formulaic parses the text; no data take part. Levels and bounds come from the codebook. Every column
of the design matrix is a product of coded columns, so it is a function of one record. The design
spans the model that the formula denotes, in other coordinates.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import Any

from dpframe.errors import InvalidArgument, MissingExtra, Plain, nearest

from .node import Array, np
from .schema import Categorical, Column, Numeric, Rows, all_levels, schema_of

# ----------------------------------------------------------------------- Terms: products of columns
# Terms of a codebook: products of its columns, as in a formula's `bmi:C(smoker)`. A column of the
# codebook is coded in one column or several, of a row of length at most 1. The term of several
# has every product of one coded column of each, |a x b| = |a| |b|, so its row is no longer than 1
# either, in the 2-norm; and it is a map of one row by public numbers.

Term = tuple[str, ...]
WRITE_TERMS = 'Such as terms=["age", ("bmi", "smoker")]: a column, or several to be multiplied.'


def term_of(value: Any) -> Term:
    """A column's name, or a tuple of names. Raises InvalidArgument."""
    names = (value,) if isinstance(value, str) else value
    if not (isinstance(names, (list, tuple)) and names and all(isinstance(n, str) for n in names)):
        wanted, kind = "names of columns, alone or several together", Plain(type(value).__name__)
        raise InvalidArgument("terms", wanted, kind, WRITE_TERMS)
    return tuple(names)


def terms_of(value: Any) -> tuple[Term, ...]:
    """A list of terms. Raises InvalidArgument."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgument("terms", "a list of terms, or None", value, WRITE_TERMS)
    return tuple(map(term_of, value))


def check_terms(terms: Sequence[Term], names: Sequence[str]) -> None:
    """Check that terms are distinct, name distinct columns of the codebook, and use all of them.
    Raises InvalidArgument.
    """
    for term in terms:
        unknown = [name for name in term if names.count(name) != 1]
        if unknown or len(set(term)) < len(term):
            wanted = "different columns of the codebook, each of a name of its own"
            raise InvalidArgument("terms", wanted, ":".join(term), WRITE_TERMS)
    if len(set(map(frozenset, terms))) < len(terms):
        raise InvalidArgument("terms", "given once each", [":".join(term) for term in terms], "")
    unused = [name for name in names if not any(name in term for term in terms)]
    if unused or not terms:
        way_out = "Leave the column out of columns, or name it in a term."
        raise InvalidArgument("terms", "such that every column is used", unused, way_out)


def repeated(terms: Iterable[Term], full: Iterable[str]) -> Iterator[tuple[Term, Term]]:
    """Pairs of terms whose columns are collinear: the second is the first multiplied by a category
    in `full`, whose indicator columns sum to 1. The empty term is the intercept.
    """
    by_columns = {frozenset(term): term for term in terms}
    for term in by_columns.values():
        wider = (by_columns.get(frozenset((*term, name))) for name in full if name not in term)
        yield from ((term, one) for one in wider if one is not None)


def check_repeated(terms: Sequence[Term], full: Iterable[str]) -> None:
    """Raises InvalidArgument if the columns of some terms sum to those of another."""
    for term, wider in repeated(terms, full):
        got = f"{':'.join(term)} beside {':'.join(wider)}, which sums to it"
        way_out = f"Leave {':'.join(term)} out: the other has a slope for each level."
        raise InvalidArgument("terms", "such that they identify a model", Plain(got), way_out)


def multiplied(parts: Sequence[Array]) -> Array:
    """All products of one column of each block (m, p_i), the last index varying fastest: (m, prod
    p_i). Entries lie in [-1, 1]. An inexact product is rounded towards zero, so that the stored
    rows are no longer than the product of the rows' norms.
    """
    return reduce(_product, parts)


def _product(first: Array, second: Array) -> Array:
    left, right = first[:, :, None], second[:, None, :]
    products = left * right
    exact = (np.abs(left) == 1) | (np.abs(right) == 1)
    inside = np.where(exact, products, np.nextafter(products, 0.0))
    return inside.reshape(len(first), first.shape[1] * second.shape[1])


CATEGORY = re.compile(r"C\(\s*(?:`([^`]+)`|([^\W\d]\w*))\s*\)")
CODED = re.compile(r"C\(\s*([^,]*?)\s*,", re.DOTALL)
QUOTED = re.compile(r"\b[CQ]\(\s*['\"]([^'\"]+)['\"]\s*\)")
STATEFUL = re.compile(
    r"\b(center|scale|standardize|bs|cs|cr|cc|te|poly|hashed|lag)\s*\(", re.IGNORECASE
)
NO_LABEL = "1 ~ "  # before a right side alone
WRITE = '"charges ~ age + C(smoker) + bmi:C(smoker)", of names of the codebook'
BY_HAND = (
    "Compute it as a column of the table, by a public rule of each row alone, and declare its "
    'bounds: dp.Numeric("{}", lower, upper).'
)
LONGEST = 10_000
POWER = re.compile(r"(?:\*\*|\^)\s*\+?\d{2,}")  # formulaic multiplies it out
WRONG = (AttributeError, TypeError, ValueError, RecursionError, SyntaxError)  # as formulaic raises


def described(formula: str, columns: Iterable[Numeric | Categorical]) -> tuple[Rows, Column]:
    """The rows and the label that a formula describes. Raises InvalidArgument, MissingExtra."""
    named = _named(columns)
    label = formula.partition("~")[0].strip() if isinstance(formula, str) else ""
    if label.isidentifier() and label not in named:
        wanted = "a codebook with the left side of the formula"
        way_out = f"Add its public bounds: dp.Numeric({label!r}, lower, upper)."
        raise InvalidArgument("columns", wanted, Plain(f"none named {label}"), way_out)
    left, right = _read(formula, named)
    if len(left) != 1 or len(left[0]) != 1:
        way_out = "dpframe fits one label at a time, which is not transformed."
        raise InvalidArgument("formula", f"{WRITE}, with one label", formula, way_out)
    label = left[0][0]
    if any(label in term for term in right):
        way_out = f"Leave {label} out of the right side."
        raise InvalidArgument("formula", "with the label on the left only", formula, way_out)
    column = label_of(named[label])
    return _rows(right, named, column), column


def right_side(formula: str, columns: Iterable[Numeric | Categorical], label: Column) -> Rows:
    """The rows of a formula such as `age + C(smoker)`, or with the name of the label on its left.
    Raises InvalidArgument, MissingExtra.
    """
    left, given, right = formula.rpartition("~")
    if given and left.strip() != label.name:
        wanted, way_out = f"of the label {label.name}, or without a left side", "Leave it out."
        raise InvalidArgument("formula", wanted, formula, way_out)
    named = _named(columns)
    return _rows(_read(f"{NO_LABEL}{right}", named)[1], named, label)


def _rows(right: list[Term], named: dict[str, Numeric | Categorical], label: Column) -> Rows:
    """The rows of the right side beside a label. Raises InvalidArgument."""
    model = _model(right, named)
    whole = all_levels(named.values())
    spanned = () in model or any(term and {*term} <= {*whole} for term in model)
    if not spanned and label.lower is not None and label.levels is None:
        _check_symmetric(label.name, label.lower, label.upper, label.name, "the intercept")
    return rows_of(model, named)


def _named(columns: Iterable[Numeric | Categorical]) -> dict[str, Numeric | Categorical]:
    """The columns of a codebook by name. Raises InvalidArgument."""
    book = schema_of(list(columns)) if isinstance(columns, Iterable) else schema_of(columns)
    named = {part.name: part for part in book or ()}
    if len(named) < len(book or ()):
        way_out = "Rename one of the columns."
        raise InvalidArgument("columns", "each named once in a formula's codebook", book, way_out)
    for name in named:
        if name == "1" or CATEGORY.fullmatch(name):
            wanted = "named otherwise than the intercept and C(...) are written in a formula"
            raise InvalidArgument("columns", wanted, name, "Rename the column.")
    return named


def label_of(part: Numeric | Categorical) -> Column:
    """The labels of a column of the codebook. Raises InvalidArgument."""
    if isinstance(part, Numeric):
        return Column(part.name, lower=part.lower, upper=part.upper)
    if len(part.levels) != 2:
        wanted = "of a label that is a number, or one of two classes"
        raise InvalidArgument("formula", wanted, part.name, "dp.PrivateClassifier fits two.")
    return Column(part.name, levels=part.levels)


def rows_of(terms: list[Term], named: dict[str, Numeric | Categorical]) -> Rows:
    """The rows of these terms; the empty term is the intercept. Raises InvalidArgument."""
    shown = [term for term in terms if term]
    used = [part for name, part in named.items() if any(name in term for term in shown)]
    if not used:
        way_out = "dp.count and dp.total in a declaration of your own release means."
        raise InvalidArgument("formula", "of at least one column", Plain("none"), way_out)
    alone = [(part.name,) for part in used]
    own = None if sorted(shown) == sorted(alone) else shown
    return Rows(columns=used, terms=own, intercept=() in terms)


def _read(formula: object, named: dict[str, Any]) -> tuple[list[Term], list[Term]]:
    """The terms of both sides, as tuples of column names. Raises InvalidArgument."""
    if not isinstance(formula, str) or len(formula) > LONGEST:
        raise InvalidArgument("formula", WRITE, formula, "")
    text = formula.removeprefix(NO_LABEL)
    if POWER.search(formula):
        raise InvalidArgument("formula", "with powers below 10", text, "Name the products.")
    try:
        from formulaic import Formula
        from formulaic.errors import FormulaicError
    except ImportError as error:
        raise MissingExtra("formulaic", "formulas") from error
    try:
        parsed: Any = Formula(formula, _context={"__formulaic_variables_available__": list(named)})
        sides = parsed.lhs, parsed.rhs
        pairs = [[[*term.factors] for term in side] for side in sides]
    except (FormulaicError, *WRONG) as error:
        reason = str(error).partition("\n")[0] if isinstance(error, FormulaicError) else ""
        refusal = InvalidArgument("formula", WRITE, text, reason)
    else:
        left, right = ([_term(term, named) for term in side] for side in pairs)
        return left, right
    raise refusal


def _term(factors: list[Any], named: dict[str, Any]) -> Term:
    """The columns of a term; none for the intercept. Raises InvalidArgument."""
    return tuple(dict.fromkeys(name for one in factors for name in _column(one, named)))


def _column(factor: Any, named: dict[str, Any]) -> Iterator[str]:
    """The column of a factor. Raises InvalidArgument."""
    text, how = str(factor.expr), factor.eval_method.name
    if how == "LITERAL":
        if text != "1":
            raise InvalidArgument("formula", "without numbers but 0 and 1", text, "")
        return
    category = CATEGORY.fullmatch(text)
    if how != "LOOKUP" and category is None:
        raise _refused(text)
    name = text if category is None else category[1] or category[2]
    if name not in named:
        wanted = f"of columns of the codebook: {', '.join(named)}"
        raise InvalidArgument("formula", wanted, name, nearest(name, named))
    if category is not None and isinstance(named[name], Numeric):
        way_out = f"Its levels are public: dp.Categorical({name!r}, [...]) declares them."
        raise InvalidArgument("formula", "C(...) of a column with levels", text, way_out)
    yield name


def _refused(text: str) -> InvalidArgument:
    """The refusal of a transformation."""
    by_hand = BY_HAND.format("_".join(re.findall(r"\w+", re.sub(r"^I\b", "", text))))
    if STATEFUL.search(text):
        way_out = f"Columns are scaled by their public bounds at no cost. {by_hand}"
        wanted = "without transforms that learn from the data, which would not be private"
        return InvalidArgument("formula", wanted, text, way_out)
    if found := CODED.match(text):
        way_out = f"dp.Categorical({found[1]!r}, [...], baseline=...) chooses the baseline."
        return InvalidArgument("formula", "with C(...) of a name alone", text, way_out)
    if found := QUOTED.search(text):
        return InvalidArgument("formula", "of names without quotes", text, f"Write `{found[1]}`.")
    wanted = "of names of columns, C(...), + - * : / ** and 1"
    return InvalidArgument("formula", wanted, text, by_hand)


def _model(right: list[Term], named: dict[str, Numeric | Categorical]) -> list[Term]:
    """Terms whose products, centred and coded as contrasts, span the columns of the formula.

    A category with an indicator for each level spans its contrasts and the term without it; hence a
    term also contributes the terms that omit some of its categories [ChambersH92, 2.4]. A category
    without a baseline keeps an indicator for each level, which already spans the term without it.
    Since columns are centred, a term with a centred column also needs the term without it. Raises
    InvalidArgument.
    """
    model: dict[frozenset[str], Term] = {}
    for term in right:
        levels = [name for name in term if getattr(named[name], "baseline", None) is not None]
        for k in range(len(levels) + 1):
            for out in combinations(levels, k):
                left = tuple(name for name in term if name not in out)
                model.setdefault(frozenset(left), left)
    whole = all_levels(named.values())
    known = {*model, *(term - {name} for term in model for name in whole)}  # levels sum to 1
    for term in model.values():
        for name in term:
            _check_centre(term, named[name], known)
    spanned = {one for one, _ in repeated(model.values(), whole)}
    spanned -= {()} & {*right}  # an intercept that is written is for unknown levels, too
    return sorted((term for term in model.values() if term not in spanned), key=len)


def _check_centre(
    term: Term, part: Numeric | Categorical, known: Container[frozenset[str]]
) -> None:
    """Raises InvalidArgument if the model would depend on where a column is centred."""
    rest = [name for name in term if name != part.name]
    if isinstance(part, Numeric) and frozenset(rest) not in known:
        missing = ":".join(rest) or "the intercept"
        _check_symmetric(part.name, part.lower, part.upper, ":".join(term), missing)


def _check_symmetric(
    name: str, lower: Fraction | None, upper: Fraction | None, term: str, missing: str
) -> None:
    """Raises InvalidArgument if a column, or the label, is centred, and a term lacks the one that
    makes up for it.
    """
    if lower is None or upper is None or lower == -upper:
        return
    way_out = f"Add {missing}; or declare bounds of {name} that are symmetric around 0."
    wanted = f"of one model, although {name} is centred at the middle of its bounds"
    raise InvalidArgument("formula", wanted, Plain(f"{term} without {missing}"), way_out)
