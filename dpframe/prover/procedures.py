"""Whether a procedure spends at most its share. The entry of its kind in the rule book is evaluated
as in the kernel; its obligations are decided here. Those that stay open are looked at in numbers:
counterexamples, and stated temperatures that hold where they are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe import numerics
from dpframe.exact.documents import Refused
from dpframe.graph import Bound, Graph, Known, Node, Post, Procedure, points_of
from dpframe.graph.facts import SymbolicContext, facts_of
from dpframe.graph.procedure import WithoutTheorem
from dpframe.graph.procedures import RandomStopping
from dpframe.graph.procedures.perturbed import PerturbedMinimum
from dpframe.graph.procedures.posterior import Posterior
from dpframe.graph.statistics import Count, Statistic
from dpframe.identity import own
from dpframe.numerics import arb_lower, arb_upper
from dpframe.symbols import ONE, Expression, Number, Symbol
from dpframe.theory import facts as known
from dpframe.theory import procedures as book
from dpframe.theory.book import KINDS
from dpframe.wording import Formula, Text, digits, joined, reference, say

from .algebra import at_point, number, rational_ball
from .judge import Earned
from .problem import FIELD, PROVED, REFUTED, SHARES, UNPROVED, Edit, Obligation, Problem, Witness
from .sign import counterexample, nonnegative

MOST = Fraction(8, 5)
EPSILONS = tuple(Fraction(one) for one in ("1", "1/10", "3", "10", "1/100"))
ORDINARY = {"delta": Fraction(1, 10**6), "n": Fraction(10**4), "d": Fraction(5)}
Formulas = tuple[Expression, ...]


def refuted(obligation: Obligation, witness: Witness | None) -> Obligation:
    """An open obligation with a counterexample, where there is one."""
    return (
        obligation
        if witness is None
        else attrs.evolve(obligation, verdict=REFUTED, witness=witness)
    )


# ------------------------------------------------------------------------ posterior samples
def temperature(sample: Posterior, obligation: Obligation) -> Obligation:
    """A temperature that is stated: at numbers, by the pair; else refuted at numbers. (A record of
    zeros changes nothing, so one added row is a replacement too.)
    """
    gamma, residual, share = sample.temperature, sample.residual, sample.share
    if gamma is None or residual is None:
        return obligation
    ends: Formulas = (gamma, sample.leverage, residual)
    if not any(f.symbols() for f in (*sample.claim, *ends)) and _holds((*sample.claim, *ends), {}):
        return attrs.evolve(obligation, verdict=PROVED, repair="", edit=None)
    whole = (share.epsilon, share.delta, *ends)
    tried = (_broken(whole, point) for point in _points(whole))
    return refuted(obligation, next((one for one in tried if one is not None), None))


def _points(formulas: Formulas) -> Iterator[dict[str, Fraction]]:
    """Where a stated temperature is tried: ordinary numbers, epsilon from small to large, and what
    the declaration itself makes of them.
    """
    symbols = sorted(set().union(*map(_behind, formulas)), key=lambda one: one.name)
    for epsilon in EPSILONS:
        point: dict[str, Fraction] = {"epsilon": epsilon}
        missing = [one for one in symbols if not _given(one, point)]
        if not missing:
            yield {one.name: point[one.name] for one in symbols}


def _behind(formula: Expression) -> set[Symbol]:
    """The symbols of a formula, and those that its released numbers are made of."""
    symbols = set(formula.symbols())
    posts = [one.origin.value for one in symbols if type(one.origin) is Known]
    arguments = [a for one in posts if isinstance(one, Post) for a in one.arguments]
    return symbols.union(*(_behind(a) for a in arguments if isinstance(a, Expression)))


def _given(symbol: Symbol, point: dict[str, Fraction]) -> bool:
    """Enter a value that some table and its releases reach; False where none is known."""
    if symbol.name in point:
        return True
    origin = symbol.origin
    if type(origin) is Known:
        value = _made(origin, point)
    elif isinstance(origin, Bound):
        value = Fraction(1) if origin.upper_side else Fraction(100)  # a residual of e; a long table
    else:
        value = ORDINARY.get(symbol.name, symbol.domain.example())
    if value is not None:
        point[symbol.name] = value
    return value is not None


def _made(number: Known, point: dict[str, Fraction]) -> Fraction | None:
    """What a function of public numbers, n and bounds gives."""
    if not isinstance(number.value, Post):
        return None
    arguments = [_argument(argument, point) for argument in number.value.arguments]
    return None if None in arguments else number.inside(number.value.function(*arguments))


def _argument(argument: object, point: dict[str, Fraction]) -> object:
    if isinstance(argument, Count):
        return float(ORDINARY["n"])
    if not isinstance(argument, Expression):
        return None if isinstance(argument, Node) else argument
    if not all(_given(symbol, point) for symbol in argument.symbols()):
        return None
    return float(at_point([argument], point)[0].mid())


def _holds(formulas: Formulas, point: dict[str, Fraction]) -> bool:
    """Whether the pair is certainly inside the share, over all smaller leverages and residuals."""
    epsilon, delta, *others = at_point(formulas, point)
    gamma, leverage, residual = (max(arb_upper(ball), Fraction(0)) for ball in others)
    if leverage > MOST or arb_lower(epsilon) <= 0:
        return False
    bound = numerics.posterior_pair_bound(arb_lower(epsilon), gamma, leverage, residual)
    return bound.upper <= arb_lower(delta)


def _broken(formulas: Formulas, point: dict[str, Fraction]) -> Witness | None:
    """The point, if a record of that leverage and residual certainly breaks the share there."""
    epsilon, delta, *others = at_point(formulas, point)
    if not all(ball.is_finite() and ball > 0 for ball in (epsilon, delta, *others)):
        return None
    gamma, leverage, residual = (arb_lower(ball) for ball in others)
    true = numerics.posterior_pair_delta(arb_upper(epsilon), gamma, leverage, residual)
    if true.lower <= arb_upper(delta):
        return None
    claimed = float(arb_upper(delta))
    says = say(
        "a record of leverage {} and residual {} costs $delta$ = {} > {}",
        digits(float(leverage), 4),
        digits(float(residual), 4),
        digits(true.lower, 4),
        digits(claimed, 4),
    )
    return Witness(point, says)


# --------------------------------------------------------------------- objective perturbation
def tilt(node: Any, obligation: Obligation) -> Obligation:
    """Noise below the theorem's: long tables, where the curvature of one record is nothing, break
    it, since the tilt moves by A/size stds.
    """
    minimum: PerturbedMinimum = getattr(node, "minimum", node)
    formulas: Formulas = (*minimum.share.amounts, minimum.slope / minimum.size)
    if any(symbol.origin is not None for f in formulas for symbol in f.symbols()):
        return obligation
    return refuted(obligation, counterexample(formulas, _moved))


def _moved(e: Any, d: Any, mu: Any) -> str | None:
    if not all(ball.is_finite() and ball > 0 for ball in (e, d, mu)):
        return None
    true = numerics.profile_delta_lower(arb_upper(e), arb_lower(mu))
    if true <= arb_upper(d):
        return None
    return say(
        "in long tables one record moves the tilt by {} stds: $delta >=$ {} > {}",
        digits(float(mu.mid())),
        digits(float(true), 4),
        digits(float(arb_upper(d)), 4),
    )


def curved(node: Any, obligation: Obligation) -> Obligation:
    """A penalty that one record's curvature outweighs. In one dimension the tables of a record of
    zeros, and of that and (B, Y) or (B, 0), have the minimisers -z/penalty and (B y - z)/(B^2 +
    penalty), inside the ball without a change: what they show of z is compared there.
    """
    if type(node) is not PerturbedMinimum:
        return obligation
    rows, column = node.gram.rows, node.moment.column
    if not (rows.ball and column.ball and isinstance(rows.columns, Symbol)):
        return obligation
    share, (B, Y) = node.share, (rows.radius, column.radius)
    formulas: Formulas = (share.epsilon, share.delta, B, Y, node.radius, node.penalty, node.size)
    if any(symbol.origin is not None for f in formulas for symbol in f.symbols()):
        return obligation
    says = _in_the_middle if node.noise == "gaussian" else _at_the_peak
    return refuted(obligation, counterexample(formulas, says))


def _at_the_peak(*balls: Any) -> str | None:
    """Of Laplace noise, where the second table's density is largest."""
    e, d, B, Y, R, penalty, size = balls
    whole = B**2 + penalty
    if not all(one.is_finite() and one > 0 for one in (e, B, Y, R, penalty, size)) or not d <= 0:
        return None
    place = (B * Y / whole).min(R / 2)
    true = (whole / penalty).log() + penalty * place / size
    if not (true > e and B * Y >= whole * place):
        return None
    loss, given = float(true.mid()), float(e.mid())
    return say(
        "one record (B, Y) beside zeros, d = 1: its privacy loss reaches {} > {}",
        digits(loss),
        digits(given),
    )


