"""Descriptions of algorithms on paper, read from a TOML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph, Setting
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP, ZeroConcentratedDP
from dpframe.prover.certify import graph_of
from dpframe.prover.problem import trusted_classes
from dpframe.symbols import Expression, Number

from .algorithm import Algorithm, algorithm
from .bounds import amount, bounds_of, setting_of
from .build import Builder, located
from .described import Described
from .from_toml import checked, read_text, toml_tree
from .keys import ACCOUNTANTS, CLAIM, RELEASE, TOP, Part, keyed
from .limits import MOST_IN_FORMULA, MOST_IN_NOTE, MOST_RANGING, MOST_RELEASES
from .stated import ClaimedSensitivity, compared
from .words import words_of


@attrs.frozen(slots=False, eq=False)
class Description:
    """An algorithm as its paper states it, with what the paper claims of it.

    `regression`, `target`, `setting` and `accountant` are what dp.audit and dp.certify take; to ask
    about another target, give them that. `title`, `citation` and `notes` are text of the file, for
    readers: escape them where markup is made. `remarks` are those on single releases and "output".
    """

    regression: Any
    target: Guarantee
    setting: Setting
    accountant: str
    title: str
    citation: str
    notes: str
    file: str
    remarks: Mapping[str, str]
    claims: Mapping[str, str]

    @property
    def algorithm(self) -> Algorithm:
        """The releases and all that they read, as text."""
        found: Algorithm = self.regression.algorithm
        return found

    @property
    def graph(self) -> Graph:
        """The graph for the claimed budget."""
        found: Graph = self.regression.graph(self.setting, self.target.budget)
        return found

    @property
    def trusted(self) -> tuple[str, ...]:
        """Names of the releases whose sensitivity is stated, not derived."""
        return tuple(one.name for one in self.algorithm.releases if one.trusted)

    @cached_property
    def claimed_sensitivities(self) -> tuple[ClaimedSensitivity, ...]:
        """Every sensitivity that the file says the paper claims, beside the derived one."""
        words = words_of(self.regression.trust)
        builder = Builder.of(self.algorithm, self.setting, self.target.budget, words)
        found: dict[str, tuple[str, Expression]] = {}
        for name, text in self.claims.items():
            with located(f"release {name}, claimed_sensitivity"):
                found[name] = text, builder.scope.formula(text)
        return tuple(compared(self.graph, found))

    def __str__(self) -> str:
        """`"adaSSP" (Wang 2018), claimed (1, 1e-6)-differential privacy`."""
        cited = f" ({self.citation})" if self.citation else ""
        return f"{self.regression}{cited}, claimed {self.target}"


def read_description(path: str | Path, *, trust: Sequence[type] = ()) -> Description:
    """The description in a file in TOML, whose name ends in .toml. The schema is docs/describing.

    Reads that file and nothing else, and runs nothing of it. `trust` names classes of your own: the
    file may write the `kind` of noise as a mechanism and that of a statistic or map as a function
    of its fields; pass the same list to dp.audit and dp.certify. Raises InvalidArgument
    (UnsafeFormula for formulas) that names the place in the file.
    """
    place = Path(path)
    return _described(read_text(place), place.name, trust)


def parse_description(text: str, *, name: str = "text", trust: Sequence[type] = ()) -> Description:
    """The description in a text in TOML; `name` stands for the file in messages, and `trust` is as
    in read_description.

    >>> found = parse_description('''
    ... title = "a noisy count"
    ... relation = "add-remove"
    ... claim = {epsilon = 1}
    ... rows = {norm = 1}
    ... [[release]]
    ... name = "size"
    ... statistic = "n"
    ... mechanism = "laplace"
    ... scale = "1/epsilon"
    ... share = "epsilon"
    ... ''')
    >>> print(found)
    "a noisy count", claimed 1-differential privacy
    """
    if not isinstance(text, str):
        raise InvalidArgument("text", "text", type(text).__name__, "read_description reads files.")
    return _described(text, name, trust)


def _described(text: str, name: str, trust: Sequence[type]) -> Description:
    classes = trusted_classes(trust)
    part = Part(toml_tree(checked(text, name), name), name)
    parts = keyed(part, TOP)
    with located(name):
        target, setting = _target(parts["claim"]), setting_of(parts)
    told = algorithm(parts, words_of(classes))
    if any(one.trusted for one in told.releases):
        told = attrs.evolve(told, bounds=bounds_of(setting))
    remarks, claims = _remarks(parts)
    found = Description(
        regression=Described(told, classes),
        target=target,
        setting=setting,
        accountant=_accountant(parts.get("accountant")),
        title=told.title,
        citation=_note(parts.get("paper")),
        notes=_note(parts.get("notes")),
        file=name,
        remarks=remarks,
        claims=claims,
    )
    with located(name):  # what cannot be built is refused here, and by its place
        _refuse_many(graph_of(found.regression, setting, target), told)
        _ = found.claimed_sensitivities
    return found


def _refuse_many(graph: Graph, told: Algorithm) -> None:
    """Refuse many releases over ranges: each is judged on all of its range."""
    ranges = {name for name, _ in told.parameters}
    moving = [
        one
        for one in graph.releases
        if any(symbol.name in ranges for f in one.formulas.values() for symbol in f.symbols())
    ]
    if len(moving) > MOST_RANGING:
        wanted = f"of at most {MOST_RANGING} releases that read parameters on ranges"
        way_out = "Give parameters numbers; write equal releases as one, with times."
        raise InvalidArgument("release", wanted, len(moving), way_out)


def _target(part: Part) -> Guarantee:
    """The claim, in the currency of its keys."""
    given = keyed(part, CLAIM)
    found = {name: amount(one, name, zero=name == "delta") for name, one in given.items()}
    match sorted(found):
        case ["rho"]:
            return ZeroConcentratedDP(found["rho"])
        case ["mu"]:
            return GaussianDP(found["mu"])
        case ["epsilon"]:
            return PureDP(found["epsilon"])
        case ["epsilon", "order"]:
            return RenyiDP(found["order"], found["epsilon"])
        case ["delta", "epsilon"]:
            return _approximate(found["epsilon"], found["delta"])
    wanted = "epsilon, epsilon with delta or order, rho, or mu"
    return part.refuse(wanted, ", ".join(found) or "nothing", "epsilon = 1 and delta = 1e-6.")


def _approximate(epsilon: Expression, delta: Expression) -> Guarantee:
    none = isinstance(delta, Number) and delta.value == 0
    return PureDP(epsilon) if none else ApproxDP(epsilon, delta)


def _accountant(part: Part | None) -> str:
    return ACCOUNTANTS[0] if part is None else part.word(ACCOUNTANTS)


def _note(part: Part | None) -> str:
    return "" if part is None else part.text(MOST_IN_NOTE, lines=True)


def _remarks(parts: Mapping[str, Part]) -> tuple[dict[str, str], dict[str, str]]:
    """Remarks and claimed sensitivities, by release; the remark on the last step as "output"."""
    remarks, claims = {}, {}
    for part in parts["release"].items("release", MOST_RELEASES):
        given = keyed(part, RELEASE)
        name = given["name"].text(MOST_IN_FORMULA)
        if "note" in given:
            remarks[name] = _note(given["note"])
        if "claimed_sensitivity" in given:
            claims[name] = given["claimed_sensitivity"].text(MOST_IN_FORMULA)
    if "output" in parts and "note" in parts["output"].table():
        remarks["output"] = _note(parts["output"].inside("note"))
    return remarks, claims
