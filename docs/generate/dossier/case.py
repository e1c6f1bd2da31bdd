"""One declaration under one relation: what became of its claim, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs

from dpframe.audits.figures import clipped, exactly, figure, short
from dpframe.graph import Regression
from dpframe.literature.catalogue import Entry, entry, example
from dpframe.literature.every import REGRESSIONS, family
from dpframe.privacy import Relation
from dpframe.prover import Obligation, Verdict

from .account import PROVED, REFUTED, Account, account
from .limit import Limit, limit

DIGITS = 5  # of a limit
MOST = 2  # classes that are named, and further reasons
SEEN = 60  # characters by which two lines are told apart
TRIED = tuple(  # values of a free parameter in (0, 1)
    value for k in range(1, 7) for value in (1 - Fraction(1, 10**k), Fraction(1, 10**k))
)
NEAR = {  # families that have nothing certified under a relation, and what is near them
    "OPS": ("AdaOPS",),
    "Tukey depth": ("SubAgg",),
    "least squares": ("AdaSSP",),
    "personalised ridge": ("PersonalizedSSP",),
    "uniform ridge": ("PersonalizedRidge", "PersonalizedSSP"),
}


@attrs.frozen(kw_only=True, eq=False, slots=False)
class Case:
    """`entry` is its audit for every parameter; `accounts` are its costs at claimed epsilons;
    `limit` the largest epsilon up to which the claim is exactly true, where one number decides.
    """

    entry: Entry
    accounts: tuple[Account, ...]
    limit: Limit | None
    box: bool

    @property
    def regression(self) -> Regression:
        """The declaration."""
        return self.entry.regression

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.entry.name

    @property
    def variant(self) -> str:
        """`printed` or `coded`."""
        return type(self.regression).variant

    @property
    def relation(self) -> Relation:
        """Who is a neighbour."""
        return self.entry.relation

    @property
    def claimed_for(self) -> str:
        """The neighbouring relation that privacy is claimed for, "" where that is left open."""
        return type(self.regression).claimed_for

    @property
    def claimed(self) -> bool:
        """Whether privacy is claimed for this relation."""
        return self.claimed_for.partition(",")[0] == str(self.relation)

    def breaks(self, account: Account) -> bool:
        """Whether some pair of neighbours costs more than is claimed, or nothing bounds it, under
        the relation that it is claimed for.
        """
        return self.claimed and account.verdict == REFUTED

    @property
    def refused(self) -> bool:
        """Whether its claim fails at one of the claimed epsilons, or is not proved for all."""
        return not self.entry.certified or any(one.verdict == REFUTED for one in self.accounts)

    @property
    def everywhere(self) -> str:
        """The verdict for every parameter: `proved`, `proved in a region`, `proved at numbers`
        where it is neither proved nor refuted for all, `refuted`, or `refuted, true for some` where
        the claim is proved at a claimed epsilon; `not proved`, likewise, where nothing refutes it.
        """
        scopes = {"every": "proved", "region": "proved in a region", "numbers": "proved at numbers"}
        if self.entry.certified:
            return scopes[self.entry.scope]
        word = "refuted" if self._broken else "not proved"
        return f"{word}, true for some" if self._somewhere else word

    @property
    def _broken(self) -> bool:
        """Whether an obligation is refuted, or a claimed epsilon is."""
        found = (one.verdict is Verdict.REFUTED for one in self.opened)
        return any(found) or any(one.verdict == REFUTED for one in self.accounts)

    @property
    def _somewhere(self) -> bool:
        return any(one.verdict == PROVED for one in self.accounts)

    @property
    def reach(self) -> str:
        """Up to which epsilon the claim is true: `every`, `0.12084` rounded down, `>= 9.7326` where
        it is not known to fail at once beyond, `-` where no number decides.
        """
        if self.limit is not None:
            least = figure(self.limit.epsilon, "down", DIGITS)
            return least if self.limit.exact else f">= {least}"
        return "every" if self.entry.scope == "every" else "-"

    @property
    def reason(self) -> str:
        """One line: by what it is proved and where, or what stands in the way, with numbers."""
        return self.entry.reason

    @property
    def remark(self) -> str:
        """What its declaration says besides: what it leaves out, and what is not to be blamed."""
        further = (type(self.regression).__doc__ or "").partition("\n\n")[2]
        return " ".join(further.split())

    @property
    def opened(self) -> tuple[Obligation, ...]:
        """What is open or refuted of the claim for every parameter, refuted first."""
        judged = self.entry.every
        if judged is None:
            return ()
        found = judged.report.open_obligations
        return tuple(sorted(found, key=lambda one: one.verdict is not Verdict.REFUTED))

    @property
    def also(self) -> tuple[str, ...]:
        """What else is refuted, at most two, one line each; nothing where the total is."""
        first, judged = self.reason, self.entry.every
        if judged is None or judged.broken is not None:
            return ()
        refuted = (one for one in self.opened if one.verdict is Verdict.REFUTED)
        lines = dict.fromkeys(map(_line, refuted))
        return tuple(line for line in lines if not first.startswith(line[:SEEN]))[:MOST]

    @property
    def repair(self) -> str:
        """The verifier's first way out; "" where it has none."""
        return next((_sentence(one.repair) for one in self.opened if one.repair), "")

    @property
    def limit_text(self) -> str:
        """Up to where the claim is true, with the rule; "" where no number decides."""
        if self.limit is None:
            return ""
        found = self.limit
        least, fails = figure(found.epsilon, "down", DIGITS), figure(found.refuted, "up", DIGITS)
        till = f"up to epsilon = {least}"
        text = f"exactly true {till}" if found.exact else f"true {till}, false from {fails} on,"
        text = f"{text} at delta = {_delta(self)}"
        if found.worst is None:
            return text
        broken = self._broken_at()
        proved = f"{text} for every {found.parameter}: {found.rule}"
        return f"{proved}; {broken}" if broken else proved

    def _broken_at(self) -> str:
        """A value of the free parameter at which a claimed epsilon fails, with its true cost."""
        return next(filter(None, (_witness(self, one) for one in self.accounts)), "")

    @property
    def instead(self) -> tuple[str, ...]:
        """Names of recommended regressions that are certified under the relation: of the same
        family, else of a near one.
        """
        return recommended(type(self.regression), self.relation)


