"""Classes of one's own are charged what they say; nothing times infinity is nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.maps.base import RowMap
from dpframe.graph.maps.grid import Grid
from dpframe.graph.statistics import Gram, LambdaMin, Moment, OneRow, Trace
from dpframe.kernel.checker import hash_of as canonical_hash
from dpframe.numerics.blocks.elementwise import normalize
from dpframe.prover.mixture import joint_gaussian
from dpframe.sensitivity import L2
from tests.support import checking as check
from tests.support.samples import declared

UNIT = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
REPLACED = attrs.evolve(UNIT, relation=dp.REPLACE_ONE)
TARGET = dp.ApproxDP(1, "1e-6")


def certified(
    build: Callable[[Any, Any], Any], setting: dp.Setting = UNIT, **options: Any
) -> dp.Certificate:
    """The certificate of a declaration whose body is `build`."""
    made = declared(lambda X, y, _: build(X, y))
    return dp.certify(made, target=TARGET, setting=setting, **options)


def ninefold(bound: OneRow | None) -> OneRow | None:
    """Nine times a bound."""
    return None if bound is None else attrs.evolve(bound, value=9 * bound.value)


class NineGrams(Gram):
    """9 X'X."""

    def block(self, values: Any) -> Any:
        """Nine times."""
        rows = values[self.rows]
        return 9 * (rows.T @ rows)

    def one_row(self, norm: Any, relation: Any) -> OneRow | None:
        """Nine times."""
        return ninefold(super().one_row(norm, relation))


class NineMoments(Moment):
    """9 X'y."""

    def one_row(self, norm: Any, relation: Any) -> OneRow | None:
        """Nine times."""
        return ninefold(super().one_row(norm, relation))


MAKES = {
    NineGrams: lambda X, y: NineGrams(X),
    NineMoments: NineMoments,
}


@pytest.mark.parametrize("kind", MAKES)
@pytest.mark.parametrize("setting", [UNIT, REPLACED], ids=["add/remove", "replace-one"])
def test_a_class_of_ones_own_is_charged_what_it_says(kind, setting):
    """Not what its base says: alone, in a stack, in a joint mu."""
    with pytest.raises(dp.Uncertified):
        certified(
            lambda X, y: dp.release(MAKES[kind](X, y), dp.Gaussian(std=12)),
            setting,
            trust=[kind],
        )
    run = certified(
        lambda X, y: dp.release(MAKES[kind](X, y), dp.Gaussian(std=100)), setting, trust=[kind]
    )
    moved = run.graph.releases[0].statistic.sensitivity(L2).value
    mu = float(joint_gaussian(run).mu.value)
    assert mu == pytest.approx(float(run.number(moved, up=True)) / 100)


def test_the_kernel_does_not_take_it_for_its_base():
    """What it states of itself is taken on trust, nine times its base; the verdict says so."""
    run = certified(lambda X, y: dp.release(NineGrams(X), dp.Gaussian(std=100)), trust=[NineGrams])
    document = check.file_of(run)
    verdict = check.check(document)
    assert verdict.trusted == (f"{__name__}:NineGrams",)
    (node,) = [n for n in document["graph"]["nodes"] if n["kind"] == "trusted_statistic"]
    assert node["l2"] == "9"


class Posing(NineGrams):
    """9 X'X, called a gram."""

    kind: ClassVar[str] = "gram"


def test_the_kernel_does_not_believe_a_name():
    """A class made elsewhere is recorded by its own name, whatever it calls itself."""
    run = certified(lambda X, y: dp.release(Posing(X), dp.Gaussian(std=100)), trust=[Posing])
    verdict = check.check(check.file_of(run))
    assert verdict.trusted == (f"{__name__}:Posing",)


class FineGrid(Grid):
    """Half the step."""

    @property
    def step(self) -> dp.Expression:
        """norm/2^(bits + 1)."""
        return self.norm / 2 ** (self.bits + 1)

    def apply(self, block: Any, number: Any) -> Any:
        """Twice as many."""
        return np.trunc(block * number(1 / self.step))


