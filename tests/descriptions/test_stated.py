"""A sensitivity that is stated is an assumption by name, wherever a verdict is printed."""

import itertools
import json
from pathlib import Path

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.audits.descriptions.stated import StatedStatistic
from dpframe.sensitivity import L1, L2, OPERATOR
from tests.descriptions.hostile.cases import HEAD


def release(name="median", **change):
    """One release of a statistic without a rule, with lines of one's own."""
    lines = {
        "name": name,
        "statistic": "other",
        "sensitivity": "1",
        "norm": "L2",
        "why": f"a lemma of {name}",
        "mechanism": "gaussian",
        "std": "9",
        **change,
    }
    return "[[release]]\n" + "".join(f'{k} = "{v}"\n' for k, v in lines.items() if v)


LAPLACE = {"norm": "L1", "mechanism": "laplace", "std": None, "scale": "1"}


def certified(found):
    """Its certificate."""
    return dp.certify(found.regression, target=found.target, setting=found.setting)


def audited(*releases, head=HEAD):
    """The description of these releases, and its audit."""
    found = dp.audits.parse_description(head + "".join(releases))
    return found, dp.audit(found.regression, target=found.target, setting=found.setting)


def test_every_page_of_it_names_the_assumption():
    """Audit, sentence, JSON, certificate, its file, and what is printed."""
    found, done = audited(release(), release("mode"))
    assert str(done.verdict) == "proved"
    certificate = certified(found)
    pages = [
        str(done),
        json.dumps(done.records()),
        json.dumps(list(done.assumptions)),
        json.dumps(list(certificate.assumptions)),
        json.dumps(certificate.document["assumptions"]),
        str(certificate),
    ]
    for page in pages:
        flat = " ".join(page.split())
        for name in ("median", "mode"):
            assert f"the sensitivity of {name} is stated, not derived" in flat
            assert f"a lemma of {name}" in flat
    for text in (done.sentence, done.records()["sentence"]):
        assert "if what is stated of median and mode is true" in text
    assert found.trusted == ("median", "mode")


@pytest.mark.parametrize(
    "statistic", ["stack(X'X, sum(y))", "X'X"], ids=["beside a stack", "beside a statistic"]
)
def test_it_is_named_beside_derived_ones(statistic):
    """One trusted release taints the sentence of all."""
    other = f'[[release]]\nname="g"\nstatistic="{statistic}"\nmechanism="gaussian"\nstd=90\n'
    _, done = audited(other, release())
    assert "if what is stated of median is true" in done.sentence
    _, plain = audited(other)
    assert "stated" not in plain.sentence


def test_it_loads_but_is_neither_executed_nor_checked(tmp_path):
    """It has no formula, and the standalone checker derives everything anew."""
    from tests.support.checking import main

    found, _ = audited(release())
    certificate = certified(found)
    certificate.save(tmp_path / "c.json")
    assert dp.load(tmp_path / "c.json").assumptions == certificate.assumptions
    assert main([str(tmp_path / "c.json")]) != 0
    ledger = dp.Ledger(tmp_path / "ledger.json")
    ledger.create("t", dp.ApproxDP(1, "1e-6"))
    with pytest.raises(dp.NotExecutable, match="median"):
        dp.execute(certificate, np.zeros((5, 2)), np.zeros(5), ledger=ledger, dataset="t")
    assert not ledger.charges("t")


def test_an_assumption_cannot_be_edited_away(tmp_path):
    """The hash covers it."""
    found, _ = audited(release())
    certificate = certified(found)
    document = json.loads(json.dumps(certificate.document))
    document["assumptions"] = [one for one in document["assumptions"] if "stated" not in one]
    with pytest.raises(dp.errors.BadCertificate):
        dp.load(document)


@pytest.mark.parametrize("size", ["-1", "epsilon - 2", "1/(epsilon-1)", "log(epsilon)"])
def test_its_sensitivity_must_be_positive(size):
    """A negative one would subtract from what the others cost."""
    loud = release("loud", **LAPLACE)
    head = HEAD.replace("epsilon = 1", 'epsilon = "any"')
    try:
        _, done = audited(loud, release("quiet", **LAPLACE, sensitivity=size), head=head)
    except dp.InvalidArgument:
        return
    assert str(done.verdict) != "proved"


def stated(norm, relation, bound=2):
    """A statistic of which this is said."""
    X, y = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation).nodes()
    one = dp.constant(1)
    return StatedStatistic("s", X, y, dp.constant(bound), norm, relation, "why", one)


def test_a_norm_bounds_only_what_it_bounds():
    """L1 bounds L2; nothing else follows."""
    for relation in (dp.ADD_REMOVE, dp.REPLACE_ONE):
        pairs = itertools.product((L1, L2), (L1, L2, OPERATOR))
        found = {(own, norm): stated(own, relation).one_row(norm, relation) for own, norm in pairs}
        bounds = {pair: bound for pair, bound in found.items() if bound is not None}
        assert bounds.keys() == {(L1, L1), (L1, L2), (L2, L2)}
        assert all(str(one.value) == "2" and not one.attained for one in bounds.values())


def test_a_relation_carries_over_one_way():
    """One row that leaves and one that comes make one that is exchanged."""
    once = stated(L2, dp.ADD_REMOVE)
    assert str(once.one_row(L2, dp.REPLACE_ONE).value) == "4"
    assert stated(L2, dp.REPLACE_ONE).one_row(L2, dp.ADD_REMOVE) is None


def test_l2_is_no_l1():
    """Laplace noise on an L2 sensitivity proves nothing."""
    _, done = audited(release(**{**LAPLACE, "norm": "L2"}))
    assert str(done.verdict) != "proved"


@pytest.mark.parametrize(
    "change",
    [
        *({"X": dp.Rows(norm=2)}, {"X": dp.Rows(norm=1, box=1)}),
        *({"X": dp.Rows(norm=1, intercept=True)}, {"y": dp.Column(bound=2)}),
        *({"y": None}, {"relation": dp.REPLACE_ONE}),
    ],
    ids=str,
)
def test_it_holds_for_its_own_bounds_only(change):
    """Another setting is refused, for certificates and audits."""
    found, _ = audited(release())
    setting = attrs.evolve(found.setting, **change)
    for verb in (dp.certify, dp.audit):
        with pytest.raises(dp.InvalidArgument, match="stated"):
            verb(found.regression, target=found.target, setting=setting)


def test_rows_of_a_person_multiply_it():
    """The triangle inequality along rows."""
    _, done = audited(release(), head="rows_per_person = 3\n" + HEAD)
    assert str(done.lines[0].sensitivity) == "3"


def test_it_refutes_nothing():
    """A stated bound may be generous: too little noise for it is unproved, unless shares are."""
    _, done = audited(release(std="1"))
    assert str(done.verdict) != "proved"
    assert "does not satisfy" not in done.sentence


def test_a_trusted_one_is_compared_with_nothing():
    """There is nothing derived."""
    found, _ = audited(release() + 'claimed_sensitivity = "1"\n')
    assert [one.verdict for one in found.claimed_sensitivities] == ["no rule"]


def test_the_noise_of_a_description_is_not_calibrated_from_outside():
    """The message says which lines of the file do it."""
    text = Path(__file__).parents[2].joinpath("docs/examples/adassp.toml").read_text()
    found = dp.audits.parse_description(text)
    jointly = dp.regressions.Jointly(of=found.regression)
    with pytest.raises(dp.InvalidArgument, match='calibration = "jointly"'):
        dp.audit(jointly, target=found.target, setting=found.setting)
