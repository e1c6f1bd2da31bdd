"""The expected squared noise of all releases."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph, Release
from dpframe.symbols import Expression, Number, add, multiply, power

from .criterion import FormulaCriterion, columns, public_number, rows


def _weights(value: Any) -> tuple[tuple[str, Fraction], ...]:
    if not isinstance(value, Mapping):
        way_out = "Such as weights={'gram': 1, 'floor': '1/10'}."
        raise InvalidArgument("weights", "numbers by the names of releases", value, way_out)
    return tuple(
        (str(name), public_number(f"weight of {name}", one, zero=True))
        for name, one in value.items()
    )


@attrs.frozen(kw_only=True)
class NoiseCriterion(FormulaCriterion):
    """The expected squared noise, sum_i c_i times_i E|Z_i|^2: |Z_i| is the 2-norm of the noise that
    one draw adds to release i, over all entries of its value (of a matrix the Frobenius norm).

    `d` >= 1 columns of the table, `n` >= 1 rows where noise may read them (replace-one); `weights`
    are the c_i >= 0 by the names of releases, 1 where none is given. E|Z|^2 of p numbers is p
    std^2; of a symmetric matrix d (d + 1)/2 std^2 where noise is isotropic (dp.Gaussian), d^2 std^2
    where it is mirrored or drawn for every entry. Its unit is that of the squared statistics.
    Raises InvalidArgument.
    """

    d: int = attrs.field(converter=columns)
    n: int | None = attrs.field(default=None, converter=attrs.converters.optional(rows))
    weights: tuple[tuple[str, Fraction], ...] = attrs.field(factory=dict, converter=_weights)

    @property
    def sizes(self) -> Mapping[str, Expression]:
        """d, and n where it was given."""
        given = {"d": self.d} | ({} if self.n is None else {"n": self.n})
        return {name: Number(Fraction(value)) for name, value in given.items()}

    @property
    def sentence(self) -> str:
        """In words."""
        said = ", ".join(f"{name} {weight}" for name, weight in self.weights)
        weighed = f", weighted {said} (others 1)" if said else ""
        return f"expected squared noise, all entries of all releases{weighed}, at d = {self.d}"

    def formula(self, graph: Graph) -> Expression:
        """The sum over the releases."""
        return add(*(self.cost(one, graph) * power(one.std, 2) for one in graph.releases))

    def cost(self, release: Release, graph: Graph) -> Expression:
        """What the squared std of a release is multiplied by: c, the draws, the entries."""
        weights = dict(self.weights)
        labels = [one.label for one in graph.releases]
        for name in weights:
            if name not in labels:
                raise InvalidArgument("weights", f"of {', '.join(labels)}", name)
        weight = Number(weights.get(release.label, Fraction(1)))
        return weight * release.times * entries(release)


def entries(release: Release) -> Expression:
    """E|Z|^2/std^2: the entries of the value, those off the diagonal of an isotropic symmetric
    matrix counted by half.
    """
    if release.symmetric and release.noise.isotropic:
        return release.entries
    return multiply(1, *release.statistic.shape)
