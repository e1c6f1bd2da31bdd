"""Whether a procedure spends at most its share. The entry of its kind in the rule book is evaluated
as in the kernel, and its obligations are decided here; WAYS_OUT has a remedy for each hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from dpframe.exact.documents import Refused
from dpframe.graph import Bound, Graph, Procedure, points_of
from dpframe.graph.facts import SymbolicContext, facts_of
from dpframe.graph.procedure import WithoutTheorem
from dpframe.graph.procedures import RandomStopping
from dpframe.graph.statistics import Statistic
from dpframe.identity import own
from dpframe.symbols import ONE, Expression, Number
from dpframe.theory import facts as known
from dpframe.theory import procedures as book
from dpframe.theory.book import KINDS
from dpframe.wording import Formula, Text, digits, joined, reference, say

from .algebra import number
from .judge import Earned
from .problem import PROVED, REFUTED, UNPROVED, Edit, Obligation, Problem, Witness
from .procedure_counterexamples import EXAMINED
from .sign import surely_nonnegative


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
            return Edit("field", node, None, way.field)
        factor = g / f if way.rises else f / g
        return Edit("field", node, getattr(node, way.field) * factor, way.field)

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
        return surely_nonnegative(f, self.problem.field)

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
    opened = [one for one in runs if not one.proved]
    return opened or [runs[0]]


def _within(best: RandomStopping, edit: Edit) -> Edit:
    """An edit of a graph in it: of shares, those of the graphs in it."""
    return attrs.evolve(edit, node=best) if edit.what == "shares" else edit


def _private(problem: Problem, best: RandomStopping, graph: Graph) -> Obligation:
    from .report import verify  # which imports this rule

    inner = Problem(graph, best.each, problem.setting, problem.trust)
    report = verify(inner)
    rule = say("each run and its score are {} {}", best.each, reference(SOURCE))
    parts = (say("{} {}", one.label, one.share or "-") for one in graph.charged)
    unused = "; delta is not used" if "delta" in best.share.currency else ""
    split = joined(", ", parts)
    fact = say("{} candidates; shares of a run: {}{}", len(best.graphs), split, unused)
    carved = report.chosen is not None and bool(report.chosen.constraints)
    if report.proved and not carved:
        return Obligation("theorem", best.label, rule, (fact,), PROVED)
    opened = report.open_obligations
    refuted = [o for o in opened if o.refuted and o.kind in ("structure", "sensitivity")]
    facts = (fact, *(say("{}: {}", one.node, one.rule) for one in opened[:4]))
    witness = Witness(says=str(refuted[0].witness)) if refuted else None
    verdict = UNPROVED if witness is None else REFUTED
    fix = say(
        "tune a pure declaration, such as `dp.regressions.FunctionalRidge`, with a "
        "score that pays its share."
    )
    edits = (one.edit for one in opened if one.edit is not None)
    edit = next(
        (_within(best, one) for one in edits if one.node is not None or one.what == "shares"), None
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
