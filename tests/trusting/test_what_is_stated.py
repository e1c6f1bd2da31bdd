"""What classes and theorems from outside state counts, and the kernel says what it trusts."""

import json
from typing import ClassVar

import attrs
import pytest

import dpframe as dp
from dpframe.graph import Procedure
from dpframe.graph.rows import RowsNode
from dpframe.kernel import check
from dpframe.prover.witnesses import proved
from tests.support import checking
from tests.trusting.outside import Halved, Logistic, Positives

# ------------------------------------------------------------------------------------------ Classes
ONE = dp.constant("1")
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)


class Mine(dp.Regression):
    """A statistic, a row map and a mechanism from outside."""

    def declare(self, X, y, budget):
        """Three releases."""
        first, second, third = budget.split_evenly(3)
        long = dp.release(Positives(y), dp.Gaussian.analytic, first)
        gram = dp.release(Halved(X).T @ Halved(X), dp.Gaussian.analytic, second)
        noisy = dp.release(dp.count(X), Logistic(3 / budget.epsilon), third)
        return dp.post(tuple_of, long, gram, noisy)


def tuple_of(*values):
    """The values."""
    return values


@pytest.fixture(scope="module")
def document():
    """The certificate, as it is read from a file."""
    run = dp.certify(Mine(), target=TARGET, setting=SETTING, trust=[Positives, Halved, Logistic])
    return json.loads(json.dumps(run.document))


def sealed(document):
    """With the hash that it then has, and a proof."""
    return proved(checking.sealed(document))


def test_what_is_stated_counts(document):
    """A statistic that states twice the sensitivity needs twice the noise."""
    changed = json.loads(json.dumps(document))
    node = next(n for n in changed["graph"]["nodes"] if n["kind"] == "trusted_statistic")
    node["l2"] = "2"
    assert not check(sealed(changed)).accepted


def changed(document, kind, **values):
    """The document with other values in the node of a class from outside."""
    found = json.loads(json.dumps(document))
    node = next(n for n in found["graph"]["nodes"] if kind in (n["kind"], n.get("mechanism")))
    node.update(values)
    return sealed(found)


LOGISTIC = f"{Logistic.__module__}:Logistic"
STATES = {"norm": "L1", "move": "1", "amounts": {"epsilon": "1/8"}}


@pytest.mark.parametrize(
    ("states", "reason"),
    [
        (None, "must have exactly the keys"),
        ({**STATES, "move": "1/2"}, "move must be"),
        ({**STATES, "norm": "L3"}, "norm: L1 or L2"),
        ({**STATES, "amounts": {}}, "amounts of one of"),
        ({**STATES, "amounts": {"rho": "1/8"}}, "of epsilon, of both, or of mu^2"),
        (STATES, "inside its share of epsilon"),
    ],
    ids=["nothing", "moves less", "no norm", "nothing promised", "of rho", "too much"],
)
@pytest.mark.some(6)
def test_noise_from_outside_states_a_guarantee_inside_its_share(document, states, reason):
    """Of a move that is at least its statistic's: epsilon/3 for every epsilon is not 1/8."""
    verdict = check(changed(document, LOGISTIC, states=states))
    assert not verdict.accepted
    assert reason in verdict.reason


def test_the_sentence_says_what_is_taken_on_trust(document):
    """Bounds, sensitivities, and the guarantee of noise at its size."""
    sentence = check(document).sentence
    assert "Halved (node 6: norm = 1/2, norm1 = 1/2*d^(1/2))" in sentence
    assert "Positives (node 2: l1 = 1, l2 = 1, step = 1)" in sentence
    says = "one draw of size 3*epsilon^(-1), of a statistic that moves by at most 1 in L1"
    assert f"Logistic (node 11: {says}: epsilon = 1/3*epsilon)" in sentence


def test_noise_from_outside_hides_all_rows_of_one_person():
    """Four rows a person: it states its guarantee for four times the move."""
    setting = attrs.evolve(SETTING, rows_per_person=4)
    mine = dp.certify(Four(), target=dp.PureDP(dp.EPSILON), setting=setting, trust=[Logistic])
    document = json.loads(json.dumps(mine.document))
    assert "moves by at most 4 in L1" in check(document).sentence
    states = next(n["states"] for n in document["graph"]["nodes"] if n["kind"] == "release")
    less = changed(document, LOGISTIC, states={**states, "move": "3"})
    assert "move must be" in check(less).reason


