"""The report, from made-up results whose answers are computed by hand."""

import math

import numpy as np
import pytest

import dpframe as dp
from benchmarks.contest import page, shown, tables
from benchmarks.contest.boards import boards
from benchmarks.contest.pairs import Paired, chosen, duel, sign_test
from benchmarks.contest.results import Results
from benchmarks.contest.standings import (
    HeldOut,
    beyond,
    competing,
    losses,
    paths,
    regret,
    standing,
    steps,
)
from tests.contest.made_up import record, records

# Mine wins a and c, loses b; d has no signal. Zero's error is 1 everywhere.
MADE_UP = {
    "a": {"ZeroPredictor": [1, 1], "Ridge": [0.2, 0.2], "Mine": [0.3, 0.5], "Other": [0.6, 0.6]},
    "b": {"ZeroPredictor": [1, 1], "Ridge": [0.5, 0.5], "Mine": [1.1, 1.3], "Other": [0.8, 0.8]},
    "c": {"ZeroPredictor": [1, 1], "Ridge": [0.0, 0.0], "Mine": [0.5, 0.5], "Other": [2.0, 2.0]},
    "d": {"ZeroPredictor": [1, 1], "Ridge": [1.0, 1.0], "Mine": [1.0, 1.0], "Other": [1.0, 1.0]},
}


@pytest.fixture
def board():
    """The one board of the made-up results."""
    (found,) = boards(records(MADE_UP))
    return found


def test_means_and_relative_errors(board):
    """By hand: (0.4 - 0.2)/(1 - 0.2), and so on."""
    assert board.worlds == ("a", "b", "c", "d")
    assert board.methods == ("ZeroPredictor", "Ridge", "Mine", "Other")
    assert board.private == ("Mine", "Other")
    assert (board.mean("a", "Mine"), board.repeats) == (0.4, (2, 2))
    assert board.relative("a", "Mine") == pytest.approx(0.25)
    assert board.relative("b", "Mine") == pytest.approx(1.4)
    assert board.relative("c", "Other") == pytest.approx(2.0)
    assert board.lost("a", "Mine") == pytest.approx([0.1, 0.3])
    assert [board.signal(world) for world in board.worlds] == [True, True, True, False]
    assert math.isnan(board.mean("a", "Nobody"))


def test_a_standing_by_hand(board):
    """Mine is best in a and c; ties of d go to the first; it loses most over zero in b."""
    mine, other = (standing(board, one, "Mine") for one in ("Mine", "Other"))
    assert (mine.worlds, mine.wins, mine.beats_zero) == (4, 3, 2)
    assert (other.wins, other.beats_zero) == (1, 2)
    assert mine.relative == pytest.approx(0.5)  # of 0.25, 1.4, 0.5
    assert mine.lost == pytest.approx((0.2 + 0.7 + 0.5 + 0) / 4)
    assert (mine.excess.value, mine.excess.world) == (pytest.approx(0.2), "b")
    assert (mine.regret.value, mine.regret.world) == (pytest.approx(0.5), "b")
    assert (other.excess.value, other.excess.world) == (pytest.approx(1.0), "c")
    assert (other.regret.value, other.regret.world) == (pytest.approx(3.0), "c")


def test_regret_counts_rivals_that_beat_zero_alone(board):
    """In c nobody but Mine does: no regret for Mine; in d nobody does."""
    assert math.isnan(regret(board, "c", "Mine", ("Mine", "Other")))
    assert math.isnan(regret(board, "d", "Other", ("Mine", "Other")))
    assert regret(board, "a", "Mine", ("Mine", "Other")) == pytest.approx(0.4 / 0.6 - 1)


