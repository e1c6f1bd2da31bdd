"""python docs/images/make.py: draws intervals.png, the picture of the README; a simulation."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import dpframe as dp

rng = np.random.default_rng(0)
n = 20_000
people = pd.DataFrame(
    {
        "age": rng.integers(18, 65, n),
        "bmi": rng.normal(30, 6, n).clip(15, 55),
        "children": rng.integers(0, 6, n),
        "smoker": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
    }
)
costs = (
    180 * people["age"] + 120 * people["bmi"] - 300 * people["children"]
    + 9_000 * (people["smoker"] == "yes") + rng.uniform(0, 6_000, n)
)  # fmt: skip
codebook = [
    dp.Numeric("age", 18, 64),
    dp.Numeric("bmi", 15, 55),
    dp.Numeric("children", 0, 5),
    dp.Categorical("smoker", ["no", "yes"]),
]
setting = dp.Setting(
    X=dp.Rows(columns=codebook, intercept=True),
    y=dp.Column("costs", lower=0, upper=40_000),
    relation=dp.ADD_REMOVE,
)
spans = np.array([46, 40, 5, 1])  # from the lowest value of a column to the highest
names = ["age\n18 to 64", "bmi\n15 to 55", "children\n0 to 5", "smoker\nno to yes"]


def least_squares() -> tuple[np.ndarray, np.ndarray]:
    """The fit that is not private, and its 95% intervals."""
    X = np.column_stack([
        people[["age", "bmi", "children"]], people["smoker"] == "yes", np.ones(n),
    ]).astype(float)  # fmt: skip
    coef, squares, *_ = np.linalg.lstsq(X, costs, rcond=None)
    error = np.sqrt(np.diag(np.linalg.inv(X.T @ X)) * squares / (n - 5))
    return coef[:4], np.stack([coef - 1.96 * error, coef + 1.96 * error], 1)[:4]


def private(epsilon: object) -> tuple[np.ndarray, np.ndarray]:
    """Estimates and 95% intervals of a simulated private fit."""
    model = dp.PrivateRegressor(epsilon=epsilon, delta="1e-6", setting=setting, rng=2)
    law = model.fit(people, costs).inference()
    return law.params[:4], law.conf_int()[:4]


fits = {
    "without privacy": (least_squares(), "#c44e52", "D"),
    "private, epsilon = 1": (private(1), "#0b5fa5", "o"),
    "private, epsilon = 0.3": (private("0.3"), "#7aa6c2", "s"),
}
figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
places = np.arange(4)
for (label, ((coef, ends), color, marker)), shift in zip(
    fits.items(), (-0.22, 0, 0.22), strict=True
):
    length = np.abs(ends - coef[:, None]).T * spans / 1000
    axes.errorbar(
        coef * spans / 1000, places + shift, xerr=length, color=color, fmt=marker,
        capsize=3, label=label,
    )  # fmt: skip
axes.set_yticks(places, names)
axes.invert_yaxis()
axes.axvline(0, color="0.4", linewidth=0.8)
axes.set(xlabel="difference in costs, in thousands, with 95% intervals")
axes.spines[["top", "right"]].set_visible(False)
figure.legend(frameon=False, loc="outside upper center", ncols=3)
figure.savefig(Path(__file__).with_name("intervals.png"), dpi=120)
