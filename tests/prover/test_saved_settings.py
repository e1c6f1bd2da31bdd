"""Every field of what a setting is made of survives saving: a law over all fields."""

from __future__ import annotations

import importlib
import json
import sys
import types

import attrs
import pytest

import dpframe as dp
from dpframe.errors import BadCertificate, InvalidArgument
from tests.support import checking as check
from tests.support import lock

COLUMNS = [dp.Numeric("age", 18, 90), dp.Categorical("town", ["A", "B", "C"])]
BASES = {  # an object of each class, and for every field of it another value
    dp.Setting: (
        dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE),
        {
            "X": dp.Rows(norm=2, intercept=True),
            "y": dp.Column("wage", lower=3, upper=9),
            "relation": dp.REPLACE_ONE,
            "rows_per_person": 3,
            "grid": 12,
        },
    ),
    dp.Rows: (
        dp.Rows(norm=1),
        {
            "norm": "0.7",
            "box": 2,
            "columns": COLUMNS,
            "intercept": True,
            "d": 4,
            "terms": {"columns": COLUMNS, "terms": ["age", ("age", "town")]},
        },
    ),
    dp.Column: (
        dp.Column("wage", bound=1),
        {
            "name": "pay",
            "bound": "1/3",
            "lower": {"lower": -2},
            "upper": {"upper": 7},
            "levels": {"bound": None, "levels": ("low", "high")},
        },
    ),
    dp.Numeric: (
        dp.Numeric("age", 18, 90),
        {"name": "years", "lower": "1/3", "upper": "100.25", "unit": "years"},
    ),
    dp.Categorical: (
        dp.Categorical("town", ["A", "B", "C"]),
        {"name": "city", "levels": ["A", "B"], "baseline": {"baseline": "B"}, "unknown": "zeros"},
    ),
}
TARGET = dp.ApproxDP(1, "1e-6")
MORE_SETTINGS = {
    "no grid": {"grid": None},
    "no labels": {"y": None},
    "levels of each kind": {
        "X": dp.Rows(columns=[dp.Categorical("c", ["1", 1, 2.5, "é", 'a "quoted" one'])])
    },
    "all bounds at once": {"X": dp.Rows(columns=COLUMNS, box="1/2", norm=3, intercept=True)},
    "bounds that are parameters": {
        "X": dp.Rows(norm=dp.parameter("B", 0, 9)),
        "y": dp.Column(bound=dp.parameter("C", 0, 9)),
    },
    "rows of a person as a parameter": {
        "rows_per_person": dp.parameter("k", 1, 9, closed="both", integer=True)
    },
}
TARGETS = {
    "pure": dp.PureDP("0.7"),
    "approx": dp.ApproxDP("1/3", "1e-7"),
    "zcdp": dp.ZeroConcentratedDP("0.05"),
    "gaussian": dp.GaussianDP("0.5"),
    "symbolic": dp.ApproxDP(dp.EPSILON, dp.DELTA),
    "personalised": dp.PersonalizedDP(dp.each("epsilon")),
    "of groups": dp.PersonalizedDP(
        {"careful": "0.1", "open": 1}, shares={"careful": "0.25", "open": "0.75"}
    ),
}


class Labels(dp.Regression):
    """A noisy number of rows."""

    def declare(self, X, y, budget):
        """Laplace noise where there is no delta, Gaussian elsewhere."""
        noise = dp.Laplace.pure if budget.currency == ("epsilon",) else dp.Gaussian.analytic
        return dp.release(dp.count(X), noise, budget)


def cases():
    """Every field of every class, with a value that is not its default."""
    return [(kind, field.name) for kind in BASES for field in attrs.fields(kind)]


def changed(kind, name):
    """The base of the class with that field changed (ends of labels with the other end)."""
    base, others = BASES[kind]
    value = others[name]
    if kind is dp.Column and name in {"lower", "upper"}:
        return attrs.evolve(base, bound=None, **{"lower": -1, "upper": 1, **value})
    return attrs.evolve(base, **(value if isinstance(value, dict) else {name: value}))


