"""Formulas on paper are audited by the same code, and text can spell nothing but arithmetic."""

import pytest

import dpframe as dp
from dpframe.audits import audit, audit_formulas

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
ONE = dp.ApproxDP(1, "1e-6")
ALL = dp.ApproxDP(dp.EPSILON, dp.DELTA)
THIRD = "@ epsilon/3, delta/3"
WANG = [
    f"lambda_min: sqrt(log(6/delta))/(epsilon/3)*B^2 {THIRD}",
    f"gram: sqrt(log(6/delta))/(epsilon/3)*B^2 {THIRD}",
    f"moment: sqrt(log(6/delta))/(epsilon/3)*B*Y {THIRD}",
]


@pytest.mark.parametrize("target", [ONE, ALL], ids=["numbers", "symbols"])
def test_wangs_formulas_are_wangs_declaration(target):
    """Same verdicts, same numbers, from three lines of text."""
    told = audit_formulas(WANG, target=target, setting=SETTING)
    declared = audit(dp.literature.AdaSSPWang(), target=target, setting=SETTING)
    assert told.joint_epsilon == declared.joint_epsilon
    assert told.verdict is declared.verdict
    for one, other in zip(told.lines, declared.lines, strict=True):
        assert (one.claim, one.exact_delta, one.written) == (
            other.claim,
            other.exact_delta,
            other.written,
        )
    assert "the release of lambda_min, gram, moment with the stated noise" in told.sentence


def test_a_release_may_be_a_mapping():
    """Keys statistic, std and share; the share as one text or as parts."""
    std = "sqrt(log(6/delta))/(epsilon/3)*B^2"
    for share in ("epsilon/3, delta/3", ["epsilon/3", "delta/3"]):
        release = {"statistic": "gram", "std": std, "share": share}
        one = audit_formulas([release], target=ONE, setting=SETTING)
        assert one.lines == audit_formulas(WANG[1], target=ONE, setting=SETTING).lines
    bare = audit_formulas([{"statistic": "gram", "std": std}], target=ONE, setting=SETTING)
    assert bare.lines[0].claim == "no claim"


@pytest.mark.parametrize(
    ("text", "sensitivity"),
    [
        ("gram: B", "B^2"),
        ("moment: B", "B*Y"),
        ("lambda_min: B", "B^2"),
        ("trace: B", "B^2"),
        ("count: B", "1"),
        ("sum: B", "B"),
        ("squares: B", "Y^2"),
        ("label_sum: B", "Y"),
    ],
)
def test_every_statistic_has_its_derived_sensitivity(text, sensitivity):
    """Nobody types it in."""
    setting = dp.Setting(
        X=dp.Rows(norm=dp.parameter("B")),
        y=dp.Column(bound=dp.parameter("Y")),
        relation=dp.ADD_REMOVE,
    )
    (line,) = audit_formulas([text], target=ONE, setting=setting).lines
    assert str(line.sensitivity) == sensitivity
    assert line.name == text.partition(":")[0]


def test_parameters_range_or_are_numbers():
    """gamma:0:1 is proved for every gamma; gamma=1/3 is one."""
    rest = "(1-gamma)"
    texts = [
        "gram: sqrt(2*log(2/(gamma*delta)))/(gamma*epsilon)*B^2 @ gamma*epsilon, gamma*delta",
        f"moment: sqrt(2*log(2/({rest}*delta)))*B*Y/({rest}*epsilon)@{rest}*epsilon, {rest}*delta",
    ]
    ranged = audit_formulas(texts, target=ALL, setting=SETTING, parameters=["gamma:0:1"])
    assert str(ranged.verdict) == "proved"
    assert "gamma in (0, 1)" in ranged.sentence
    symbol = audit_formulas(
        texts, target=ALL, setting=SETTING, parameters=[dp.parameter("gamma", 0, 1)]
    )
    assert symbol.sentence == ranged.sentence
    fixed = audit_formulas(texts, target=ONE, setting=SETTING, parameters="gamma=1/3")
    assert fixed.joint_epsilon < 1
    wide = audit_formulas(texts, target=ALL, setting=SETTING, parameters=["gamma:0:2"])
    assert str(wide.plan_verdict) == "refuted"


