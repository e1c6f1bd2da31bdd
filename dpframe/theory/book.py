"""The tables of the rule book: kinds of nodes, theorems of calibration, derivations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from dpframe.exact.formula import Formula
from dpframe.exact.limits import Json

from .at import At
from .facts import Release

WHOLE = {"discrete_laplace", "discrete_gaussian"}  # noise for whole numbers only
EXACT = {"gaussian", "laplace", *WHOLE}  # noise that is drawn on a grid
ALIKE = {("mirrored_gaussian", "stated"): "gaussian"}  # and more noise off a diagonal
BY_L1 = ("laplace", "discrete_laplace")  # noise that answers to the L1 norm
PURE = (*BY_L1, "l2_laplace")
CURRENCIES = ({"epsilon"}, {"epsilon", "delta"}, {"rho"}, {"mu^2"})


class Kind(NamedTuple):
    """A row of the table of kinds: what its inputs are, its own keys, what it derives, and values
    of the keys that may be left out.
    """

    takes: tuple[type, ...]
    many: bool  # any number of inputs, each one of `takes`
    names: frozenset[str]
    make: Callable[..., Any]
    defaults: dict[str, Json]


KINDS: dict[str, Kind] = {}


def kind(name: str, *takes: type, many: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Enter a rule into the table: its keyword parameters are the node's own keys."""

    def enter(make: Callable[..., Any]) -> Callable[..., Any]:
        parameters = inspect.signature(make).parameters.values()
        own = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
        defaults = {key: value for key, value in own.items() if value is None}
        KINDS[name] = Kind(takes, many, frozenset(own), make, defaults)
        return make

    return enter


# These map zeros to zeros, or zeros add nothing to them: they stay in the cell of their inputs.
ZEROS = {"clip_norm", "box", "box_grid", "scale", "grid", "grid_column", "gram", "lambda_min"}
ZEROS |= {"moment", "squares", "row_sum", "label_sum", "trace", "linear", "stack"}
ZEROS |= {"sufficient_statistics", "monomials", "gradient_at", "norm_counts"}
SUMS = {"row_sum", "label_sum", "gram", "moment", "squares", "trace"}  # over records, of all tables
# What may read weighed rows and labels: its rule holds record by record.
LAST = {"weighted_grid", "weighted_grid_column", "count", "gram", "label_sum", "moment", "row_sum"}
LAST |= {"squares"}
OWN = {"loop", "of_budgets", "post", "release", "thinning", "weight"}  # may read a budget
OWN |= {"tilted_minimum"}
SAMPLES = {"sampled_rows", "sampled_column"}
Theorem = Callable[[At, Release, Formula, Formula], None]
THEOREMS: dict[tuple[str, str], Theorem] = {}


def theorem(mechanism: str, rule: str) -> Callable[[Theorem], Theorem]:
    """Enter a theorem: why noise of this size gives the release its share (epsilon, delta)."""

    def enter(judge: Theorem) -> Theorem:
        THEOREMS[mechanism, rule] = judge
        return judge

    return enter


DERIVATIONS: dict[str, Callable[[At], None]] = {}


def derivation(name: str) -> Callable[[Callable[[At], None]], Callable[[At], None]]:
    """Enter a derivation of the target from the releases."""

    def enter(derive: Callable[[At], None]) -> Callable[[At], None]:
        DERIVATIONS[name] = derive
        return derive

    return enter