def setting_with(part):
    """A setting that contains it."""
    if isinstance(part, dp.Setting):
        return part
    base = BASES[dp.Setting][0]
    if isinstance(part, dp.Rows | dp.Column):
        return attrs.evolve(base, **{"X" if isinstance(part, dp.Rows) else "y": part})
    return attrs.evolve(base, X=dp.Rows(columns=[part]))


def survives(setting, folder, target=TARGET, regression=None):
    """Whether certifying, saving and loading give the same certificate and the same setting."""
    path = folder / "certificate.json"
    certificate = dp.certify(regression or dp.SSP(), target=target, setting=setting)
    certificate.save(path)
    loaded = dp.load(path)
    assert loaded.hash == certificate.hash
    assert loaded.setting == certificate.setting == setting
    assert loaded.document == certificate.document
    assert check.check(json.loads(path.read_text())).accepted
    return True


@pytest.mark.parametrize(("kind", "name"), cases(), ids=lambda one: getattr(one, "__name__", one))
def test_every_field_survives(kind, name, tmp_path):
    """A field that is added needs a value in BASES, or this fails."""
    base, part = BASES[kind][0], changed(kind, name)
    assert getattr(part, name) != getattr(base, name)
    assert survives(setting_with(part), tmp_path)


@pytest.mark.parametrize("kind", BASES, ids=lambda kind: kind.__name__)
def test_every_field_has_a_value_here(kind):
    """The law is over all fields."""
    assert {field.name for field in attrs.fields(kind)} <= set(BASES[kind][1])


@pytest.mark.parametrize("parts", MORE_SETTINGS.values(), ids=MORE_SETTINGS)
def test_other_settings_survive(parts, tmp_path):
    """Combinations, None where it is no default, and symbols."""
    setting = attrs.evolve(BASES[dp.Setting][0], **parts)
    regression = Labels() if setting.y is None else None
    assert survives(setting, tmp_path, regression=regression)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_every_target_survives(target, tmp_path):
    """Numbers, symbols, own budgets, groups."""
    personal = isinstance(target, dp.PersonalizedDP)
    relation = dp.REPLACE_ONE if personal else dp.ADD_REMOVE
    setting = attrs.evolve(BASES[dp.Setting][0], relation=relation)
    regression = dp.PersonalizedRidge(penalty=1) if personal else Labels()
    assert survives(setting, tmp_path, target, regression)


def test_a_setting_at_its_defaults_is_written_as_ever():
    """Older files load: what stands at its default is left out."""
    certificate = dp.certify(dp.SSP(), target=TARGET, setting=BASES[dp.Setting][0])
    assert certificate.document["declaration"]["setting"] == {
        "X": {"norm": "1", "columns": None, "intercept": False},
        "y": {"name": "y", "bound": "1", "lower": None, "upper": None},
    }


# ----------------------- What a file names is imported only after what can be compared was compared
MARK = "loaded_by_a_file"


class Outside(dp.Regression):
    """A declaration of another module than dpframe's."""

    inner: dp.Regression | None = None

    def declare(self, X, y, budget):
        """A noisy number of rows."""
        return dp.release(dp.count(X), dp.Gaussian.analytic, budget)


