"""What changed from one certificate to another: dp.audits.difference and dpframe diff."""

import json

import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe.cli import app

ONE = dp.ApproxDP(1, "1e-6")


def certificate(regression=None, *, target=ONE, norm=1, bound=1, relation=dp.ADD_REMOVE):
    """A certificate of adaSSP, unless said otherwise."""
    setting = dp.Setting(X=dp.Rows(norm=norm), y=dp.Column(bound=bound), relation=relation)
    return dp.certify(regression or dp.AdaSSP(), target=target, setting=setting)


def places(found):
    """Where something changed."""
    return [change.place for change in found.changes]


def test_a_certificate_is_the_same_as_itself_and_as_its_file():
    """No change, and equal hashes."""
    one = certificate()
    found = dp.audits.difference(one, json.loads(json.dumps(one.document)))
    assert found.same
    assert found.changes == ()
    assert str(found).endswith("the same certificate")


def test_one_number_is_told_once():
    """A wider bound on rows is one change of a clip, and one for the noise that it needs."""
    found = dp.audits.difference(certificate(), certificate(norm=2))
    assert "norm of clip_norm(X)" in places(found)
    assert sum("clip_norm(X)" == place for place in places(found)) == 0
    noise = next(change for change in found.changes if change.place.startswith("noise of gram"))
    assert noise.note == "4.000 times"
    assert not found.same


def test_claims_and_assumptions():
    """epsilon, and the unit of privacy."""
    found = dp.audits.difference(
        certificate(), certificate(target=dp.ApproxDP(2, "1e-6"), relation=dp.REPLACE_ONE)
    )
    told = {change.place: (change.before, change.after) for change in found.changes}
    assert told["relation"] == ("add_remove", "replace_one")
    assert told["claim"][1] == "(epsilon, delta) = (2, 1e-6)"
    assert any(place == "assumption" for place in told)


def test_releases_come_and_go():
    """adaSSP releases a smallest eigenvalue that SSP does not."""
    found = dp.audits.difference(certificate(dp.SSP()), certificate(dp.AdaSSP()))
    added = [change for change in found.changes if not change.before]
    assert any(change.place.startswith("floor(lambda_min(") for change in added)
    assert str(found).count("\n+") + str(found).count("  +") >= 1


def test_every_field_of_a_node_is_compared():
    """Whatever a file says otherwise is told, field by field."""
    one = certificate().document
    for k, node in enumerate(one["graph"]["nodes"]):
        for key in set(node) - {"id", "kind", "inputs", "name"}:
            other = json.loads(json.dumps(one))
            other["graph"]["nodes"][k][key] = "7"
            other["hash"] = "0" * 64
            assert dp.audits.difference(one, other).changes, (node["kind"], key)


@pytest.mark.parametrize("bad", [None, [], {}, {"statement": 1}, "text", 3])
def test_what_is_no_certificate_is_refused(bad):
    """With its argument named."""
    with pytest.raises(dp.InvalidArgument, match="second"):
        dp.audits.difference(certificate(), bad)


@pytest.mark.parametrize("key", ["statement", "graph", "assumptions"])
def test_a_broken_document_is_refused(key):
    """It never fails in another way."""
    broken = {**certificate().document, key: 5, "hash": "x"}
    with pytest.raises(dp.InvalidArgument):
        dp.audits.difference(certificate(), broken)


def test_the_command_checks_both_files_first(tmp_path):
    """0 the same, 1 different, 2 unreadable; a forged file is complained of."""
    first, second, forged = (tmp_path / name for name in ("a.json", "b.json", "c.json"))
    certificate().save(first)
    certificate(norm=2).save(second)
    document = json.loads(first.read_text())
    document["graph"]["nodes"][1]["norm"] = "9"
    forged.write_text(json.dumps(document))
    run = CliRunner().invoke
    assert run(app, ["diff", str(first), str(first)]).exit_code == 0
    told = run(app, ["diff", str(first), str(second)])
    assert told.exit_code == 1
    assert "~ norm of clip_norm(X): 1 -> 2" in told.stdout
    records = json.loads(run(app, ["diff", str(first), str(second), "--json"]).stdout)
    assert records["same"] is False
    assert run(app, ["diff", str(first), str(tmp_path)]).exit_code == 2
    assert "not accepted by the checker" in run(app, ["diff", str(first), str(forged)]).stderr


def test_bounds_are_those_of_the_graph():
    """The hash covers it, and not the declaration beside it."""
    setting = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("age", 18, 95), dp.Categorical("team", ["a", "b"])]),
        y=dp.Column(lower=0, upper=30),
        relation=dp.ADD_REMOVE,
    )
    first = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting).document
    second = json.loads(json.dumps(first))
    changed = [node for node in second["graph"]["nodes"] if node["kind"] == "encode"]
    for node in changed:
        node["schema"][0][2] = "85"
    for node in second["graph"]["nodes"]:
        if node.get("upper") == "30":
            node["upper"] = "60"
    second["hash"] = "0" * 64
    lines = dp.audits.difference(first, second).text(whole=False)
    assert "~ bounds of age: 18, 95 -> 18, 85" in lines
    assert "30 -> 60" in lines
