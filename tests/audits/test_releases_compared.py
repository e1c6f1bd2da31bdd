"""How much noise each calibration adds to each release of a declaration."""

import json
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest

import dpframe as dp
from tests.support import oracles

SETTING = dp.Setting(X=dp.Rows(norm=2), y=dp.Column(bound=3), relation=dp.REPLACE_ONE)
WANG = dp.literature.AdaSSPWang()


@pytest.mark.parametrize("epsilon", ["0.1", "1", "8"])
def test_what_wang_wastes(epsilon):
    """Three releases of sensitivity 1 and one std, each for a third of the budget."""
    e, d = Fraction(epsilon), Fraction(1, 10**6)
    std = 3 * mpmath.sqrt(mpmath.log(6 * 10**6)) / oracles.mpf(e)
    least = mpmath.sqrt(3) * oracles.sigma_of(e, d)
    classical = mpmath.sqrt(2 * mpmath.log(1.25 * 3 * 10**6)) * 3 / oracles.mpf(e)
    for record in dp.compare(WANG, epsilon=epsilon).records():
        assert record["declared"] == pytest.approx(float(std), rel=1e-12)
        assert record["enough"] == pytest.approx(float(least), rel=1e-12)
        assert record["declared_ratio"] == pytest.approx(float(std / least), rel=1e-12)
        assert record["analytic"] == pytest.approx(float(oracles.sigma_of(e / 3, d / 3)), rel=1e-12)
        assert record["classical_ratio"] == pytest.approx(float(classical / least), rel=1e-12)
        assert record["classical_valid"] is (e / 3 < 1)
        assert record["analytic_valid"]


def test_joint_calibration_wastes_nothing():
    """Bounds do not matter to ratios; the relation does, where releases do not move together."""
    d = Fraction(1, 10**6)
    for e in (Fraction(1), Fraction(8)):
        alone, joint = oracles.sigma_of(e / 3, d / 3), mpmath.sqrt(3) * oracles.sigma_of(e, d)
        for setting in (None, attrs.evolve(SETTING, relation=dp.ADD_REMOVE), SETTING):
            for record in dp.compare(dp.AdaSSP(), epsilon=e, setting=setting).records():
                assert record["declared_ratio"] == pytest.approx(1, abs=1e-12)
                if setting is not SETTING:
                    wanted = pytest.approx(float(alone / joint), rel=1e-12)
                    assert record["analytic_ratio"] == wanted


def test_sensitivities_are_those_of_the_setting():
    """X'X of rows up to 2 moves by sqrt(2) 4 where one replaces another, X'y of labels 3 by 12."""
    moved = [float(one) for one in ("4", "5.656854249492381", "12")]
    found = dp.compare(dp.AdaSSP(), epsilon=1, setting=SETTING).records()
    sigma = float(oracles.sigma_of(Fraction(1, 3), Fraction(1, 3 * 10**6)))
    assert [one["analytic"] / sigma for one in found] == pytest.approx(moved, rel=1e-12)


def test_laplace_noise_has_its_own_line():
    """Counted in what is enough, and without Gaussian columns."""

    class Mixed(dp.Regression):
        def declare(self, X, y, budget):
            n = dp.release(dp.count(X), dp.Laplace(4), name="n")
            return n, dp.release(X.T @ y, dp.Gaussian(20), name="moment")

    n, moment = dp.compare(Mixed(), epsilon=1).records()
    assert n["classical"] is None
    assert moment["classical"] is not None
    assert n["declared_ratio"] == pytest.approx(moment["declared_ratio"], rel=1e-12)


class OneMoment(dp.Regression):
    """X'y with spherical Laplace noise, whose std grows with the number of columns."""

    def declare(self, X, y, budget):
        return dp.release(X.T @ y, dp.L2Laplace.pure, budget)