def certificate(declaration):
    """The file's document of a declaration."""
    return check.document(declaration, TARGET, BASES[dp.Setting][0])


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module that can be imported; whether it was is seen in sys.modules."""
    (tmp_path / f"{MARK}.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield MARK
    sys.modules.pop(MARK, None)


def test_a_file_that_was_changed_imports_nothing(module):
    """Its hash says so first."""
    document = certificate(dp.SSP())
    document["declaration"]["class"] = f"{module}:Any"
    document["statement"]["relation"] = "replace_one"
    with pytest.raises(BadCertificate, match="that of its statement, graph and assumptions"):
        dp.load(document)
    assert module not in sys.modules


@pytest.mark.parametrize("place", ["class", "trust", "inside"])
def test_modules_that_are_not_admitted_are_not_imported(module, place):
    """Wherever the file names them."""
    document = certificate(dp.SSP())
    declared = document["declaration"]
    if place == "class":
        declared["class"] = f"{module}:Any"
    elif place == "trust":
        declared["trust"] = [f"{module}:Any"]
    else:
        inner = {"class": f"{module}:Any", "fields": {}}
        declared["fields"]["penalty"] = {"declaration": inner}
    with pytest.raises(BadCertificate, match=module):
        dp.load(document, modules=("dpframe",))
    assert module not in sys.modules


def test_a_name_that_begins_alike_is_another_module():
    """dpframe does not admit dpframe_evil."""
    document = certificate(dp.SSP())
    document["declaration"]["class"] = "dpframe_evil:Any"
    with pytest.raises(BadCertificate, match="dpframe_evil"):
        dp.load(document, modules=("dpframe",))


def test_admitted_modules_load():
    """dpframe's own, and one that is named."""
    own, other = certificate(dp.SSP()), certificate(Outside(inner=dp.SSP()))
    assert dp.load(own, modules=("dpframe",)).hash == own["hash"]
    assert dp.load(other, modules=("dpframe", __name__)).hash == other["hash"]
    with pytest.raises(BadCertificate, match=__name__):
        dp.load(other, modules=("dpframe",))


def test_modules_are_a_list_of_names():
    """A single text would be read letter by letter."""
    with pytest.raises(InvalidArgument, match="modules"):
        dp.load(certificate(dp.SSP()), modules="dpframe")


def test_a_field_that_no_file_can_hold_is_refused_in_words(tmp_path):
    """A theorem of calibration is chosen in the code, not in the file."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    declared = Outside(inner=dp.Gaussian.analytic)
    certificate = dp.certify(declared, target=dp.ApproxDP(1, "1e-6"), setting=setting)
    with pytest.raises(InvalidArgument, match=r"got Theorem\. Name a theorem inside declare"):
        certificate.save(tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()


# ------------------------------- What is decided of every regression is what was decided before
BEFORE = lock.read()
STEP = 60  # every so many questions; `python -m tests.support.lock` answers all
EVERY = "| B, Y | 1, 1e-6 | auto"  # and this one of every regression: its noise in B and Y


def chosen() -> dict[str, lock.Question]:
    """Those questions, spread over all regressions."""
    asked = enumerate(lock.declarations())
    return {key: one for i, (key, one) in asked if i % STEP == 7 or key.endswith(EVERY)}


@pytest.mark.page
@pytest.mark.some(20)
@pytest.mark.parametrize("key", chosen())
def test_answers_are_those_from_before(key):
    """Verdict, derivation, region, witness, std: all the same, or the file is written anew."""
    assert json.loads(json.dumps(lock.answer(chosen()[key]))) == BEFORE[key]


def test_no_question_is_gone():
    """And none is asked of which the file knows nothing."""
    assert {key for key, _ in lock.declarations()} == set(BEFORE)


def test_a_certificate_whose_module_cannot_be_imported_names_the_module(tmp_path, monkeypatch):
    """And what to do; it was called a file of another version."""
    (tmp_path / "elsewhere.py").write_text(
        "import dpframe as dp\n"
        "class Trace(dp.Regression):\n"
        "    def declare(self, X, y, budget):\n"
        "        return dp.release(dp.trace(X.T @ X), dp.Gaussian.analytic, budget)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("elsewhere")
    setting = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
    proof = dp.certify(module.Trace(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    proof.save(tmp_path / "proof.json")
    assert dp.load(tmp_path / "proof.json").hash == proof.hash
    monkeypatch.undo()
    monkeypatch.delitem(sys.modules, "elsewhere")
    with pytest.raises(BadCertificate, match="elsewhere:Trace; got ModuleNotFound") as no:
        dp.load(tmp_path / "proof.json")
    assert "PYTHONPATH" in str(no.value)
    assert "dpframe check FILE" in str(no.value)
    assert check.check(json.loads((tmp_path / "proof.json").read_text())).accepted
    monkeypatch.setitem(sys.modules, "elsewhere", types.ModuleType("elsewhere"))
    with pytest.raises(BadCertificate, match="AttributeError: module 'elsewhere' has no"):
        dp.load(tmp_path / "proof.json")
