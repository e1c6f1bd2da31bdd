"""Which sensitivity bounds are attained by some pair of neighbours, with the rule of each in words.
Refutations and audits use it; proofs do not. One entry per kind of statistic; without an entry,
nothing is known to be attained.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.privacy import REPLACE_ONE, Relation
from dpframe.sensitivity import L1, RANGE, Norm
from dpframe.symbols import Number, plain

from .facts import facts_of

if TYPE_CHECKING:
    from .rows import ColumnNode
    from .statistics import Statistic
from .occurring import entry, entry_of, occurring, of_classes, rounded, zero_occurs


@attrs.frozen
class Metrics:
    """The norm of a sensitivity, and the neighbouring relation."""

    norm: Norm
    relation: Relation

    @property
    def replaced(self) -> bool:
        """Whether neighbours have equally many rows."""
        return self.relation.replaced


Reached = tuple[str, bool]
STATISTICS: dict[str, Callable[[Any, Metrics], Reached]] = {}
EXCHANGED: dict[str, Callable[[Any], Any]] = {}
RANGES: dict[str, Callable[[Any, Metrics], Reached]] = {}
"""Of the range of a move; attained in the limit where other scores are arbitrarily far below."""


def reached(statistic: Statistic, norm: Norm, relation: Relation) -> Reached:
    """The rule that bounds the sensitivity of a statistic, and whether some pair of neighbours is
    known to attain the bound. Under add/remove the pair is always one row of norm B with |y| = Y,
    so one pair attains all attained bounds simultaneously.
    """
    own = entry_of(RANGES if norm is RANGE else STATISTICS, statistic)
    if own is None:
        return ("|a - b| <= |a| + |b|: at most L1" if norm is RANGE else ""), False
    rule, attained = own(statistic, Metrics(norm, relation))
    return rule, attained and relation.all_pairs


def as_decimal(number: Any) -> object:
    """A number in decimal notation; a formula unchanged."""
    return plain(number.value) if isinstance(number, Number) else number


def every_label(own: Any) -> bool:
    """Whether every label within the bound may occur."""
    return bool(own.column.ball)


def every_size(own: Any) -> bool:
    """Whether labels of size 0 may occur as well. Labels of two classes, read as 0 and 1 and mapped
    to -1 and 1, are never 0.
    """
    return every_label(own) and not of_classes(own.column)


def both_sides(own: Any) -> bool:
    """Whether labels may occur on both sides of some cut: at a bound and at the opposite one, or,
    where sizes are counted, at 0.
    """
    return hasattr(own.data, "bound") and parted(own)


def parted(own: Any) -> bool:
    """Whether numbers of one column, or labels, may occur on both sides of some cut."""
    data, occurs = own.data, occurring(own.data)
    labels = hasattr(data, "bound")
    bound = data.bound if labels else data.entry or data.norm
    if not occurs.ball and (labels or not occurs.box):
        return False
    cuts = [Fraction(float(cut)) for cut in own.cuts]
    if own.absolute:
        classes, zero = labels and of_classes(data), labels and zero_occurs(data)
        cuts = [cut for cut in cuts if (cut > 0 and not classes) or (cut == 0 and zero)]
    return any(cut == 0 or (isinstance(bound, Number) and abs(cut) < bound.value) for cut in cuts)


def exchanged(statistic: Any) -> ColumnNode | None:
    """The labels for which replacing Y by -Y attains the bounds of a statistic, or None."""
    own = entry_of(EXCHANGED, statistic)
    return None if own is None else own(statistic)


@entry(EXCHANGED, "bin_counts")
def _exchanged_bins(own: Any) -> ColumnNode | None:
    return own.data if both_sides(own) and not own.absolute else None


Rule = tuple[str, bool | Callable[[Any], bool]]  # in words, and whether its bound is attained
ALIKE: dict[str, Rule] = {
    "cell_count": ("one record is in the cell, or it is not", False),
    "cell_sums": ("of one cell, by one record", False),
    "median_distance": ("a distance to a set of tables: 1 a record", False),
    "tested_median": ("the radius, where the bound on the distance holds", False),
    "log_residual": ("theta moves by x r/lambda_min, |r| <= Y + B |theta|", False),
}
"""Rules that are the same in every norm, under both relations."""
APART: dict[str, tuple[Rule, Rule]] = {
    "squares": (("0 <= y^2 <= Y^2", every_label), ("0 <= y^2 <= Y^2", every_size)),
    "count": (("one row counts once", True), ("n is public", True)),
    "label_sum": (("|y| <= Y", every_label), ("|y - w| <= 2 Y", every_label)),
    "bin_counts": (
        ("one record is in one bin a column", True),
        ("one bin a column loses a record, one gains it", both_sides),
    ),
    "norm_counts": (
        ("one row is in at most one bin", False),
        ("one bin loses a row, one gains it", False),
    ),
    "histogram": (
        ("one record is in one cell", True),
        ("one cell loses a record, one gains it", every_label),
    ),
}
"""Rules that are the same in every norm, where a record is added and where one is replaced."""


def _by_relation(added: Rule, replaced: Rule, own: Any, at: Metrics) -> Reached:
    rule, attained = replaced if at.replaced else added
    return rule, attained if isinstance(attained, bool) else attained(own)


STATISTICS |= {kind: partial(_by_relation, rule, rule) for kind, rule in ALIKE.items()}
STATISTICS |= {kind: partial(_by_relation, *rules) for kind, rules in APART.items()}


@entry(STATISTICS, "gram")
def _gram(own: Any, at: Metrics) -> Reached:
    upper = at.norm is L1
    if not at.replaced and upper:
        return "upper triangle of xx': (|x|_1^2 + |x|^2)/2", own.rows.ball
    if not at.replaced:
        return "|xx'| = |x|^2 <= B^2", own.rows.extreme
    if upper:
        return "Cauchy-Schwarz over the upper triangle", False
    return "|xx' - zz'|_F^2 <= 2 B^4, operator norm <= B^2", own.rows.ball


@entry(STATISTICS, "lambda_min")
def _lambda_min(own: Any, at: Metrics) -> Reached:
    plain_gram = facts_of(own.gram, at.relation).part == "gram"
    return "Weyl: 1-Lipschitz in the operator norm of X'X", plain_gram and own.gram.rows.ball


@entry(STATISTICS, "moment")
def _moment(own: Any, at: Metrics) -> Reached:
    rows = _corners(own.rows) if at.norm is L1 else own.rows.extreme
    rule = "|y x - w z| <= 2 Y B" if at.replaced else "|y x| <= Y B"
    return rule, rows and own.column.ball


def _corners(rows: Any) -> bool:
    """Whether rows may occur whose 1-norm attains its bound; for a box, a row of largest 2-norm."""
    return bool(rows.ball if rows.entry is None else rows.extreme)


@entry(STATISTICS, "row_sum")
def _row_sum(own: Any, at: Metrics) -> Reached:
    if at.replaced:
        return "|x - z| <= 2 B", own.rows.ball if own.rows.entry is None else own.rows.box
    return "|x| <= B", _corners(own.rows) if at.norm is L1 else own.rows.extreme


@entry(STATISTICS, "trace")
def _trace(own: Any, at: Metrics) -> Reached:
    if at.replaced and own.rows.unit_norm:
        return "every row has the same norm", True
    return "0 <= |x|^2 <= B^2", own.rows.ball if at.replaced else own.rows.extreme


@entry(STATISTICS, "column_squares")
def _column_squares(own: Any, at: Metrics) -> Reached:
    if own.rows.entry is not None:
        return "0 <= x_j^2 <= b^2", own.rows.box if at.replaced else own.rows.extreme
    if at.replaced:
        return "two vectors without negative entries", False
    return "|x o x| <= |x|^2 <= B^2", own.rows.ball


@entry(STATISTICS, "block_estimates")
def _block_estimates(own: Any, at: Metrics) -> Reached:
    two = at.replaced and facts_of(own.sums, REPLACE_ONE).cells > 1
    many = "two cells change" if two else "one cell changes"
    return f"{many}, each estimate inside a ball: 2R/k", False


@entry(STATISTICS, "binned_sums")
def _binned_sums(own: Any, at: Metrics) -> Reached:
    if at.replaced:  # -x in the place of x, in one bin
        rows = own.rows
        return "one goes, another comes: 2 B", rows.ball if rows.entry is None else rows.box
    reached_by = own.rows.ball if at.norm is L1 else own.rows.extreme
    return "one bin gains x, |x| <= B", reached_by


@entry(STATISTICS, "factored")
def _factored(own: Any, at: Metrics) -> Reached:
    if at.replaced and own.sums.kind == "bin_counts":
        return "the largest difference of two columns of the matrix", _every_bin(own.sums)
    alone = own.sums.one_row(at.norm, at.relation)
    same = own.factor == "tree" or _every_bin(own.sums)  # all columns of a tree have one norm
    rule = "one column times the record: the largest column's norm"
    return rule, same and alone is not None and alone.attained


def _every_bin(own: Any) -> bool:
    """Whether labels may occur in every bin, none of which is too narrow for doubles."""
    data = own.data if own.kind == "bin_counts" else own.column
    bound, known = getattr(data, "bound", None), occurring(data).ball and not of_classes(data)
    if not isinstance(bound, Number) or not known or getattr(own, "absolute", False):
        return False
    ends = [-bound.value, *own.cuts, bound.value]
    wide = all(high - low > bound.value / 2**40 for low, high in pairwise(ends))
    return wide and not rounded(data)


@entry(STATISTICS, "argmin")
def _argmin(own: Any, _: Metrics) -> Reached:
    return f"strongly convex sum, argmin to {as_decimal(own.tolerance)} of its move", False


@entry(STATISTICS, "linear")
@entry(RANGES, "linear")
def _linear(own: Any, at: Metrics) -> Reached:
    rule = "triangle inequality: sum |c_i| Delta_i"
    alone = own.parts[0].one_row(at.norm, at.relation) if len(own.parts) == 1 else None
    return rule, alone is not None and alone.attained


@entry(STATISTICS, "stack")
def _stack(own: Any, at: Metrics) -> Reached:
    from .joint import Joint

    if at.norm is L1:  # of a symmetric matrix more is charged than its triangle moves
        moves = [part.one_row(at.norm, at.relation) for part in own.parts]
        alone = all(move is not None and move.attained for move in moves)
        flat = all(len(part.shape) < 2 for part in own.parts)
        return "sum of the parts", alone and flat and not at.replaced
    joint = Joint.of(own.parts, at.relation)
    if joint is None:
        return "", False
    squares = [size**2 for size in joint.sizes]
    return joint.rule, joint.attained(squares) == joint.total(squares)


@entry(STATISTICS, "sufficient_statistics")
def _sufficient(own: Any, at: Metrics) -> Reached:
    if at.norm is not L1:
        return "|uu'| = |u|^2", False
    if not at.replaced:
        return "each product of u = (x, y) once: (|u|_1^2 + |u|^2)/2", corner(own, at)
    if own.rows.entry is None:
        return "remove and add", False
    return "uu' - vv' = 2 (pq' + qp'), |p_j| + |q_j| <= 1", corner(own, at) and _differ(own)


@entry(STATISTICS, "monomials")
def _monomials(own: Any, at: Metrics) -> Reached:
    inner = own.statistics
    if at.norm is not L1:
        return "sqrt(2) |uu'|_F", False
    if not at.replaced:
        return "sum of |u_j u_k|: |u|_1^2, u = (x, y)", corner(inner, at)
    if inner.rows.entry is None:
        return "remove and add", False
    return "4 |p|_1 |q|_1 <= (|p|_1 + |q|_1)^2", corner(inner, at) and _differ(inner)


def _differ(own: Any) -> bool:
    """Whether y'y, if present, can change when a record is replaced."""
    return not own.constant or every_size(own)