def test_other_targets_have_their_own_names():
    """rho under zCDP, mu under Gaussian DP."""
    zcdp = audit_formulas(
        ["gram: B^2/sqrt(2*rho)"], target=dp.ZeroConcentratedDP(dp.RHO), setting=SETTING
    )
    assert str(zcdp.verdict) == "proved"
    gaussian = audit_formulas(["gram: B^2/mu @ mu^2"], target=dp.GaussianDP(dp.MU), setting=SETTING)
    assert str(gaussian.verdict) == "proved"


def test_a_certificate_of_formulas_saves_and_loads(tmp_path):
    """Text fields build the same graph again."""
    certificate = audit_formulas(WANG, target=ALL, setting=SETTING).certificate
    path = tmp_path / "certificate.json"
    certificate.save(path)
    assert dp.load(path).hash == certificate.hash


HOSTILE = [  # the reader is that of descriptions: tests/descriptions/hostile has many more
    "(((9e399)^64)^64)^64",
    "2^epsilon",
    "1e99999",
    "(" * 200 + "1" + ")" * 200,
    "epsilon.__class__",
    "__import__('os').system('true')",
    "epsilon\x00",
    "１",
    "epsilon;1",
    "sqrt()",
    "1/0",
    "",
    "epsilon)(",
    "+".join(["epsilon"] * 2000),
]


@pytest.mark.parametrize("text", HOSTILE, ids=[f"{i}" for i in range(len(HOSTILE))])
@pytest.mark.parametrize("place", ["gram: {}", "gram: 1 @ {}, delta", "count: 1 @ epsilon, {}"])
def test_hostile_formulas_are_refused(text, place):
    """As a std and as a share: by a short sentence."""
    with pytest.raises(dp.DPFrameError) as refusal:
        audit_formulas([place.format(text)], target=ONE, setting=SETTING)
    assert len(str(refusal.value)) < 1500


@pytest.mark.parametrize("std", ["0", "-1", "1/0", "-B"])
def test_noise_must_be_positive(std):
    """No noise is refused; noise that is not seen to be positive proves nothing."""
    try:
        done = audit_formulas([f"gram: {std}"], target=ONE, setting=SETTING)
    except dp.DPFrameError:
        return
    assert str(done.verdict) == "unproved"


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(B^2 + Y^2)",
        "(B^2 + Y^2)^(1/2)",
        "B**2",
        "2^-3",
        "1.5e-3*B^2",
        "min(B, 2)*analytic_sigma(epsilon, delta)",
    ],
)
def test_ordinary_formulas_are_read(text):
    """Powers, roots and functions as papers write them."""
    assert audit_formulas([f"gram: {text}"], target=ONE, setting=SETTING).lines[0].size


def test_formulas_without_bound_do_not_hang():
    """Towers of exponentials are arithmetic; nothing is proved of them."""
    done = audit_formulas(["gram: exp(exp(exp(exp(9))))"], target=ONE, setting=SETTING)
    assert str(done.verdict) == "unproved"


@pytest.mark.parametrize(
    "releases",
    [
        [],
        "gram",
        ["gram"],
        ["gram:"],
        ["foo: 1"],
        ["gram: 1 @ epsilon"],
        ["gram: 1 @ epsilon, delta, 1"],
        [3],
        [None],
        [{"std": "1"}],
        [{"statistic": "gram", "std": "1", "extra": "1"}],
        ["gram: 1"] * 201,
        None,
    ],
    ids=str,
)
def test_unreadable_releases_are_refused(releases):
    """With an example of how one is written, or what it may hold."""
    with pytest.raises(dp.InvalidArgument):
        audit_formulas(releases, target=ONE, setting=SETTING)


@pytest.mark.parametrize(
    "parameter",
    [
        "gamma",
        "gamma:0:1:2",
        "gamma:1:0",
        "gamma:a:b",
        "epsilon:0:1",
        "B=2",
        "log:0:1",
        "g.x:0:1",
        "gamma=x",
        "γ:0:1",
    ],
)
def test_unreadable_parameters_are_refused(parameter):
    """A name, a colon, an open range; or a name and a number."""
    with pytest.raises(dp.InvalidArgument):
        audit_formulas(["gram: 1"], target=ONE, setting=SETTING, parameters=[parameter])


def test_labels_must_be_declared_where_they_are_read():
    """A setting without y has no moment."""
    only_rows = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match="moment"):
        audit_formulas(["moment: 1"], target=ONE, setting=only_rows)
