"""The catalogue: one entry a regression and relation, verdicts of the samples, sound costs."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache

import pytest

import dpframe as dp
from docs.generate.pages.regressions import FOLDER, code, pages, prose
from dpframe.literature.catalogue import EXAMPLES, Entry, catalogue, entry, example
from dpframe.regressions.baselines import zeros
from tests.support import samples


@cache
def everything() -> list[Entry]:
    """Every entry."""
    return catalogue()


# ------------------------------------------------------------------------------------ The catalogue
VARIANTS = {"printed", "coded", "recommended", "baseline"}
KEYS = {"name", "paper", "variant", "relation", "verdict", "reason", "guarantee", "cost", "claim"}
KEYS |= {"summary", "title", "use", "scope", "region", "derivation", "subject", "each"}
CLAIMS = {"nothing", "epsilon", "(epsilon, delta)"}


def records():
    """Every entry as JSON and back."""
    return json.loads(json.dumps([one.record() for one in everything()], allow_nan=False))


def disagreements(entries, stated):
    """Entries whose verdict is not that of the samples."""
    found = []
    for one in entries:
        relations = stated.get(type(one.regression))
        if relations is not None:
            wanted = dict(zip(samples.RELATIONS, relations, strict=True))[one.relation]
            if (one.scope in ("every", "region")) is not wanted or one.certified < wanted:
                found.append((one.name, str(one.relation)))
    return found


def missing(entries):
    """Recommended regressions that do not say when to use them."""
    recommended = {type(one.regression) for one in entries}
    return [cls for cls in recommended if cls.variant == "recommended" and not cls.use]


@pytest.mark.slow
def test_every_regression_is_there_under_both_relations():
    """Also those that are made of others."""
    wanted = {
        (c.__name__, str(r))
        for c in (*dp.literature.REGRESSIONS, *EXAMPLES)
        for r in samples.RELATIONS
    }
    found = [(record["name"], record["relation"]) for record in records()]
    assert set(found) == wanted
    assert len(found) == len(wanted)


def test_records_have_their_keys():
    """Every key, of the stated words; certified ones a derivation, refused ones a reason."""
    for record in records():
        assert set(record) == KEYS
        assert record["variant"] in VARIANTS
        assert record["claim"] in CLAIMS
        assert record["verdict"] in ("certified", "refused", "no data")
        assert record["reason"]
        assert "\n" not in record["reason"]
        assert record["title"]
        assert record["paper"]
        assert bool(record["derivation"]) is (record["verdict"] == "certified")
        assert (record["guarantee"] == "nothing") is (record["verdict"] != "certified")
        assert bool(record["region"]) <= (record["scope"] == "region")


def test_verdicts_are_those_of_the_samples():
    """Of every class that has a sample, in symbols; at numbers, of those that are listed."""
    assert {type(one.regression) for one in everything()} >= set(samples.REGRESSIONS)
    assert disagreements(everything(), samples.REGRESSIONS) == []
    somewhere = {(type(one.regression), one.relation) for one in everything() if one.scope}
    tuned = {(dp.regressions.Tuned, relation) for relation in samples.RELATIONS}
    assert somewhere == {*samples.certified(), *tuned}


class Fake(dp.literature.SSPWangCoded):
    """A fake that shares a mistake. [Wang18]"""

    variant = "recommended"


def test_a_wrong_verdict_is_noticed():
    """A sample that says the opposite, either way; and a class that says nothing of its use."""
    entries = [entry(Fake(), relation) for relation in samples.RELATIONS]
    assert disagreements(entries, {Fake: (False, False)}) == []
    assert len(disagreements(entries, {Fake: (True, True)})) == 2
    sound = [entry(dp.SSP(), relation) for relation in samples.RELATIONS]
    assert len(disagreements(sound, {dp.SSP: (False, False)})) == 2
    assert missing(entries) == [Fake]


def test_every_recommended_regression_says_when_to_use_it():
    """In a sentence or two."""
    assert missing(everything()) == []
    for cls in {type(one.regression) for one in everything() if one.regression.use}:
        assert cls.use.endswith(".")
        assert len(cls.use) < 200


def costs(name):
    """The costs of a class, by relation."""
    return {str(one.relation): one.cost for one in everything() if one.name == name}


def test_certified_costs_are_inside_the_claim():
    """And a refused claim whose numbers hold says so."""
    for one in everything():
        if one.scope:
            assert one.cost is not None
            assert one.cost.lower <= one.cost.upper <= one.cost.claimed
        if one.scope == "numbers" and not one.certified:
            assert "it is certified" in one.reason
        assert one.cost is None or one.cost.delta == (0 if one.pure else Fraction(1, 10**6))


def test_nothing_is_costed_where_private_data_leaks():
    """Sensitivities mean nothing there."""
    raw = ("OLS", "Ridge", "Lasso", "ElasticNet")
    for name in ("ThesisStandardised", "ThesisRowNorm", "ThesisMaxNorm", "ThesisClipped", *raw):
        assert set(costs(name).values()) == {None}


class PrivateSize(dp.regressions.ZeroPredictor):
    """Zeros, as many as there are rows. [tests]"""

    def declare(self, X, y, budget):
        """Reads n, which is private under add/remove."""
        return dp.post(zeros, X.rows)


def test_what_reads_no_data_is_not_refused():
    """ZeroPredictor and PublicMean; what reads a number of rows, or rows, is refused."""
    found = {one.name for one in everything() if one.verdict == "no data"}
    assert found == {"ZeroPredictor", "PublicMean"}
    assert all(one.each == "no data" for one in everything() if one.name in found)
    assert entry(PrivateSize(), dp.ADD_REMOVE).verdict == "refused"
    assert "reads the data" in entry(PrivateSize(), dp.ADD_REMOVE).reason


def test_what_needs_arguments_asks_for_an_example():
    """A class without defaults, and without an example, is an error in words."""

    class Needs(dp.Regression):
        title = "needs"
        of: dp.Expression

        def declare(self, X, y, budget):
            raise AssertionError

    with pytest.raises(dp.InvalidArgument, match="EXAMPLES"):
        example(Needs)


def test_what_cannot_be_declared_is_refused_with_its_error():
    """A declaration that raises for this setting has a reason and no cost."""

    class Fails(dp.SSP):
        def declare(self, X, y, budget):
            raise dp.InvalidArgument("X", "something else", "this")

    found = entry(Fails(), dp.ADD_REMOVE)
    assert found.verdict == "refused"
    assert "something else" in found.reason
    assert found.cost is None


# --------------------------------------------------------------------------------- docs/regressions
@cache
def made():
    """Every page as it should be."""
    return pages(everything())


def stale(folder):
    """Names of pages that are old, missing, or too many."""
    found = {path.name: path.read_text() for path in folder.glob("*.md")}
    return sorted(n for n in {*found, *made()} if found.get(n) != made().get(n))


@pytest.mark.page
def test_the_pages_are_fresh():
    """docs/regressions is what `python -m docs.generate.pages.regressions` writes."""
    assert stale(FOLDER) == [], "stale: run python -m docs.generate.pages.regressions"


def test_a_stale_a_missing_and_an_extra_page_are_noticed(tmp_path):
    """One of each."""
    for name, text in made().items():
        (tmp_path / name).write_text(text)
    assert stale(tmp_path) == []
    (tmp_path / "SSP.md").write_text(made()["SSP.md"].replace("certified", "refused"))
    (tmp_path / "AdaSSP.md").unlink()
    (tmp_path / "Another.md").write_text("# Another\n")
    assert stale(tmp_path) == ["AdaSSP.md", "Another.md", "SSP.md"]


def test_every_regression_has_a_page_and_a_row():
    """By name; the index is in the documentation."""
    names = {cls.__name__ for cls in (*dp.literature.REGRESSIONS, *EXAMPLES)}
    assert set(made()) == {f"{name}.md" for name in names} | {"index.md"}
    for name in names:
        assert f"[{name}]({name}.md)" in made()["index.md"]
    assert "regressions/index" in (FOLDER.parent / "index.md").read_text()


@pytest.mark.parametrize("part", ["## When to use it", "## Verdicts", "## Graph", "add/remove"])
def test_every_page_has_its_parts(part):
    """Whatever became of the claim."""
    assert [name for name, text in made().items() if name != "index.md" and part not in text] == []


def test_text_means_itself():
    """Marks of Markdown are escaped, code is not."""
    assert prose("`a_b` |x|_2 [Key] a*b*c") == "`a_b` \\|x\\|\\_2 \\[Key\\] a\\*b\\*c"
    assert code("|x| <= 1") == "`\\|x\\| <= 1`"
