"""Output perturbation: its noise by hand, its certificates, and what the checker makes of them."""

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.literature.catalogue import example
from tests.support import checking as check
from tests.support import samples
from tests.support.oracles import sigma_of, value

APPROX = dp.ApproxDP(dp.EPSILON, dp.DELTA)
CLASSES = [cls for cls in samples.REGRESSIONS if "OutputPerturbation" in cls.__name__]
every = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


def symbolic(cls):
    """With a free penalty, and a free radius where there is one."""
    names = {field.name for field in attrs.fields(cls)} & {"penalty", "radius"}
    return cls(**{name: dp.parameter(name, 0) for name in names})


@every
def test_its_noise_is_that_of_the_proof_page(cls):
    """By hand at B = 3/2, Y = 2, penalty 4, radius 3, epsilon 1, delta 1e-6."""
    declared = attrs.evolve(
        symbolic(cls),
        **{k: v for k, v in (("penalty", 4), ("radius", 3)) if hasattr(example(cls), k)},
    )
    tol = 1e-6
    for relation in samples.RELATIONS:
        graph = declared.graph(samples.setting(relation), dp.ApproxDP(1, "1e-6").budget)
        (release,) = graph.releases
        size = float(value(release.mechanism.formula, {"d": 3}))
        if "radius" in {field.name for field in attrs.fields(cls)}:
            once = (1.5 * 3 + 2) * 1.5 / (2.25 + 4)
            twice = min(2 * once, (2.25 * 3 + 2 * 1.5 * 2) / 4)
        else:
            once = {"LogisticOutputPerturbation": 2, "HuberOutputPerturbation": 1}[cls.__name__]
            once *= 1.5 / 4
            twice = 2 * once
        move = (once if relation is dp.ADD_REMOVE else twice) + 2 * tol * once
        unit = 1.0 if cls is dp.regressions.OutputPerturbationPure else float(sigma_of(1, "1e-6"))
        assert np.isclose(size, move * unit, rtol=1e-9)


@every
def test_less_noise_is_refused(cls):
    """Stated at nine tenths, by certify and by the checker; other facts of the argmin too."""
    found = check.document(symbolic(cls), APPROX, samples.wide(dp.REPLACE_ONE))
    size = next(node for node in found["graph"]["nodes"] if node["kind"] == "release")["size"]
    mutants = [
        ("release", {"size": ["*", "9/10", size]}),
        ("argmin", {"tolerance": "1/2"}),
        ("argmin", {"tolerance": "0"}),
        ("argmin", {"tolerance": "-1"}),
        ("argmin", {"penalty": ["*", "1/2", "penalty"]}),
        ("argmin", {"penalty": ["*", "-1", "penalty"]}),
        ("argmin", {"radius": "0"}),
        ("squared", {"kind": "absolute"}),
        ("logistic", {"kind": "squared"}),
        ("huber", {"kind": "squared"}),
    ]
    kinds = {node["kind"] for node in found["graph"]["nodes"]}
    if "squared" in kinds:  # whose noise is for a ball of this radius
        mutants += [("argmin", {"radius": wide}) for wide in (None, "2", ["*", "2", "radius"])]
    assert check.check(check.bent(found, "argmin")).accepted
    for kind, changes in mutants:
        if kind in kinds:
            assert not check.check(check.bent(found, kind, **changes)).accepted, (kind, changes)


def test_a_squared_loss_without_a_ball_is_refused_in_words():
    """No sensitivity, by certify."""

    class Unbounded(dp.Regression):
        """Ridge without a ball. [tests]"""

        def declare(self, X, y, budget):
            return dp.release(
                dp.graph.argmin(X, y, dp.graph.Squared(), 1), dp.Gaussian.analytic, budget
            )

    with pytest.raises(dp.Uncertified, match="argmin of the squared loss"):
        dp.certify(Unbounded(), target=APPROX, setting=samples.setting())


def test_a_penalty_that_may_be_negative_or_that_reads_the_data_is_refused():
    """By the node's `positive` and by its formulas."""

    class Weighted(dp.Regression):
        """A penalty of the data. [tests]"""

        def declare(self, X, y, budget):
            return dp.release(
                dp.graph.argmin(X, y, dp.graph.Logistic(), X.rows + 1), dp.Gaussian.analytic, budget
            )

    class Difference(dp.Regression):
        """A penalty that may be negative. [tests]"""

        def declare(self, X, y, budget):
            free = dp.parameter("a", 0) - dp.parameter("b", 0)
            return dp.release(
                dp.graph.argmin(X, y, dp.graph.Logistic(), free), dp.Gaussian.analytic, budget
            )

    for declared in (Weighted(), Difference()):
        with pytest.raises(dp.Uncertified, match="penalty"):
            dp.certify(declared, target=APPROX, setting=samples.setting())
    proof = dp.certify(Weighted(), target=APPROX, setting=samples.setting(dp.REPLACE_ONE))
    assert "penalty" not in str(proof.free)
