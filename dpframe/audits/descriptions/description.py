"""Descriptions of algorithms on paper, read from a TOML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
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

from . import limits
from .algorithm import Algorithm
from .bounds import amount, bounds_of, setting_of
from .build import GraphBuilder, located
from .described import Described
from .from_toml import checked, read_text, toml_tree
from .functions import vocabulary_of
from .keys import ACCOUNTANTS, CLAIM, TOP, FilePart, keyed
from .stated import ClaimedSensitivity, compared


@attrs.frozen(slots=False, eq=False)
class Description:
    """An algorithm as its paper states it, with the paper's claims.

    `regression`, `target`, `setting` and `accountant` are arguments of dp.audit and dp.certify,
    which also take another target. `title`, `citation` and `notes` are text of the file, for
    readers: escape them in markup. `remarks` are those on single releases and "output".
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
        """The releases and their inputs, as text."""
        return self.regression.algorithm  # type: ignore[no-any-return]

    @property
    def graph(self) -> Graph:
        """The graph for the claimed budget."""
        return self.regression.graph(self.setting, self.target.budget)  # type: ignore[no-any-return]

    @property
    def trusted(self) -> tuple[str, ...]:
        """Names of the releases whose sensitivity is stated, not derived."""
        return tuple(one.name for one in self.algorithm.releases if one.trusted)

    @cached_property
    def claimed_sensitivities(self) -> tuple[ClaimedSensitivity, ...]:
        """Every sensitivity that the paper claims by the file, beside the derived one."""
        vocabulary = vocabulary_of(self.regression.trust)
        budget = self.target.budget
        builder = GraphBuilder.of(self.algorithm, self.setting, budget, vocabulary)
        claims: dict[str, tuple[str, Expression]] = {}
        for name, text in self.claims.items():
            with located(f"release {name}, claimed_sensitivity"):
                claims[name] = text, builder.scope.formula(text)
        return tuple(compared(self.graph, claims))

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
    part = FilePart(toml_tree(checked(text, name), name), name)
    parts = keyed(part, TOP)
    with located(name):
        target, setting = _target(parts["claim"]), setting_of(parts)
    algorithm = Algorithm.of(parts, vocabulary_of(classes))
    if any(one.trusted for one in algorithm.releases):
        algorithm = attrs.evolve(algorithm, bounds=bounds_of(setting))
    remarks = {one.name: one.note for one in algorithm.releases if one.note}
    if "output" in parts and "note" in parts["output"].table():
        remarks["output"] = _note(parts["output"].inside("note"))
    claimed = {one.name: one.claimed_sensitivity for one in algorithm.releases}
    accountant = parts.get("accountant")
    description = Description(
        regression=Described(algorithm, classes),
        target=target,
        setting=setting,
        accountant=ACCOUNTANTS[0] if accountant is None else accountant.word(ACCOUNTANTS),
        title=algorithm.title,
        citation=_note(parts.get("paper")),
        notes=_note(parts.get("notes")),
        file=name,
        remarks=remarks,
        claims={name: text for name, text in claimed.items() if text},
    )
    with located(name):  # a graph that cannot be built is refused here, and by its place
        _refuse_many(graph_of(description.regression, setting, target), algorithm)
        _ = description.claimed_sensitivities
    return description


def _refuse_many(graph: Graph, algorithm: Algorithm) -> None:
    """Refuse many releases over ranges: each is decided on all of its range."""
    ranges = {name for name, _ in algorithm.parameters}
    names = ({s.name for f in one.formulas.values() for s in f.symbols()} for one in graph.releases)
    ranging = sum(bool(some & ranges) for some in names)
    if ranging > limits.RANGING:
        wanted = f"of at most {limits.RANGING} releases that read parameters on ranges"
        way_out = "Give parameters numbers; write equal releases as one, with times."
        raise InvalidArgument("release", wanted, ranging, way_out)


def _target(part: FilePart) -> Guarantee:
    """The claimed guarantee."""
    given = keyed(part, CLAIM).items()
    amounts = {name: amount(one, name, zero=name == "delta") for name, one in given}
    if amounts.keys() == {"delta", "epsilon"} and amounts["delta"] == Number(Fraction(0)):
        del amounts["delta"]
    match sorted(amounts):
        case ["rho"]:
            return ZeroConcentratedDP(amounts["rho"])
        case ["mu"]:
            return GaussianDP(amounts["mu"])
        case ["epsilon"]:
            return PureDP(amounts["epsilon"])
        case ["epsilon", "order"]:
            return RenyiDP(amounts["order"], amounts["epsilon"])
        case ["delta", "epsilon"]:
            return ApproxDP(amounts["epsilon"], amounts["delta"])
    wanted = "epsilon, epsilon with delta or order, rho, or mu"
    return part.refuse(wanted, ", ".join(amounts) or "nothing", "epsilon = 1 and delta = 1e-6.")


def _note(part: FilePart | None) -> str:
    return "" if part is None else part.text(limits.IN_NOTE, lines=True)
