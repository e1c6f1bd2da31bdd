"""Values of statistics by the pass that executions make, and made-up tables, for several tests."""

import attrs
import numpy as np

from dpframe.audits.conformance.statistics import size_of, value_of
from dpframe.sources import Block
from dpframe.symbols import Symbol

__all__ = ["numbered", "on_sphere", "run", "size_of"]


def run(statistic, *parts):
    """The value of a statistic of some records, (rows, labels) each."""
    X = np.vstack([part[0] for part in parts])
    return value_of(statistic, [Block(X, np.concatenate([part[1] for part in parts]))])


def on_sphere(n, d, seed):
    """Rows on the sphere, labels that clip seldom, and the R^2 of coefficients."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    signal = X @ rng.normal(size=d)
    signal *= 0.35 / signal.std()
    y = np.clip(signal + 0.175 * rng.normal(size=n), -1, 1)

    def quality(theta):
        return 1 - np.sum((y - X @ theta) ** 2) / np.sum((y - y.mean()) ** 2)

    return X, y, quality


def numbered(declared):
    """The declaration with an example in the place of each symbolic field."""
    fields = {field.name: getattr(declared, field.name) for field in attrs.fields(type(declared))}
    free = {name: value for name, value in fields.items() if isinstance(value, Symbol)}
    return attrs.evolve(declared, **{name: one.domain.example() for name, one in free.items()})