def test_noise_of_one_draw_has_the_std_of_each_of_its_numbers():
    """At d = 10, against the std of 4,000 draws; the table of calibrations says that it grows."""
    found = dp.compare(OneMoment(), epsilon=1, delta="1e-5")
    d, (line,) = int(found.at["d"]), found.lines
    many = [
        dp.L2Laplace.sample(1.0, (d,), np.random.default_rng(i), symmetric=False)
        for i in range(4000)
    ]
    assert line.declared == pytest.approx(np.std(many), rel=0.02)
    alone = dp.compare(dp.L2Laplace.pure, epsilon=1)
    assert "each of m numbers" in str(alone)
    assert alone.cells[0][0].std == pytest.approx(np.sqrt(2))


def test_symbols_have_numbers():
    """A share gamma of the budget, at one half."""
    found = dp.compare(dp.literature.AdaSSPBudget(), epsilon=1)
    assert "at gamma = 0.5" in str(found).splitlines()[0]
    assert {record["analytic_valid"] for record in found.records()} == {True}


def test_what_cannot_be_compared_is_refused():
    """Private bounds, other procedures, several declarations, arguments of the other face."""
    with pytest.raises(dp.InvalidArgument, match="noise can be compared"):
        dp.compare(dp.literature.ThesisRowNorm())
    with pytest.raises(dp.InvalidArgument, match="only adds noise"):
        dp.compare(dp.regressions.AdaOPS())
    with pytest.raises(dp.InvalidArgument, match="one declaration"):
        dp.compare(WANG, dp.Gaussian.analytic)
    with pytest.raises(dp.InvalidArgument, match="sensitivity"):
        dp.compare(WANG, sensitivity=2)


def test_a_plot_has_a_line_a_release():
    """Alike ones together; and one each for the calibrations of a share alone."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes = dp.compare(WANG, epsilon=["0.1", 8]).plot()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[0] == "enough"
    drawn = [f"floor, gram, moment: {which}" for which in ("declared", "analytic", "classical")]
    assert labels[1:] == drawn
    heights = [line.get_ydata() for line in axes.get_lines() if "floor" in str(line.get_label())]
    first = dp.compare(WANG, epsilon="0.1").records()[0]
    assert heights[0][0] == pytest.approx(first["declared_ratio"])
    assert heights[2][0] == pytest.approx(first["classical_ratio"])
    pyplot.close(axes.figure)


def test_points_are_filled_where_the_theorem_holds_for_the_share():
    """Of a third of epsilon, below epsilon = 3; nothing is shaded, for shares may differ."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes = dp.compare(dp.AdaSSP(), epsilon=[1, "2.9", 3, 8]).plot()
    (line,) = (one for one in axes.get_lines() if "classical" in str(one.get_label()))
    assert np.isfinite(line.get_ydata()).tolist() == [True, True, False, False]
    assert not axes.patches
    pyplot.close(axes.figure)


def test_a_plot_of_several_deltas_draws_what_is_alike_once():
    """Noise of AdaSSP is enough at every delta: one line, and a legend below the axes."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes = dp.compare(dp.AdaSSP(), epsilon=[1, 2, 8], delta=["1e-3", "1e-6"]).plot()
    axes.figure.canvas.draw()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    declared = [label for label in labels if "declared" in label]
    assert declared == ["floor, gram, moment, delta = 0.001, delta = 1e-6: declared"]
    legend, frame = axes.get_legend().get_window_extent(), axes.get_window_extent()
    assert legend.y1 < frame.y0
    pyplot.close(axes.figure)


def test_pages():
    """At most 100 columns; a notebook's table; JSON."""
    found = dp.compare(attrs.evolve(WANG), epsilon=["0.1", 1, 8], delta=["1e-3", "1e-6"])
    assert max(map(len, str(found).splitlines())) <= 100
    assert "for its share" in str(found)
    assert "for an equal part of (epsilon," in " ".join(str(dp.compare(dp.AdaSSP())).split())
    assert found._repr_html_().count("<tr ") == 1 + 18
    assert json.loads(json.dumps(found.records(), allow_nan=False)) == found.records()