def _in_the_middle(*balls: Any) -> str | None:
    """Of Gaussian noise, on intervals around the second table's peak."""
    e, d, B, Y, R, penalty, size = balls
    whole = B**2 + penalty
    if not all(one.is_finite() and one > 0 for one in (e, d, B, Y, R, penalty, size)):
        return None
    for name, label in (("0", 0 * Y), ("Y", Y)):
        peak = B * label / whole
        for width in (Fraction(1, 4), Fraction(1), Fraction(2)):
            half = (rational_ball(width) * size / whole).min(R - peak)
            if not half > 0:
                continue
            first = _normal((peak - half) * penalty / size, (peak + half) * penalty / size)
            true = _normal(-half * whole / size, half * whole / size) - e.exp() * first
            if true > d:
                at, *numbers = (digits(float(one.mid()), 4) for one in (peak, half, true, d))
                return say(
                    "one record (B, {}) beside zeros, d = 1: the event {} $<=$ {} shows $delta >=$ "
                    "{} > {}",
                    *(name, Formula(f"|theta - {at}|"), *numbers),
                )
    return None


def _normal(low: Any, high: Any) -> Any:
    """P[low <= N(0, 1) <= high]."""
    root = rational_ball(Fraction(2)).sqrt()
    return ((high / root).erf() - (low / root).erf()) / 2


