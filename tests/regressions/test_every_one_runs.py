"""Every certified regression runs on every odd table, by execute and by fit: finite."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import dpframe as dp
from dpframe.estimators.links import of_classes
from dpframe.literature.catalogue import claims_pure, example
from dpframe.literature.every import everything
from tests.support import samples
from tests.support.tables import numbered

RNG = np.random.default_rng(5)
WIDE = RNG.normal(size=(12, 3)) / 2
TABLES = {
    "ordinary": (WIDE, WIDE @ [0.5, -0.25, 0.0]),
    "d=1": (WIDE[:, :1], WIDE[:, 0]),
    "n=0": (np.empty((0, 3)), np.empty(0)),
    "n=1": (WIDE[:1], np.array([0.5])),
    "constant columns": (np.ones((9, 3)), np.linspace(-1, 1, 9)),
    "duplicated columns": (WIDE[:, [0, 0, 1]], WIDE[:, 0]),
    "nearly constant": (1 + 1e-20 * np.arange(27.0).reshape(9, 3), np.ones(9)),
    "tiny spread": (np.column_stack([1e-20 * np.arange(9.0), np.ones(9), WIDE[:9, 0]]), np.ones(9)),
    "one huge row": (np.vstack([WIDE, np.full(3, 1e300)]), np.append(WIDE[:, 0], -1e300)),
    "zeros": (np.zeros((6, 3)), np.zeros(6)),
}


def setting(relation):
    """Bounds of 1."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)


def target(declared):
    """Epsilon 1; delta where the declaration spends one."""
    pure = claims_pure(declared, dp.ADD_REMOVE)
    return dp.PureDP(1) if pure else dp.ApproxDP(1, "1e-6")


def family(cases):
    """A test for each declaration and relation."""
    ids = [f"{cls.__name__}-{relation}" for cls, relation in cases]
    return pytest.mark.parametrize(("cls", "relation"), cases, ids=ids)


CERTIFIED = [
    *samples.certified(),
    *((dp.regressions.Tuned, relation) for relation in samples.RELATIONS),
]
REFUSED = [one for one in product(everything(), samples.RELATIONS) if one not in CERTIFIED]
OF = {cls: [relation for one, relation in CERTIFIED if one is cls] for cls, _ in CERTIFIED}
FITTED = [(cls, found[i % len(found)]) for i, (cls, found) in enumerate(OF.items())]  # by turns


@family(
    [(cls, to) for cls in everything() for to in samples.RELATIONS if (cls, to) not in CERTIFIED]
)
def test_what_is_not_listed_is_refused(cls, relation):
    """At numbers too; what is listed is certified below."""
    declared = numbered(example(cls))
    report = dp.examine(declared, target=target(declared), setting=setting(relation))
    assert not report.proved


@family(FITTED)
def test_odd_tables_give_finite_coefficients(cls, relation):
    """Each table, simulated; at most one is refused, by an error of dpframe's own."""
    declared = numbered(example(cls))
    proof = dp.certify(declared, target=target(declared), setting=setting(relation))
    done = 0
    for name, (X, y) in TABLES.items():
        try:
            output = dp.execute(proof, X, y, rng=3).output
        except dp.DPFrameError:
            continue
        assert np.all(np.isfinite(output.coefficients)), name
        assert output.coefficients.shape[0] >= X.shape[1], name
        done += 1
    assert done >= len(TABLES) - 1


@family(FITTED)
def test_the_estimator_fits_it(cls, relation):
    """With a seed, by the estimator of its kind; predictions are finite."""
    declared, (X, y) = numbered(example(cls)), TABLES["ordinary"]
    delta = 0 if isinstance(target(declared), dp.PureDP) else 1e-6
    classes = of_classes(declared, setting(relation), target(declared))
    kind, labels = (dp.PrivateClassifier, np.sign(y)) if classes else (dp.PrivateRegressor, y)
    model = kind(declared, epsilon=1, delta=delta, setting=setting(relation), rng=1)
    assert np.all(np.isfinite(model.fit(X, labels).predict(X)))