def test_an_eigenvalue_on_a_grid_of_ones_own_is_a_real_number():
    """Its floor would be in other units."""
    run = certified(
        lambda X, y: dp.release(
            LambdaMin(Gram(FineGrid((X.T @ X).rows.source, 20))), dp.Gaussian(std=60)
        ),
        trust=[FineGrid],
    )
    assert any(line.startswith("idealized numerics") for line in run.assumptions)
    rows = np.repeat(np.eye(2), 1000, axis=0)
    assert abs(dp.execute(run, rows, np.zeros(2000), rng=0).output - 1000) < 400


class Quarters(Gram):
    """X'X, in quarters of its step."""

    symmetric = True

    @property
    def step(self) -> dp.Expression:
        """A quarter."""
        return Gram.step.fget(self) / 4

    def block(self, values: Any) -> Any:
        """Four times as many."""
        rows = values[self.rows]
        return 4 * (rows.T @ rows)


def test_an_eigenvalue_of_a_matrix_of_ones_own_is_a_real_number():
    """It is computed in doubles, in the right units, and listed."""
    run = certified(
        lambda X, y: dp.release(LambdaMin(Quarters(X)), dp.Gaussian(std=60)), trust=[Quarters]
    )
    assert any(line.startswith("idealized numerics") for line in run.assumptions)
    rows = np.repeat(np.eye(2), 1000, axis=0)
    assert abs(dp.execute(run, rows, np.zeros(2000), rng=0).output - 1000) < 400


@attrs.frozen(cache_hash=True)
class Sphere(RowMap):
    """Rows of norm 1/100, exactly."""

    kind: ClassVar[str] = "sphere"
    source: Any
    norm: Any = attrs.field(default=dp.constant("1/100"), init=False)
    unit_norm: bool = attrs.field(default=True, init=False)
    label = "x/(100 |x|)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def apply(self, block: Any, number: Any) -> Any:
        """Divide."""
        del number
        return normalize(block) / 100


def test_the_trace_of_rows_of_any_one_norm_counts_their_squares():
    """n B^2, exactly."""
    run = certified(lambda X, y: dp.release(Trace(Sphere(X)), dp.Gaussian(std=1)), trust=[Sphere])
    released = dp.execute(run, np.ones((3_000_000, 1)), np.zeros(3_000_000), rng=0).output
    assert abs(released - 300) < 7


NOTHINGS = {
    "stacks on a grid": (lambda X, y: dp.graph.stack(y @ y) - dp.graph.stack(y @ y), 20),
    "doubles": (lambda X, y: (y @ y) - (y @ y), None),
}


@pytest.mark.parametrize("name", NOTHINGS)
def test_nothing_times_infinity_is_nothing(name):
    """A constant is published without noise, so it must be one."""
    make, grid = NOTHINGS[name]
    setting = attrs.evolve(REPLACED, y=dp.Column(bound=10**160), grid=grid)
    run = certified(
        lambda X, y: (dp.release(dp.total(X), dp.Gaussian(std=99)), make(X, y)), setting
    )
    outputs = [dp.execute(run, [[0.0]], [y], rng=0).output[1] for y in (0.0, 1e160)]
    np.testing.assert_array_equal(outputs[0], np.zeros(np.shape(outputs[0])))
    np.testing.assert_array_equal(outputs[1], outputs[0])


FORGED = {
    "twice a stacked matrix": lambda X, y: 2 * dp.graph.stack(X.T @ X),
    "twice a stacked vector": lambda X, y: 2 * dp.graph.stack(X.T @ y),
    "a stack of it": lambda X, y: dp.graph.stack(2 * dp.graph.stack(X.T @ X), y @ y),
}


@pytest.mark.parametrize("name", FORGED)
@pytest.mark.parametrize("setting", [UNIT, REPLACED], ids=["add/remove", "replace-one"])
def test_combinations_of_stacks_are_in_doubles_for_the_checker_too(name, setting):
    """A file that leaves the assumption out is rejected."""
    run = certified(lambda X, y: dp.release(FORGED[name](X, y), dp.Gaussian(std=60)), setting)
    document = check.file_of(run)
    assert check.check(document).accepted
    document["assumptions"] = [a for a in document["assumptions"] if "idealized" not in a]
    parts = (document[part] for part in ("statement", "graph", "assumptions"))
    assert not check.check({**document, "hash": canonical_hash(*parts)}).accepted
