"""Made-up data under the names of the real sets: 60 rows each, and 60 people."""

import csv
import gzip

import attrs
import numpy as np

from dpframe.experiments.catalogue import ITEMS
from dpframe.experiments.data import Data

HEADER = ["age", "sex", "bmi", "children", "smoker", "region", "charges"]
REGIONS = ["northeast", "northwest", "southeast", "southwest"]


def people(n=60, seed=0):
    """Lines of a table like that of the medical costs."""
    rng = np.random.default_rng(seed)
    smoker = rng.random(n) < 0.3
    age, bmi = rng.integers(18, 65, n), rng.uniform(16, 53, n).round(2)
    charges = 250 * age + 300 * bmi + 20000 * smoker + rng.normal(0, 3000, n)
    sex, region = rng.choice(["female", "male"], n), rng.choice(REGIONS, n)
    children = rng.integers(0, 6, n)
    yes_no = np.where(smoker, "yes", "no")
    return [
        list(line) for line in zip(age, sex, bmi, children, yes_no, region, charges, strict=True)
    ]


def put_people(path, lines, header=None):
    """A file of them."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header or HEADER, *lines])
    return path


def put_set(folder, name, n=60, d=4, seed=0):
    """A set as a file, by its name."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X.sum(axis=1) + rng.normal(size=n)
    with gzip.open(folder / f"{name}.csv.gz", "wt") as file:
        np.savetxt(file, np.column_stack([X, y]), delimiter=",")


def put_all(folder, *names):
    """A folder with these sets, those of all experiments where none is named, and the people."""
    every = {
        str(value)
        for item in ITEMS.values()
        for value in item.run.axes.get(item.run.world.sets or "", ())
    }
    for name in names or every:
        put_set(folder, name)
    put_people(folder / "insurance.csv", people())
    return Data.found(folder)


def tiny(item, values=1, repeats=1, draws=1, **axes):
    """The item with the first values of each axis, or those that are named, and few repeats."""
    run = item.run
    own = {axis: item.where.get(axis, whole)[:values] for axis, whole in run.axes.items()}
    small = attrs.evolve(run, draws=draws, quick={})
    return attrs.evolve(item, run=small, where={**own, **axes}, repeats=repeats)