def corner(own: Any, at: Metrics) -> bool:
    """Whether a record may occur with all entries and |y| at their bounds (a row of a box with the
    largest 2-norm is a corner), and, under replace-one, any record inside the box as its neighbour.
    """
    rows = own.rows
    added = rows.ball if rows.entry is None else rows.extreme
    return bool(own.column.ball and (rows.box if at.replaced else added))


@entry(RANGES, "bin_counts", "histogram")
def _range_of_counts(own: Any, at: Metrics) -> Reached:
    attained = parted(own) if own.kind == "bin_counts" else own.column.ball
    if at.replaced:
        return "one count falls by 1, another rises by 1", attained
    return "no count falls: each moves by 0 or 1", attained


@entry(RANGES, "row_sum", "moment")
def _range_of_rows(own: Any, at: Metrics) -> Reached:
    rule = "|x_j - x_k| <= " + ("sqrt(2) B" if own.rows.entry is None else "2 b")
    rule += ", times Y" if own.kind == "moment" else ""
    signed = own.kind == "row_sum" or own.column.ball
    return f"{rule}{', twice' if at.replaced else ''}", signed and _every_entry(own.rows)


def _every_entry(rows: Any) -> bool:
    """Whether rows may occur whose entries differ as much as their bound allows, beside any other
    row.
    """
    several = rows.columns != Number(Fraction(1))
    return bool(several and (rows.ball if rows.entry is None else rows.box))