EXAMINED: Mapping[str, Callable[[Any, Obligation], Obligation]] = {
    book.PAIR: temperature,
    book.SIZES["gaussian"]: tilt,
    book.CURVED: curved,
}
"""By the rule that stays open."""


@attrs.frozen
class WayOut:
    """The repair of an obligation, in words; and the field that a program may change: in proportion
    to the required value, inversely, or to None, the theorem's own value.
    """

    words: str
    field: str = ""
    rises: bool | None = None
    says: str = ""
    """What happens without it."""


LEAVE_OUT = WayOut(say("leave ``size`` out: the theorem's is taken."), "stated")
FLOORED = say("take the floor from `dp.graph.lower_bound` of a released `dp.lambda_min(X.T @ X)`.")
WAYS_OUT: Mapping[str, WayOut] = {
    book.ONE_ROW: WayOut("bound the rows of a person to 1 before this table is built."),
    book.ONE_TABLE: WayOut("take both from the same rows."),
    book.BOUNDED: WayOut(say("clip them: `X.clip(norm=...)`, `y.clip(-Y, Y)`.")),
    book.UNWEIGHED: WayOut("weigh the records of another release."),
    book.FLOOR: WayOut(FLOORED),
    book.STEADY: WayOut(say("take `X.T @ X` of the rows as they are.")),
    book.RESIDUAL: WayOut(
        say(
            "release a LogResidual and take `dp.graph.upper_bound` of it; or "
            "`dp.REPLACE_ONE`, where n is public."
        ),
        says=say(
            "a table of n rows makes $|theta|$ as large as $sqrt(n) Y/(2 sqrt(penalty))$, "
            "and n is private"
        ),
    ),
    book.PAIR: WayOut(
        "leave the temperature out: the largest admissible one is taken.", "temperature"
    ),
    book.CURVED: WayOut(
        say("raise the penalty to $B^2/((1 - noise_share) epsilon)$."), "penalty", rises=True
    ),
    book.BENT: WayOut(
        say("raise the penalty to $w c B^2/((1 - noise_share) epsilon)$."), "penalty", rises=True
    ),
    book.SLOPED: WayOut(
        say("bound rows and labels; take `dp.graph.Huber(knee)` or `dp.graph.Logistic()`.")
    ),
    **dict.fromkeys(book.SIZES.values(), LEAVE_OUT),
    book.PARTS: WayOut("split the share by positive weights that sum to 1."),
    book.HIDDEN: WayOut("leave the std to the theorem."),
    book.DEPTH: WayOut("a quarter of the models is the paper's."),
    book.CELL: WayOut(say("take $rate = epsilon/(2 cells that change)$."), "rate", rises=False),
    book.TESTED: WayOut(
        say("take $rate = (epsilon - test)/(2 cells that change)$."), "rate", rises=False
    ),
}
NO_WAY = WayOut("")
OPEN_RANGES = "declare them on open ranges."


class HypothesisFails(Refused):
    """An open obligation on which all later ones depend."""


