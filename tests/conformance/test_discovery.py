"""Every final class of the package is exported, sampled, cited and proved on a page."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from types import SimpleNamespace

import attrs
import pytest

import dpframe as dp
from docs.generate.pages import bibtex
from dpframe import accountants, graph, literature, mechanisms, regressions
from dpframe.graph import statistics
from dpframe.graph.procedure import WithoutTheorem
from dpframe.literature.catalogue import example
from dpframe.mechanisms.base import CALIBRATIONS
from dpframe.pld import losses
from dpframe.theory.book import KINDS
from tests.support import samples

DOCS = Path(dp.__file__).parents[1] / "docs"
SOURCE = re.compile(r"\[([A-Z][A-Za-z]+\d{0,2})(?:, [^\]]+)?\]")

SHELVES = SimpleNamespace(  # of regressions: a class is exported by one of the two
    __name__="dpframe.regressions",
    __all__=[*regressions.__all__, *literature.__all__],
    **{name: getattr(literature, name) for name in literature.__all__},
    **{name: getattr(regressions, name) for name in regressions.__all__},
)
FAMILIES = {
    "mechanism": (dp.Mechanism, mechanisms, samples.MECHANISMS),
    "accountant": (dp.Accountant, accountants, samples.ACCOUNTANTS),
    "statistic": (statistics.Statistic, statistics, samples.STATISTICS),
    "regression": (dp.Regression, SHELVES, samples.REGRESSIONS),
    "loss": (  # it joins the suite of cumulants by its sample, or has a suite of its own
        *(dp.pld.PrivacyLoss, losses, samples.LOSSES | dict.fromkeys(samples.OWN_SUITES)),
    ),
}
CITED = [
    *samples.final_subclasses(dp.Mechanism),
    *samples.final_subclasses(dp.Accountant),
    *samples.final_subclasses(dp.Regression),
]
BOUNDED = [
    cls for cls in samples.final_subclasses(statistics.Statistic) if cls not in samples.UNBOUNDED
]


@pytest.mark.some(len(FAMILIES))
@pytest.mark.parametrize("family", FAMILIES)
def test_every_class_is_exported_and_has_a_sample(family):
    """Walking the package finds no class that its family does not export and sample, and no sample
    outlives its class.
    """
    base, package, known = FAMILIES[family]
    found = samples.final_subclasses(base)
    assert found
    assert samples.complaints(found, known, package) == []
    assert set(known) == set(found)


@pytest.mark.some(len(FAMILIES))
@pytest.mark.parametrize("family", FAMILIES)
def test_a_forgotten_export_and_a_forgotten_sample_are_noticed(family):
    """A new final class in the package, neither exported nor sampled, makes two complaints."""
    base, package, known = FAMILIES[family]
    undone = dict.fromkeys(getattr(base, "__abstractmethods__", ()))
    body = {"__module__": f"{package.__name__}.dummy", "kind": "dummy", **undone}
    dummy = type("Dummy", (base,), body)
    found = samples.final_subclasses(base)
    try:
        assert [cls.__name__ for cls in found].count("Dummy") == 1
        complaints = samples.complaints(found, known, package)
        assert len(complaints) == 2
        assert all("Dummy" in one for one in complaints)
        exporting = SimpleNamespace(__all__=["Dummy"], Dummy=dummy, __name__="x")
        assert samples.complaints([dummy], {}, exporting) == [
            "Dummy has no sample in tests/support/samples.py"
        ]
    finally:
        dummy.__module__ = "elsewhere"


def test_every_calibration_has_a_sample_and_is_an_attribute_of_its_mechanism():
    """A theorem is reached by the name that certificates cite: Gaussian.analytic."""
    own = {(rule.mechanism.kind, rule.name) for rule in samples.CALIBRATIONS}
    assert own == set(CALIBRATIONS)
    for rule in samples.CALIBRATIONS:
        mechanism, _, attribute = rule.name.partition(".")
        assert rule.mechanism is getattr(dp.mechanisms, mechanism)
        assert getattr(rule.mechanism, attribute) == rule
        assert SOURCE.search(rule.citation)


def test_every_regression_and_accountant_is_listed():
    """REGRESSIONS, which the command line lists, and ACCOUNTANTS hold all of the package, once."""
    listed = dp.literature.REGRESSIONS
    assert set(listed) == set(samples.final_subclasses(dp.Regression))
    assert len(listed) == len(set(listed))
    found = {type(accountant) for accountant in accountants.ACCOUNTANTS}
    assert found == set(samples.final_subclasses(dp.Accountant))


@pytest.mark.some(len(CITED))
@pytest.mark.parametrize("cls", CITED, ids=lambda cls: cls.__name__)
def test_the_docstring_cites_a_source(cls):
    """A formula, and the paper that proves it, as [Key, place]."""
    assert cls.__doc__
    assert SOURCE.search(cls.__doc__), cls.__doc__


@pytest.mark.some(len(BOUNDED))
@pytest.mark.parametrize("cls", BOUNDED, ids=lambda cls: cls.__name__)
def test_the_docstring_names_its_proof_page(cls):
    """A statistic's docstring names the page of its proof, and that page exists."""
    page = re.search(r"Proof page: (proofs/\w+)", " ".join(cls.__doc__.split()))
    assert page, f"{cls.__name__} names no proof page"
    assert (DOCS / f"{page[1]}.md").exists(), f"docs/{page[1]}.md is missing"


