"""Recipes of the guides, run as they are printed."""

import re
from pathlib import Path

import numpy as np
import pytest

GUIDES = Path(__file__).parents[1] / "docs/guides"


def cells_of(page: str) -> str:
    """The code of a page."""
    text = (GUIDES / f"{page}.md").read_text()
    return "\n".join(re.findall(r"```\{code-cell\} ipython3\n(.*?)```", text, re.DOTALL))


@pytest.mark.parametrize("swapped", [False, True])
def test_two_models_are_compared_on_other_people(swapped):
    """The interval holds the difference of the errors and has the right sign, in both orders; the
    parts are people of their own, and the two fits cost as much as the comparison.
    """
    code = cells_of("cross-validation")
    loop = "for columns, X in (first, second):"
    assert loop in code
    names: dict = {}
    exec(code.replace(loop, "for columns, X in (second, first):") if swapped else code, names)
    mean = np.mean(names["errors"][0] - names["errors"][1])
    ((low, high),) = names["compared"].inference().conf_int()
    assert low < mean < high
    assert low > 0 if swapped else high < 0
    fit, compared = names["model"].certificate_.target, names["compared"].certificate_.target
    assert (2 * fit.epsilon, 2 * fit.delta) == (compared.epsilon, compared.delta)
    assert names["compared"].receipt_.columns == 1
    assert len(names["errors"][0]) == np.sum(~names["in_train"])