class ProverContext(SymbolicContext):
    """The context in which the prover evaluates the entry of a procedure; `found` are its
    obligations, each proved or open.
    """

    def __init__(self, problem: Problem, node: Procedure) -> None:
        super().__init__(problem.setting.unit, problem.setting.relation)
        self.problem, self.node, self.where = problem, node, node.label
        self.rows = problem.rows
        self.inputs = [(one, facts_of(one, self.relation)) for one in node.inputs]
        self.sizes: list[tuple[str, Expression]] = []
        self.found: list[Obligation] = []

    def obligations(self) -> list[Obligation]:
        """The obligations of its kind's entry, up to one on which the others depend."""
        kind = KINDS[self.node.kind]
        own_keys = {name: self.node.parameters.get(name) for name in kind.keys}
        try:
            kind.make(self, *(fact for _, fact in self.inputs), **own_keys)
        except HypothesisFails:
            pass
        except Refused as error:
            self._note(str(error), (), shown=False)
        return [*self._positive(), *self.found]

    def _note(
        self, rule: str, facts: tuple[str, ...], *, shown: bool, edit: Edit | None = None
    ) -> None:
        verdict, way = PROVED if shown else UNPROVED, WAYS_OUT.get(rule, NO_WAY)
        repair = "" if shown else way.words
        witness = Witness(says=way.says) if way.says and not shown else None
        obligation = Obligation(
            "theorem", self.where, Formula(rule), facts, verdict, witness, repair, edit=edit
        )
        examine = None if shown else EXAMINED.get(rule)
        self.found.append(obligation if examine is None else examine(self.node, obligation))

    def _edit(self, rule: str, f: Expression | None = None, g: Expression | None = None) -> Any:
        """The edit that makes f at least g, if a field of the procedure determines it."""
        way = WAYS_OUT.get(rule, NO_WAY)
        nodes = (one for one in (self.node, *self.node.within) if hasattr(one, way.field))
        node = next(nodes, None) if way.field else None
        if node is None:
            return None
        if way.rises is None or f is None or g is None:
            return Edit(FIELD, node, None, way.field)
        factor = g / f if way.rises else f / g
        return Edit(FIELD, node, getattr(node, way.field) * factor, way.field)

    def _reads(self) -> str:
        """The formulas of the procedure, as operands of a rule."""
        return _equal(self.node.own_formulas)

    def _positive(self) -> Iterator[Obligation]:
        """One obligation for all sizes that must be positive."""
        wrong = [one for one in self.sizes if not self.problem.field.shown(one[1], strict=True)]
        named = dict(wrong or self.sizes)
        rule = say(
            "{} must be positive for every parameter value", joined(", ", map(Formula, named))
        )
        facts = (_equal(named),)
        verdict, repair = (UNPROVED, OPEN_RANGES) if wrong else (PROVED, "")
        if named:
            yield Obligation("theorem", self.where, rule, facts, verdict, repair=repair)

    def positive(self, value: Expression, name: str) -> Expression:
        """Add the requirement that a size is positive."""
        self.sizes.append((name, value))
        return value

    def require(self, shown: object, rule: str, *about: Expression) -> None:
        """Add a hypothesis of the theorem. Raises HypothesisFails if it does not hold, unless later
        obligations can be stated without it: they may be refuted.
        """
        if not shown:
            rows = say("rows_per_person = {}", self.rows) if rule == book.ONE_ROW else self._reads()
            self._note(rule, (rows,), shown=False, edit=self._edit(rule))
            if rule != book.ONE_ROW:
                raise HypothesisFails(rule)
        elif rule in WAYS_OUT:
            self._note(rule, (), shown=True)

    def shown(self, f: Expression) -> bool:
        """Whether a formula is shown to be at least 0."""
        return nonnegative(f, self.problem.field).proved is True

    def at_least(self, f: Any, g: Any, rule: str, *, strict: bool = False) -> None:
        """Add the requirement f >= g."""
        if strict:
            self.positive(f - g, rule)
        elif g != 0 or not self.shown(f):
            shown = self.shown(f - g)
            edit = None if shown else self._edit(rule, f, g)
            fact = say("{}{} $<=$ {}", "" if shown else "needed: ", g, f)
            self._note(rule, (fact,), shown=shown, edit=edit)

    def at_least_one(self, f: Expression, bounds: Iterable[Expression], rule: str) -> None:
        """Add the requirement that f is at least one of some formulas."""
        tried: list[Expression] = []
        for one in bounds:
            tried.append(one)
            if self.shown(f - one):
                return self._note(rule, (say("{} $<=$ {}", one, f),), shown=True)
        needed = say("needed {}", _with_value(tried[0], up=True)) if tried else "none is known"
        facts = (say("here {}", _with_value(f, up=False)), needed)
        return self._note(rule, facts, shown=False, edit=self._edit(rule))

    def settled(self, *formulas: Expression) -> None:
        """Checked by the information flow."""

    def single(self) -> bool:
        """Whether a person has one row."""
        return self.rows == ONE

    def steady(self, fact: object) -> bool:
        """Whether no loop changes the object of a fact."""
        return not any(points_of(one) for one, own_fact in self.inputs if own_fact is fact)

    def bounds(self) -> Iterator[tuple[Expression, known.Bound]]:
        """Every bound on a statistic that a formula reads, and its symbol."""
        for symbol in self.problem.symbols:
            bound = self.bound(symbol) if isinstance(symbol.origin, Bound) else None
            if bound is not None:
                yield symbol, bound

    def counts(self) -> Iterator[Expression]:
        """The symbols that stand for a public number of rows."""
        for symbol in self.problem.symbols:
            if isinstance(symbol.origin, Statistic):
                about = facts_of(symbol.origin, self.relation)
                if about.counts and about.l2 is not None and self.constant(about.l2) == 0:
                    yield symbol

    def computed(self, *what: str) -> None:
        """Add the condition that execution establishes for a rule."""
        if what:
            self._note(what[0], (self._reads(), *what[1:]), shown=True)

    def private_runs(self, graphs: object, epsilon: Expression) -> None:
        """Whether each graph of the procedure is epsilon-DP, by a proof of its own."""
        assert isinstance(self.node, RandomStopping)  # noqa: S101 - no other entry calls this
        self.found += private_runs(self.problem, self.node)