def sources() -> dict[str, str]:
    """Each source key in the package, and a file that uses it."""
    found: dict[str, str] = {}
    for path in sorted(Path(dp.__file__).parent.rglob("*.py")):
        for match in re.finditer(r"\[([A-Z][A-Za-z]+\d\d)\b[^\]]*\]", path.read_text()):
            found.setdefault(match[1], path.name)
    return found


def test_the_bibliography_is_there_for_bibtex():
    """docs/references.bib is what its generator writes: every work but the inequality of Weyl, who
    is cited by name.
    """
    assert bibtex.FILE.read_text("utf-8") == bibtex.page(), "python -m docs.generate.pages.bibtex"
    keys = set(
        re.findall(r"^\[(\w+)\]$", (DOCS / "bibliography.md").read_text("utf-8"), re.MULTILINE)
    )
    assert keys - set(re.findall(r"@misc\{(\w+),", bibtex.page())) == {"Weyl"}
    assert bibtex.entry(
        "A1", "A. Bee, C. Dee (editors). *Sums & so on.* Press 3, 1999. Thm 2."
    ) == (
        "@misc{A1,\n  author = {A. Bee and C. Dee},\n  title = {{Sums \\& so on}},\n"
        "  howpublished = {Press 3},\n  year = {1999},\n}\n"
    )


def test_every_source_key_is_in_the_bibliography():
    """docs/bibliography.md resolves every key such as DworkR14."""
    text = (DOCS / "bibliography.md").read_text()
    assert [f"{key} in {file}" for key, file in sources().items() if key not in text] == []


def some_instances():
    """An instance of every family."""
    yield from (make(2) for make in samples.MECHANISMS.values())
    yield from samples.CALIBRATIONS
    yield from (cls() for cls in samples.ACCOUNTANTS)
    yield from (example(cls) for cls in samples.REGRESSIONS)
    X, y = samples.setting().nodes()
    yield from (make(X, y) for make in samples.STATISTICS.values())


def test_values_are_immutable_comparable_and_printable():
    """Frozen, equal to a copy with the same hash, unequal to anything else, with a repr."""
    for value in some_instances():
        copy = attrs.evolve(value)
        assert copy is not value
        assert copy == value
        assert hash(copy) == hash(value)
        assert value != object()
        assert type(value).__name__ in repr(value)
        fields = attrs.fields(type(value))
        name = fields[0].name if fields else "anything"
        with pytest.raises(AttributeError):
            setattr(value, name, 1)


def test_every_node_has_an_entry_in_the_rule_book():
    """Published procedures without a theorem have none; what is trusted has no class here."""
    for module in pkgutil.walk_packages(graph.__path__, f"{graph.__name__}."):
        importlib.import_module(module.name)
    found = samples.final_subclasses(graph.Node)
    written = {cls.kind for cls in found if cls.__module__.startswith("dpframe.")}
    without = {cls.kind for cls in found if issubclass(cls, WithoutTheorem)}
    trusted = {kind for kind in KINDS if kind.startswith("trusted_")}
    assert written - without == KINDS.keys() - trusted
