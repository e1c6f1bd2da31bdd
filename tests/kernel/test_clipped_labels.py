"""Labels clipped into an interval: -Y and Y of a public or released Y, or two numbers."""

import pytest

from tests.kernel.writing import Graph, certificate, mul, over, symbol
from tests.support import checking as check

RHO = {"rho": symbol()}


def clipped(lower, upper, noise=None, **more):
    """A claim about the sum of labels that are clipped, with the noise that an interval of this
    half-length asks for.
    """
    graph = Graph()
    graph.node("count", graph.x)
    labels = graph.node("clip_column", 2, lower=lower, upper=upper)
    total = graph.node("label_sum", labels)
    std = over(upper if noise is None else noise, ["^", mul("2", "rho"), "1/2"])
    graph.release(total, std, {"rho": "rho"}, "Gaussian.analytic")
    symbols = {**RHO, "Y": symbol(), **more.pop("symbols", {})}
    return certificate(graph, "zcdp", ["rho"], symbols, "gaussian", **more)


@pytest.mark.parametrize(
    ("lower", "upper", "noise"),
    [
        (mul("-1", "Y"), "Y", None),
        (mul("-2", "Y"), mul("2", "Y"), None),
        (mul("-1", ["^", "2", "1/2"]), ["^", "2", "1/2"], None),
        ("-3", "2", "3"),
        ("1", "2", "2"),
    ],
)
def test_these_intervals_are_accepted(lower, upper, noise):
    """And less noise is refused."""
    assert check.check(clipped(lower, upper, noise)).accepted
    less = mul("999/1000", upper if noise is None else noise)
    assert "total" in check.check(clipped(lower, upper, less)).reason


@pytest.mark.parametrize(
    ("lower", "upper", "why"),
    [
        (mul("-1", "Y"), mul("2", "Y"), "rational"),
        ("0", "Y", "rational"),
        ("0", "0", "Y must be positive"),
        ("1", "-1", "Y must be positive"),
        ("2", "1", "increase"),
        (["+", "1", mul("-1", "Y")], ["+", "Y", "-1"], "Y must be positive"),
        (mul("-1", "rows"), "rows", "read"),
        (["+", "2", "1"], "5", "rational"),
    ],
)
def test_these_are_refused(lower, upper, why):
    """Ends that do not mirror each other, an empty interval, and the private number of rows."""
    graph = {"rows": symbol(origin=4)} if "rows" in str(upper) else {}
    verdict = check.check(clipped(lower, upper, "5", symbols=graph))
    assert not verdict.accepted
    assert why in verdict.reason