def earned(problem: Problem, procedure: Procedure) -> Sequence[Earned]:
    """The requirements of a procedure's theorem. A trusted kind from outside is believed."""
    if not own(type(procedure)):
        word = say("{} earns its share on its word", type(procedure).__qualname__)
        return [Earned(Obligation("share", procedure.label, word, (), PROVED))]
    obligations: Iterable[Obligation]
    if isinstance(procedure, WithoutTheorem):
        obligations = procedure.obligations(problem)
    else:
        obligations = ProverContext(problem, procedure).obligations()
    return [Earned(obligation) for obligation in obligations]


# ------------------------------------------------------------------------ random stopping
SOURCE = "[LiuT19; PapernotS22, Cor 3]"


def private_runs(problem: Problem, best: RandomStopping) -> Sequence[Obligation]:
    """Each graph, fit and score together, is epsilon_0-DP, where 3 epsilon_0 is the share."""
    runs = [_private(problem, best, graph) for graph in best.graphs]
    opened = [one for one in runs if one.verdict is not PROVED]
    return opened or [runs[0]]


def _within(best: RandomStopping, edit: Edit) -> Edit:
    """An edit of a graph in it: of shares, those of the graphs in it."""
    return attrs.evolve(edit, node=best) if edit.what == SHARES else edit


def _private(problem: Problem, best: RandomStopping, graph: Graph) -> Obligation:
    from .report import verify  # which imports this rule

    inner = Problem(graph, best.each, problem.setting, problem.trust)
    report = verify(inner)
    rule = say("each run and its score are {} {}", best.each, reference(SOURCE))
    fact = say("{} candidates, share {}", len(best.graphs), best.share)
    carved = report.chosen is not None and bool(report.chosen.constraints)
    if report.proved and not carved:
        return Obligation("theorem", best.label, rule, (fact,), PROVED)
    opened = report.open_obligations
    refuted = [o for o in opened if o.verdict is REFUTED and o.kind in ("structure", "sensitivity")]
    facts = (fact, *(say("{}: {}", one.node, one.rule) for one in opened[:4]))
    witness = Witness(says=str(refuted[0].witness)) if refuted else None
    verdict = UNPROVED if witness is None else REFUTED
    fix = say(
        "tune a pure declaration, such as `dp.regressions.FunctionalRidge`, with a "
        "score that pays its share."
    )
    edits = (one.edit for one in opened if one.edit is not None)
    edit = next(
        (_within(best, one) for one in edits if one.node is not None or one.what == SHARES), None
    )
    return Obligation("theorem", best.label, rule, facts, verdict, witness, fix, edit=edit)


def _equal(formulas: Mapping[str, Expression]) -> Text:
    """`penalty = 1, radius = 2`."""
    return joined(", ", (say("{} = {}", Formula(name), one) for name, one in formulas.items()))


def _with_value(formula: Expression, *, up: bool) -> str:
    """`sqrt(2) = 1.41421`: a formula without symbols, and its number."""
    if formula.symbols() or isinstance(formula, Number):
        return str(formula)
    return say("{} = {}", formula, digits(number(formula, {}, up=up)))