class Four(dp.Regression):
    """A count of rows, four of which may be one person's."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.count(X), Logistic(4 / budget.epsilon), budget)


def test_a_released_number_is_named_as_what_it_is():
    """A symbol that stands for a release is none that somebody chooses."""
    run = dp.certify(dp.AdaSSP(), target=TARGET, setting=SETTING)
    released = dp.certify(dp.JointSSP(), target=TARGET, setting=SETTING)
    assert "(released" not in check(json.loads(json.dumps(run.document))).sentence
    sentence = check(json.loads(json.dumps(released.document))).sentence
    first, _, internal = sentence.partition(
        " It holds for every value of these numbers, which the proof introduces: "
    )
    assert "(released, node" in internal
    assert "released, node" not in first


@attrs.frozen(eq=False)
class Constant(Procedure):
    """Releases 0, and says that it costs epsilon."""

    kind: ClassVar[str] = "constant"
    rows: RowsNode
    share: dp.graph.Share
    name: str = "zero"
    inputs = property(lambda self: (self.rows,))
    summary = "zero"
    own_readings = property(lambda self: {})

    def record(self):
        """Nothing."""
        return {}


class Zero(dp.Regression):
    """A release by a theorem from outside."""

    def declare(self, X, y, budget):
        """All of the budget."""
        return Constant(X, budget)


def test_a_theorem_from_outside_is_about_one_row_a_person():
    """By prover and kernel."""
    run = dp.certify(Zero(), target=TARGET, setting=SETTING, trust=[Constant])
    document = json.loads(json.dumps(run.document))
    verdict = check(document)
    assert verdict.accepted, verdict.reason
    assert "Constant (node 2: epsilon = epsilon, delta = delta)" in verdict.sentence
    document["statement"]["rows_per_person"] = "2"
    assert "one row a person" in check(sealed(document)).reason
    with pytest.raises(dp.Uncertified, match="one row a person"):
        dp.certify(
            Zero(),
            target=TARGET,
            setting=attrs.evolve(SETTING, rows_per_person=2),
            trust=[Constant],
        )


# ------------------------------------------------------------------------- Theorems that size noise
@attrs.frozen(cache_hash=True)
class Doubled(dp.Calibration):
    """Laplace noise of twice the scale that pure privacy asks for."""

    mechanism = dp.Laplace
    name, citation = "Laplace.doubled", "[more noise than DworkR14, Thm 3.6]"
    currencies = (("epsilon",), ("epsilon", "delta"))

    def calibrate(self, share, sensitivity):
        """Of scale 2 Delta_1/epsilon."""
        return dp.Laplace(2 * sensitivity / share.epsilon)

    def limit(self, share):
        """No hypothesis."""
        return


def abs_of(moment):
    """Sizes."""
    return abs(moment)


class Total(dp.Regression):
    """Moments. [here]"""

    def declare(self, X, y, budget):
        """One release."""
        return dp.post(abs_of, dp.release(X.T @ y, Doubled(), budget))


def certified(**more):
    """For every epsilon."""
    X, y = dp.Rows(norm=1), dp.Column(bound=1)
    setting = dp.Setting(X=X, y=y, relation=dp.ADD_REMOVE, **more)
    target = dp.PureDP(dp.EPSILON)
    return dp.certify(Total(), target=target, setting=setting, trust=[Doubled])


def test_it_is_named_with_what_it_states():
    """In the kernel's sentence: what is drawn, of what, for which share, for one person's rows."""
    verdict = check(certified(rows_per_person=2).document)
    assert verdict.accepted
    assert verdict.trusted == (f"{__name__}:Doubled",)
    stated = (
        "laplace noise of size 4*d^(1/2)*epsilon^(-1), "
        "of a statistic that moves by at most 2*d^(1/2) in L1: epsilon = epsilon"
    )
    assert stated in verdict.sentence


def test_budgets_of_each_record_are_spent_by_theorems_of_the_rule_book():
    """The prover refuses it, and so does the kernel."""
    X, y = dp.Rows(norm=1), dp.Column(bound=1)
    setting = dp.Setting(X=X, y=y, relation=dp.ADD_REMOVE)
    target = dp.PersonalizedDP(dp.each("epsilon"), dp.DELTA)
    with pytest.raises(dp.Uncertified, match="personalised budgets are spent on noise"):
        dp.certify(Total(), target=target, setting=setting, trust=[Doubled])