def case(
    regression: Regression,
    relation: Relation,
    epsilons: Sequence[Fraction],
    delta: Fraction,
    *,
    box: bool = False,
) -> Case:
    """What becomes of a declaration under a relation, at claimed epsilons. Refusals are part of
    it.
    """
    judged = entry(regression, relation)
    bound = None if judged.pure else limit(regression, relation, delta, box=box)
    failing = Fraction(0) if judged.pure else delta
    return Case(
        entry=judged,
        accounts=tuple(
            account(regression, relation, one, failing, bound=bound, box=box) for one in epsilons
        ),
        limit=bound,
        box=box,
    )


def recommended(cls: type[Regression], relation: Relation) -> tuple[str, ...]:
    """The certified recommended classes of the same title, else family, else a near one; two."""
    known = [one for one in REGRESSIONS if one.variant == "recommended"]
    groups = (
        [one for one in known if one.title == cls.title],
        [one for one in known if family(one) == family(cls)],
        [one for one in known if one.__name__ in NEAR.get(family(cls), ())],
    )
    for group in groups:
        found = [one.__name__ for one in group if _certified(one, relation)]
        if found:
            return tuple(found[:MOST])
    return ()


@lru_cache(maxsize=256)
def _certified(cls: type[Regression], relation: Relation) -> bool:
    return entry(example(cls), relation).certified


def _line(one: Obligation) -> str:
    return f"{clipped(one.node, 60)}: {one.rule}: {one.witness or one.verdict}"


def _delta(one: Case) -> str:
    return short(one.accounts[0].delta)


def _witness(one: Case, spent: Account) -> str:
    """`at epsilon = 10 it fails for gamma = 0.999, which costs 10.05`."""
    found = one.limit
    if found is None or spent.verdict != REFUTED:
        return ""
    for value in TRIED:
        fixed = with_value(one.regression, found.parameter, value)
        own = case(fixed, one.relation, [spent.claimed], spent.delta, box=one.box).accounts[0]
        if own.verdict == REFUTED:
            where = f"{found.parameter} = {exactly(value)}"
            claimed = short(spent.claimed)
            return f"at epsilon = {claimed} it fails for {where}, which costs {own}"
    return ""


def with_value(regression: Regression, name: str, value: object) -> Regression:
    """The declaration with another value of a hyperparameter."""
    fields: Any = attrs.fields(type(regression))
    kept = {field.name: getattr(regression, field.name) for field in fields}
    return type(regression)(**{**kept, name: value})


def _sentence(text: str) -> str:
    """With a capital, but for a symbol, and a full stop."""
    trimmed, first = text.rstrip("."), text.partition(" ")[0]
    return f"{trimmed if len(first) == 1 else trimmed[:1].upper() + trimmed[1:]}."
