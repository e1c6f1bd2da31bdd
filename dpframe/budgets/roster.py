"""The public list of budgets, at numbers: the values of formulas for each record and for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.graph.known import OfBudgets
from dpframe.numbers import shortest
from dpframe.privacy import own_symbols
from dpframe.privacy.personal import Grouped, Listed, PersonalizedDP, own_symbols_of, whole_range
from dpframe.prover.algebra import atoms, enclose, number, rational_ball, substituted
from dpframe.symbols import Call, Domain, Expression, Number, Symbol, exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

FEW = 64  # groups that are evaluated one by one, in ball arithmetic
SIGMAS = Domain(Fraction(0))


@attrs.frozen(eq=False)
class Roster:
    """k distinct budgets, and the number of records with each. `values` are pairs of arrays, shape
    (k,), lower and upper ends, by symbol; `exact` the same as fractions, if they are few.
    """

    names: tuple[str, ...]
    values: Mapping[str, tuple[Array, Array]]
    exact: Mapping[str, tuple[Fraction, ...]]
    counts: Array
    _known: dict[Any, Any] = attrs.field(factory=dict, init=False)

    @property
    def size(self) -> int:
        """k."""
        return len(self.counts)

    def ends(self, formula: Expression, common: Mapping[str, Fraction]) -> tuple[Array, Array]:
        """Lower and upper ends of a formula for every budget, shape (k,); `common` are numbers that
        all records share.
        """
        read = {s.name: common[s.name] for s in formula.symbols() if s.name in common}
        key = (formula, tuple(sorted(read.items())))
        if key not in self._known:
            self._known[key] = self._ends(formula, read)
        ends: tuple[Array, Array] = self._known[key]
        return ends

    def _ends(self, formula: Expression, common: Mapping[str, Fraction]) -> tuple[Array, Array]:
        import numpy as np

        own = {symbol.name for symbol in own_symbols(formula)}
        plain = {s.name for s in formula.symbols()} - own
        missing = sorted((plain - common.keys()) | (own - self.values.keys()))
        if missing:
            way_out = f"run = certificate.at({missing[0]}=...)"
            raise InvalidArgument("certificate", f"given a number for {missing[0]}", None, way_out)
        if own <= self.exact.keys() and self.size <= FEW:
            balls = [self._ball(formula, common, place) for place in range(self.size)]
            ends = [(_end(ball, up=False), _end(ball, up=True)) for ball in balls]
            return np.array([low for low, _ in ends]), np.array([high for _, high in ends])
        from dpframe.symbols.enclose_each import as_pairs, enclose_each

        shared = {name: as_pairs(common[name]) for name in plain}
        values = {**shared, **{name: self.values[name] for name in own}}
        shorter, known = self._without_sigmas(formula, common)
        low, high = enclose_each(shorter, {**values, **known})
        return np.broadcast_to(low, self.counts.shape), np.broadcast_to(high, self.counts.shape)

    def _without_sigmas(
        self, formula: Expression, common: Mapping[str, Fraction]
    ) -> tuple[Expression, dict[str, tuple[Array, Array]]]:
        """The formula with a symbol for each analytic_sigma inside it, which many formulas share
        and which is found once; and the ends of these symbols.
        """
        inside = sorted((one for one in atoms(formula) if _is_sigma(one, formula)), key=str)
        symbols = {one: Symbol(f"sigma {place}", SIGMAS) for place, one in enumerate(inside)}
        ends = {symbols[one].name: self.ends(one, common) for one in inside}
        return substituted(formula, symbols), ends

    def _ball(self, formula: Expression, common: Mapping[str, Fraction], place: int) -> Any:
        own = {name: rational_ball(amounts[place]) for name, amounts in self.exact.items()}
        return enclose(formula, {**{n: rational_ball(v) for n, v in common.items()}, **own})

    def largest(self, formula: Expression, common: Mapping[str, Fraction], *, up: bool) -> float:
        """The largest of a formula over all budgets, rounded up or down. Raises InvalidArgument
        where it is undefined somewhere.
        """
        import numpy as np

        low, high = self.ends(formula, common)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            wanted = "where every record's formula is a finite number"
            raise InvalidArgument("budgets", wanted, Plain(formula), "Give other budgets.")
        return float((high if up else low).max())

    def number(self, node: OfBudgets, common: Mapping[str, Fraction]) -> Fraction:
        """An aggregate of all budgets. Any positive value is sound: formulas read this one."""
        import numpy as np

        low, high = self.ends(node.formula, common)
        match node.what:
            case "largest":
                return Fraction(float(high.max()))
            case "smallest":
                return Fraction(float(low.min()))
        if node.what == "cap" and not self.counts.any():
            return Fraction(float(high.max()))  # unknown numbers of records: no cap
        if not self.counts.any():
            way_out = "Give budgets of records, or groups with shares."
            raise InvalidArgument("budgets", f"counted, for the {node.label}", None, way_out)
        middle = low / 2 + high / 2
        if node.what == "cap":
            return Fraction(best_cap(middle, self.counts, self._noise(node, common)))
        weights = self.counts if node.what == "total" else self.counts / self.counts.sum()
        total = float(np.sum(weights * middle))
        if not np.isfinite(total) or total <= 0:
            raise InvalidArgument("budgets", f"of a finite {node.label}", Plain(total), "")
        return Fraction(total)

    def _noise(self, node: OfBudgets, common: Mapping[str, Fraction]) -> float:
        noise = exact(0) if node.noise is None else node.noise
        missing = sorted({symbol.name for symbol in noise.symbols()} - common.keys())
        if missing:
            way_out = f"Say {missing[0]}=..., a public size."
            raise InvalidArgument(missing[0], f"known, for the {node.label}", None, way_out)
        return number(noise, common, up=True)


def _is_sigma(part: Call, whole: Expression) -> bool:
    return part.name == "analytic_sigma" and part != whole


def best_cap(own: Array, counts: Array, noise: float) -> float:
    """The t at which weights min(own, t) have the least (sum w^2 + noise)/(sum w)^2; `own`, shape
    (k,), positive, `counts` the records of each; the largest of `own` if no cap is better.
    """
    import numpy as np

    order = np.argsort(own)
    sorted_own, weight = own[order], counts[order]
    below = np.concatenate([[0.0], np.cumsum(weight * sorted_own)])
    squares = np.concatenate([[0.0], np.cumsum(weight * sorted_own**2)])
    with np.errstate(divide="ignore", invalid="ignore"):
        cap = np.where(below > 0, (squares + noise) / below, np.inf)
    edges = np.concatenate([sorted_own, [np.inf]])
    inside = cap <= edges
    best = float(cap[np.argmax(inside)]) if inside.any() else np.inf
    return min(best, float(sorted_own[-1]))


def _end(ball: Any, *, up: bool) -> float:
    from dpframe.numerics.rounding import arb_float

    return float(arb_float(ball, up=up))


def roster_of(
    target: PersonalizedDP, values: Mapping[str, Fraction] | None = None
) -> Roster | None:
    """The budgets of a target; None if it has none. Groups of unknown sizes count with their
    shares, or not at all. `values` are numbers of the groups' parameters.
    """
    given = {name: one for name, one in target.given.items() if isinstance(one, (Grouped, Listed))}
    needed = {symbol.name for symbol in own_symbols_of(target.each)}
    if not given or needed - given.keys():
        return None
    if target.groups:
        grouped = [one for one in given.values() if isinstance(one, Grouped)]
        return _of_groups(target, grouped, values)
    return listed([one for one in given.values() if isinstance(one, Listed)])[0]


def _of_groups(
    target: PersonalizedDP, given: Sequence[Grouped], values: Mapping[str, Fraction] | None
) -> Roster:
    import numpy as np

    from dpframe.symbols.enclose_each import as_pairs

    numbers = {name: Number(value) for name, value in (values or {}).items()}
    exact: dict[str, tuple[Fraction, ...]] = {}
    for one in given:
        substituted = [amount.substitute(numbers) for amount in one.amounts]
        free = [str(amount) for amount in substituted if not isinstance(amount, Number)]
        if free:
            way_out = "run = certificate.at(...)"
            raise InvalidArgument("groups", "given numbers", ", ".join(free), way_out)
        exact[one.name] = tuple(
            amount.value for amount in substituted if isinstance(amount, Number)
        )
        if not all(amount in whole_range(one.name) for amount in exact[one.name]):
            wanted = f"{whole_range(one.name)}, in every group"
            raise InvalidArgument(f"budgets {one.name}", wanted, Plain(exact[one.name]))
    shares = (
        [target.shares[name] for name in target.groups]
        if target.shares
        else [0] * len(target.groups)
    )
    counts = np.array([float(share) for share in shares])
    pairs = {name: as_pairs(list(amounts)) for name, amounts in exact.items()}
    return Roster(target.groups, pairs, exact, counts)


def listed(given: Sequence[Listed]) -> tuple[Roster, Array]:
    """The distinct budgets of lists of one length, and each record's position among them, (n,)."""
    import numpy as np

    from dpframe.symbols.enclose_each import as_pairs

    columns = [one.numbers for one in given]
    if len(columns) == 1:
        budgets, places, counts = np.unique(columns[0], return_inverse=True, return_counts=True)
        different = [budgets]
    else:
        table = np.column_stack(columns)
        budgets, places, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)
        different = list(budgets.T)
    pairs = {one.name: as_pairs(d, shortest=True) for one, d in zip(given, different, strict=True)}
    exact = {
        one.name: tuple(shortest(float(x)) for x in d)
        for one, d in zip(given, different, strict=True)
        if len(d) <= FEW
    }
    return Roster((), pairs, exact, counts), places.reshape(-1)
