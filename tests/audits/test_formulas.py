"""Formulas on paper are audited by the same code, and text can spell nothing but arithmetic."""

import pytest

import dpframe as dp
from dpframe.audits import audit
from tests.support.formulas import audited

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
    told = audited(WANG, target=target, setting=SETTING)
    declared = audit(dp.literature.AdaSSPWang(), target=target, setting=SETTING)
    assert told.joint_epsilon == declared.joint_epsilon
    assert told.verdict is declared.verdict
    for one, other in zip(told.lines, declared.lines, strict=True):
        assert (one.claim, one.exact_delta, one.written) == (
            other.claim,
            other.exact_delta,
            other.written,
        )


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
    (line,) = audited([text], target=ONE, setting=setting).lines
    assert str(line.sensitivity) == sensitivity
    assert line.name == text.partition(":")[0]


def test_parameters_range_or_are_numbers():
    """A range is proved for every gamma of it; 1/3 is one."""
    rest, share = "(1-gamma)", "(1-gamma)*epsilon, (1-gamma)*delta"
    texts = [
        "gram: sqrt(2*log(2/(gamma*delta)))/(gamma*epsilon)*B^2 @ gamma*epsilon, gamma*delta",
        f"moment: sqrt(2*log(2/({rest}*delta)))*B*Y/({rest}*epsilon) @ {share}",
    ]
    ranged = audited(texts, target=ALL, setting=SETTING, parameters={"gamma": "in (0, 1)"})
    assert str(ranged.verdict) == "proved"
    assert "gamma in (0, 1)" in ranged.sentence
    fixed = audited(texts, target=ONE, setting=SETTING, parameters={"gamma": "1/3"})
    assert fixed.joint_epsilon < 1
    wide = audited(texts, target=ALL, setting=SETTING, parameters={"gamma": "in (0, 2)"})
    assert str(wide.plan_verdict) == "refuted"


def test_other_targets_have_their_own_names():
    """rho under zCDP, mu under Gaussian DP."""
    rho, mu = dp.ZeroConcentratedDP(dp.RHO), dp.GaussianDP(dp.MU)
    zcdp = audited(["gram: B^2/sqrt(2*rho)"], target=rho, setting=SETTING, claim="rho = 1")
    assert str(zcdp.verdict) == "proved"
    gaussian = audited(["gram: B^2/mu @ mu^2"], target=mu, setting=SETTING, claim="mu = 1")
    assert str(gaussian.verdict) == "proved"


def test_a_certificate_of_formulas_saves_and_loads(tmp_path):
    """Text fields build the same graph again."""
    certificate = audited(WANG, target=ALL, setting=SETTING).certificate
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
    "epsilon\n+delta",
    "１",
    "epsilon;1",
    "sqrt()",
    "1/0",
    "",
    "epsilon)(",
    "+".join(["epsilon"] * 2000),
]


@pytest.mark.parametrize("place", ["gram: {}", "gram: 1 @ {}, delta", "count: 1 @ epsilon, {}"])
def test_hostile_formulas_are_refused(place):
    """As a std and as a share: by a short sentence."""
    for text in HOSTILE:
        with pytest.raises(dp.DPFrameError) as refusal:
            audited([place.format(text)], target=ONE, setting=SETTING)
        assert len(str(refusal.value)) < 1500


@pytest.mark.parametrize("std", ["0", "-1", "1/0", "-B"])
def test_noise_must_be_positive(std):
    """No noise is refused; noise that is not seen to be positive proves nothing."""
    try:
        done = audited([f"gram: {std}"], target=ONE, setting=SETTING)
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
    assert audited([f"gram: {text}"], target=ONE, setting=SETTING).lines[0].size


def test_formulas_without_bound_do_not_hang():
    """Towers of exponentials are arithmetic; nothing is proved of them."""
    done = audited(["gram: exp(exp(exp(exp(9))))"], target=ONE, setting=SETTING)
    assert str(done.verdict) == "unproved"


def test_labels_must_be_declared_where_they_are_read():
    """A setting without y has no moment."""
    only_rows = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match="moment"):
        audited(["moment: 1"], target=ONE, setting=only_rows)