@entry(RANGES, "column_squares")
def _range_of_squares(own: Any, at: Metrics) -> Reached:
    rule = "0 <= x_j^2 <= " + ("B^2" if own.rows.entry is None else "b^2")
    return f"{rule}{', twice' if at.replaced else ''}", _every_entry(own.rows)


@entry(RANGES, "factored")
def _range_of_factored(own: Any, at: Metrics) -> Reached:
    if own.sums.kind != "bin_counts":
        return "|a - b| <= |a| + |b|: at most L1", False
    return f"entries of {'two columns' if at.replaced else 'a column'} in [0, 1]", False


EVEN: dict[str, Callable[[Any], bool]] = {}
"""Statistics that one added record moves evenly: `moves_evenly`."""
ROWS: dict[str, Callable[[Any], bool]] = {}
"""Statistics that move furthest beside many other rows."""
ANGLES: dict[str, Callable[[Any], bool]] = {}
"""Statistics that move furthest, under replace-one, by two rows that are not parallel."""


@entry(EVEN, "gram", "moment", "row_sum")
def _even_rows(own: Any) -> bool:
    return bool(own.rows.ball) and own.rows.entry is None


@entry(ROWS, "lambda_min")
@entry(ANGLES, "gram", "lambda_min")
@entry(EVEN, "count", "label_sum", "squares")
def _always(_: Any) -> bool:
    return True


@entry(EVEN, "linear")
def _even_alone(own: Any) -> bool:
    return len(own.parts) == 1 and moves_evenly(own.parts[0])


def moves_evenly(statistic: Any) -> bool:
    """Whether one added record attains every attained L1 and L2 bound of the statistic, and moves
    all entries alike: a row of a ball with equal entries, and |y| = Y.
    """
    own = entry_of(EVEN, statistic)
    return own is not None and own(statistic)


def pair_needs(table: dict[str, Any], node: Any) -> bool:
    """Whether a statistic, or one that it is computed from, has an entry in a table."""
    return entry_of(table, node) is not None or any(pair_needs(table, one) for one in node.inputs)