def test_a_duel_by_hand(board):
    """2 won, 1 lost, 1 tied; the ratio is a geometric mean."""
    found = duel(board, "Mine", "Other")
    assert (found.won, found.lost) == (("a", "c"), ("b",))
    assert (found.significantly_won, found.significantly_lost) == ((), ())
    assert found.sign == pytest.approx(1.0)  # of three: 2 (3 + 1)/8
    ratio = (0.4 / 0.6) * (1.2 / 0.8) * (0.5 / 2.0) * 1
    assert found.ratio == pytest.approx(ratio**0.25)


def test_losses_by_hand(board):
    """One world: 0.4 of zero's error, by both repeats."""
    (loss,) = losses(board, "Mine")
    assert (loss.world, loss.rival) == ("b", "Other")
    assert loss.share == pytest.approx(0.4)
    assert loss.pair.counts == (0, 2)
    assert loss.pair.standard_error == pytest.approx(0.1)  # of 0.3 and 0.5
    assert losses(board, "Other")[0].world == "c"


def test_paired_tests_by_hand():
    """Sign: 2^-4 of five alike. Signed ranks of 1, 2, -3, 4, 5 sum to 3 and 12: P(<= 3) = 5/32."""
    alike = Paired(np.array([-1.0, -2, -3, -4, -5]))
    assert alike.counts == (5, 0)
    assert alike.sign == alike.wilcoxon == pytest.approx(2 / 32)
    assert alike.mean == -3
    assert alike.standard_error == pytest.approx(math.sqrt(2.5 / 5))
    assert alike.verdict == 0
    assert Paired(-np.arange(1.0, 7)).verdict == -1  # 2/64
    assert Paired(np.arange(1.0, 7)).verdict == 1
    mixed = Paired(np.array([1.0, 2, -3, 4, 5]))
    assert mixed.wilcoxon == pytest.approx(2 * 5 / 32)
    assert mixed.sign == pytest.approx(2 * 6 / 32)
    tied = Paired(np.zeros(4))
    assert (tied.sign, tied.wilcoxon, tied.counts, tied.verdict) == (1, 1, (0, 0), 0)
    assert Paired(np.array([0.0, 0, -1, -2])).counts == (2, 0)
    assert math.isinf(Paired(np.array([1.0])).standard_error)
    assert sign_test(0, 0) == 1
    assert sign_test(8, 2) == pytest.approx(2 * 56 / 1024)


def test_the_p_of_a_chosen_rival_by_hand():
    """One rival, three repeats ahead: 1/8. The same rival twice changes nothing; one that is as far
    ahead the other way round doubles it; more standard errors, a smaller p.
    """
    ahead = np.array([[1.0], [1.0], [1.0]])
    assert chosen(ahead, 0) == pytest.approx(1 / 8)
    assert chosen(np.hstack([ahead, ahead]), 1) == pytest.approx(1 / 8)
    assert chosen(np.hstack([ahead, -ahead]), 0) == pytest.approx(2 / 8)
    mixed = np.array([[3.0, 1.0], [-1.0, 1.0], [3.0, 1.0]])  # sums 5/sqrt 19 and sqrt 3
    assert chosen(mixed, 1) == pytest.approx(1 / 8)
    assert chosen(mixed, 0) == pytest.approx(2 / 8)  # of the signs: +++ and +-+, 7/sqrt 19
    assert chosen(np.zeros((4, 2)), 0) == 1


@pytest.mark.parametrize("repeats", [6, 14])
def test_a_chosen_rival_is_rarely_ahead_by_chance(repeats):
    """Eight equal rivals, 400 boards: the best of them has a p below 5% in 5% of them."""
    rng = np.random.default_rng(repeats)
    errors = rng.standard_normal((400, repeats, 9)) ** 3
    differences = errors[:, :, :1] - errors[:, :, 1:]
    found = [chosen(one, int(np.argmax(one.mean(axis=0)))) for one in differences]
    assert np.mean(np.array(found) < 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert np.mean(np.array(found) < 0.5) > 0.2


def test_held_out_errors_by_hand():
    """On even repeats A is best, on odd ones B: A is compared on odd ones and B on even ones. The
    flagship's errors sum to 4, those of the selected rivals to 0.6 + 0.7 + 0.8 + 0.9 = 3.
    """
    made = {
        "ZeroPredictor": [2, 2, 2, 2],
        "Mine": [1, 1, 1, 1],
        "A": [0.5, 0.7, 0.5, 0.9],
        "B": [0.6, 0.5, 0.8, 0.5],
    }
    (board,) = boards(records({"a": made}))
    held = HeldOut.of(board, "a", "Mine")
    assert set(held.selected) == {"A", "B"}
    assert held.ratio == pytest.approx(4 / 3)
    left = 1 - 4 / 3 * np.array([0.6, 0.7, 0.8, 0.9])
    assert held.standard_error == pytest.approx(np.std(left, ddof=1) / 2 / 0.75)
    assert tables.held_out(held) == f"1.33 ± {held.standard_error:.2g}"


def test_held_out_errors_need_repeats_and_a_rival_that_beats_zero(board):
    """Two repeats are too few; zero selected on one half is compared on the other."""
    assert math.isnan(HeldOut.of(board, "b", "Mine").ratio)
    zero = {"ZeroPredictor": [1.0] * 4, "Mine": [2.0] * 4}
    (worse,) = boards(records({"a": {**zero, "A": [1.5, 1.5, 1.5, 1.5]}}))
    assert math.isnan(HeldOut.of(worse, "a", "Mine").ratio)
    (once,) = boards(records({"a": {**zero, "A": [0.5, 1.5, 0.5, 1.5]}}))
    held = HeldOut.of(once, "a", "Mine")
    assert held.selected == ("ZeroPredictor", "A")
    assert held.ratio == pytest.approx(8 / (1 + 1.5 + 1 + 1.5))


def test_the_best_of_equal_rivals_is_ahead_by_selection_alone():
    """Twelve methods of one law: the best rival's error is smaller on the repeats that select it,
    and held out it is not (200 boards of 6 repeats).
    """
    rng, plain, held = np.random.default_rng(5), [], []
    for _ in range(200):
        errors = 1 + 0.2 * rng.standard_normal((12, 6))
        made = {"ZeroPredictor": [9.0] * 6, "Mine": errors[0]}
        made |= {f"R{k}": one for k, one in enumerate(errors[1:])}
        (board,) = boards(records({"a": made}))
        plain.append(1 + regret(board, "a", "Mine", competing(board, "Mine")))
        held.append(HeldOut.of(board, "a", "Mine").ratio)
    assert np.mean(plain) > 1.1
    assert abs(np.mean(held) - 1) < 4 * np.std(held) / np.sqrt(200)


def test_worlds_beyond_what_is_allowed(board):
    """b: 1.2 against 0.8, and against zero's 1. In c only Mine beats zero."""
    assert beyond(board, "Mine") == (["b"], ["b"])
    assert beyond(board, "Other") == (["a", "c"], ["c"])


def test_pairs_are_of_common_repeats():
    """A repeat that one lacks counts for nobody."""
    made = [*records(MADE_UP), record("a", "Mine", 2, [9.0, 9.0])]
    (found,) = boards(made)
    assert found.differences("a", "Mine", "Other") == pytest.approx([-0.3, -0.1])
    assert found.repeats == (2, 3)


def test_the_margin_by_hand():
    """Ratios of the steps multiply, and gains add, to the whole; all ways the same."""
    zero = {"ZeroPredictor": 1.0, "Ridge": 0.1, "OLS": 0.1}
    errors = {
        "AdaSSPWangMirrored": 1.0,
        "AdaSSPWang": 0.8,
        "AdaSSPWangRecalibrated": 0.5,
        "AdaSSP": 0.4,
        "AdaSSP@AdaSSPWang": 0.64,
        "Mine": 0.2,
        "Mine@AdaSSPWang": 0.3,
    }
    halves = {name: error / 2 for name, error in errors.items()}
    without = {**zero, "Mine": 0.9}
    (found,) = boards(records({"a": zero | errors, "b": zero | halves, "c": without}))
    first, other, second = (steps(found, path) for path in paths("Mine"))
    assert [one.ratio for one in first] == pytest.approx([0.8, 0.625, 0.8, 0.5])
    assert [one.gained for one in first] == pytest.approx([0.15, 0.225, 0.075, 0.15])
    assert [one.ratio for one in other] == pytest.approx([0.8, 0.625, 0.5])
    assert [one.ratio for one in second] == pytest.approx([0.375, 2 / 3])
    for path in (first[1:], other, second):
        assert np.prod([one.ratio for one in path]) == pytest.approx(0.25)
        assert sum(one.gained for one in path) == pytest.approx(0.45)
    assert competing(found, "Mine") == (
        "Mine",
        "AdaSSPWangMirrored",
        "AdaSSPWang",
        "AdaSSP",
    )
    assert steps(boards(records(MADE_UP))[0], paths("Mine")[0]) == []


def test_boards_are_apart_and_baselines_stand_on_all():
    """Another epsilon, another bounds: boards of their own, in order."""
    made = records(MADE_UP)
    other = [record("a", "Mine", 0, [0.7, 0.9], epsilon=0.1)]
    stated = [record("a", "Mine", 0, [0.1, 0.1], bounds="stated")]
    found = boards([*made, *other, *stated])
    heads = [(one.heading.bounds, one.heading.epsilon) for one in found]
    assert heads == [("paper", 0.1), ("paper", 1.0), ("stated", 1.0)]
    assert found[0].worlds == ("a",)
    assert found[0].mean("a", "Mine") == pytest.approx(0.8)
    assert found[0].relative("a", "Mine") == pytest.approx(0.6 / 0.8)
    assert found[2].methods == ("Mine",)


def test_the_last_version_counts():
    """Results of an older graph are left out."""
    made = [*records(MADE_UP), record("a", "Mine", 0, [0.9, 0.9], version="v2")]
    (found,) = boards(made)
    assert found.mean("a", "Mine") == pytest.approx(0.9)
    assert not found.has("b", "Mine")
    assert found.has("b", "Other")


def test_tables_say_the_numbers(board):
    """Every table of the page, at the cells that were computed above."""
    rows = {line.split("|")[1].strip(): line for line in tables.standings(board, "Mine")}
    cells = [cell.strip() for cell in rows["`Mine`"].split("|")[2:-1]]
    assert cells == ["4", "3", "2", "0.5", "0.35", "0.2 (b)", "0.5 (b)"]
    lost = list(tables.lost(board, "Mine"))
    assert lost[2] == "| b | `Other` | 0.4 | 0.1 | 40% | 0 : 2 | 1.5 | 0.25 | - |"
    duels = list(tables.duels(board, "Mine"))
    assert duels[2].startswith("| `Other` | 2 : 1 | 0 : 0 | 1 |")
    errors = {line.split("|")[1].strip(): line for line in tables.errors(board)}
    assert "**0.4**" in errors["a"]
    assert "**0.8**" in errors["b"]
    assert "d °" in errors
    assert list(tables.margin(board, "Mine")) == []
    (winner,) = boards(records({"a": MADE_UP["a"]}))
    assert "no world of this board" in next(iter(tables.lost(winner, "Mine"))).lower()


def test_the_page_says_where_the_flagship_loses(tmp_path):
    """The page and its figure, and the command of every number; the same again."""
    folder = Results(tmp_path / "out")
    folder.mend()
    folder.append(records(MADE_UP))
    target = tmp_path / "docs" / "contest.md"
    target.parent.mkdir()
    files = page.written(folder, target, "Mine")
    assert files == [target, target.parent / "images/contest/uci-paper-add-remove-1e-06-1.svg"]
    text, figure = target.read_text(), files[1].read_text()
    assert text.startswith("# The contest")
    assert "NOT PRIVATE" in text
    assert "## Where Mine loses" in text
    assert "| uci, paper bounds, epsilon 1, delta 1e-06 | 4 | 1 | 0 | 40% (b) |" in text
    assert "(images/contest/uci-paper-add-remove-1e-06-1.svg)" in text
    assert "--sets a,b,c,d" in text
    assert "--methods Mine,Other" in text
    assert "--repeats 2 --folds 2 --seed 0" in text
    assert "R^2 lost" not in text
    page.written(folder, target, "Mine")
    assert (target.read_text(), files[1].read_text()) == (text, figure)
    page.written(folder, target, "Mine", "on 1 May 2026")
    title, rest = text.split("\n\n", 1)
    assert target.read_text() == f"{title}\n\nThese boards were run on 1 May 2026.\n\n{rest}"
    page.written(folder, target, "Nobody")
    assert "Nobody did not enter." in target.read_text()


def test_a_page_of_synthetic_worlds(tmp_path):
    """The R^2 that is lost: median and mean over repeats, against least squares."""
    made = {"n=9,d=1,cond=1": {"ZeroPredictor": [1.0] * 4, "OLS": [0.2] * 4}}
    made["n=9,d=1,cond=1"]["Mine"] = [0.2, 0.3, 0.5, 1.2]
    lines = [{**one, "family": "synthetic", "bounds": "known"} for one in records(made)]
    (board,) = boards(lines)
    assert board.reference == "OLS"
    row = list(tables.r2_lost(board))[2]
    assert row == "| n=9,d=1,cond=1 | 0.8000 (0.8000) | 0.2000 (0.3500) |"
    folder = Results(tmp_path)
    folder.append(lines)
    page.written(folder, tmp_path / "page.md", "Mine")
    text = (tmp_path / "page.md").read_text()
    assert row in text
    assert "equal part of the signal in every principal direction" in text
    assert "--worlds synthetic \\\n  --epsilon 1" in text


def test_a_page_of_nothing_is_refused(tmp_path):
    """With the way out."""
    with pytest.raises(dp.InvalidArgument, match="Run the contest"):
        page.written(Results(tmp_path), tmp_path / "page.md", "Mine")


def test_what_is_printed_is_labelled(board):
    """Every line; the flagship against others."""
    lines = [*shown.summary([board], "Mine"), *shown.table(board)]
    lines += shown.left_out({"X at epsilon 1": "broken"})
    lines += shown.speed({"SSP": 0.5}, {"SSP": 100})
    assert all(line.startswith("NOT PRIVATE") for line in lines)
    assert any("Other" in line and "2:1" in line for line in lines)
    assert any("milliseconds a fit: SSP 5" in line for line in lines)
    assert "NOT PRIVATE  no signal: d" in lines


def test_losses_are_of_common_repeats():
    """A third repeat that the rival lacks changes no comparison, whatever its error."""
    made = [*records(MADE_UP), record("a", "Mine", 2, [9.0, 9.0])]
    (found,) = boards(made)
    assert found.mean("a", "Mine") > found.mean("a", "Other")
    assert [loss.world for loss in losses(found, "Mine")] == ["b"]


def test_steps_are_of_common_repeats():
    """A repeat that a method of the path lacks moves no step."""
    errors = {"AdaSSPWang": [0.8] * 2, "AdaSSP@AdaSSPWang": [0.8] * 2, "AdaSSP": [0.4, 9.0]}
    made = records({"a": {"ZeroPredictor": [1.0] * 2, "Ridge": [0.1] * 2, **errors, "Mine": [0.2]}})
    (found,) = boards(made)
    told = steps(found, paths("Mine")[1])
    assert [one.ratio for one in told] == pytest.approx([1, 0.5, 0.5])
    assert duel(found, "Mine", "AdaSSP").ratio == pytest.approx(0.5)
    assert found.common("a", "Mine", "AdaSSP") == (0,)
