"""Formulas over a codebook: bounds by brute force, rows that are read by themselves, the model of
the formula, what is refused.
"""

import itertools
from fractions import Fraction

import attrs
import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from dpframe.audits.conformance.statistics import worth
from dpframe.errors import BadData, InvalidArgument, MissingExtra
from dpframe.estimators.units import AffineScale, linear
from dpframe.graph.formulas import described, right_side
from tests.support import checking as check

formulaic = pytest.importorskip("formulaic")

BOOK = (
    dp.Numeric("y", -20, 20),
    dp.Numeric("a", 0, 10),
    dp.Numeric("b", -3, 1),
    dp.Numeric("z", "-0.7", "0.7"),
    dp.Categorical("two", ["no", "yes"]),
    dp.Categorical("three", [1, 2, 3], baseline=2),
    dp.Categorical("four", ["p", "q", "r", "s"]),
)
SPREAD = {
    "a": [-99, 0, 3.3, 10, 1e300],
    "b": [-4, -3, 0.1, 1],
    "z": [-0.7, 0.3, 0.7],
    "two": ["no", "yes", "?"],
    "three": [1, 2, 3, 9],
    "four": ["p", "q", "r", "s", None],
}
FORMULAS = [
    "y ~ a + C(two) + b:C(two)",
    "y ~ a*b*z",
    "y ~ a*three + four",
    "y ~ C(two):C(three)",
    "y ~ (a + b + two + three)**2",
    "y ~ 0 + z:four",
    "y ~ z/two + a",
    "y ~ three*four*b",
    "y ~ .",
]


def setting(formula, **more):
    """Of the whole codebook."""
    given = {"relation": dp.ADD_REMOVE} | more
    return dp.Setting.from_formula(formula, BOOK, **given)


def coded(rows, table):
    """What the statistics see: every map of the setting, by itself."""
    node, steps = rows.node(dp.Setting(X=rows, relation=dp.ADD_REMOVE).unit), []
    while node.inputs:
        steps.append(node)
        node = node.inputs[0]
    levels = [getattr(part, "levels", None) for part in rows.columns]
    block = np.column_stack(
        [
            table[part.name].to_numpy(float)
            if own is None
            else [own.index(cell) if cell in own else -1 for cell in table[part.name]]
            for part, own in zip(rows.columns, levels, strict=True)
        ]
    ).astype(float)
    for step in reversed(steps):
        block = step.apply(block, float)
    return block


def corners(rows):
    """Every combination of cells inside and outside the bounds."""
    kept = [SPREAD[name] for name in rows.names]
    return pd.DataFrame(list(itertools.product(*kept)), columns=list(rows.names), dtype=object)


def even(n, seed=0):
    """Rows inside every bound."""
    rng = np.random.default_rng(seed)
    columns = {
        part.name: rng.choice(np.array(part.levels, dtype=object), n)
        if isinstance(part, dp.Categorical)
        else rng.uniform(float(part.lower), float(part.upper), n)
        for part in BOOK
    }
    return pd.DataFrame(columns)


def square(row):
    """Of the length of a row of doubles, exactly."""
    return sum((Fraction(entry) ** 2 for entry in row.tolist()), Fraction(0))


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_row_is_longer_than_is_proved(formula):
    """At corners, and for cells outside the bounds, as the doubles are stored; and attained."""
    rows, _ = described(formula, BOOK)
    table = corners(rows)
    picked = table if len(table) <= 900 else table.sample(900, random_state=1)
    seen = coded(rows, picked)
    node = rows.node(dp.Setting(X=rows, relation=dp.ADD_REMOVE).unit)
    squares = [square(row) for row in seen]
    claimed = len(rows.parts) + rows.intercept
    assert worth(node.norm, 1) == pytest.approx(np.sqrt(claimed), rel=1e-15)
    assert max(squares) <= claimed
    assert float(max(squares)) == pytest.approx(claimed, rel=1e-12)
    assert np.abs(seen).max() <= 1
    assert np.abs(seen).sum(axis=1).max() <= worth(node.norm1, 1) * (1 + 1e-15)
    assert seen.shape[1] == rows.width == node.columns.value


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_row_of_the_design_is_made_of_its_own_row_alone(formula):
    """The same bits alone, in another order, and beside rows of other levels and sizes."""
    rows, _ = described(formula, BOOK)
    table, others = even(40), corners(rows).sample(60, replace=True, random_state=2)
    whole = coded(rows, table)
    order = np.random.default_rng(3).permutation(len(table))
    assert np.array_equal(coded(rows, table.iloc[order]), whole[order])
    beside = pd.concat([others, table[list(rows.names)].astype(object), others])
    assert np.array_equal(coded(rows, beside)[60:100], whole)
    for i in range(0, 40, 7):
        assert np.array_equal(coded(rows, table.iloc[i : i + 1])[0], whole[i])


@pytest.mark.parametrize("formula", FORMULAS)
def test_the_model_is_that_of_the_formula(formula):
    """Columns span what those of formulaic span, on a table where every level occurs."""
    rows, _ = described(formula, BOOK)
    table = even(400)
    typed = table.assign(three=table["three"].astype(str))
    written = formula.replace(".", "a + b + z + two + three + four")
    theirs = np.asarray(formulaic.Formula(written).rhs.get_model_matrix(typed), dtype=float)
    ours = coded(rows, table)
    rank = np.linalg.matrix_rank(ours)
    assert rank == ours.shape[1] == np.linalg.matrix_rank(theirs)
    assert np.linalg.matrix_rank(np.column_stack([ours, theirs / np.abs(theirs).max(0)])) == rank


@pytest.mark.parametrize("formula", FORMULAS)
def test_coefficients_are_of_products_of_columns_of_the_table(formula):
    """Named after them: differences from the baselines, slopes in units of the codebook."""
    rows, _ = described(formula, BOOK)
    table, seen = even(50), coded(rows, even(50))
    theta = np.random.default_rng(4).normal(size=rows.width)
    last = node = rows.node(dp.Setting(X=rows, relation=dp.ADD_REMOVE).unit)
    maps = []
    while node.inputs:
        maps.insert(0, node)
        node = node.inputs[0]
    found = linear(
        theta, tuple(maps), rows.names, AffineScale(), lambda formula: float(formula.value), last
    )
    wanted = np.full(len(table), found.intercept)
    for name, slope in zip(found.names, found.coefficients, strict=True):
        wanted += slope * np.prod([column(table, part) for part in name.split(":")], axis=0)
    assert wanted == pytest.approx(seen @ theta, abs=1e-11)
    assert len(set(found.names)) == len(found.names)
    for name, (length, text) in zip(found.names, found.ranges, strict=True):
        spans = [LENGTHS[part] for part in name.split(":") if part in LENGTHS]
        assert length == pytest.approx(np.prod(spans))
        assert text.count(" to ") == len(spans)


LENGTHS = {"a": 10, "b": 4, "z": 1.4}


def column(table, name):
    """A column of numbers, or the indicator of a level."""
    if "[" not in name:
        return table[name].to_numpy(float)
    own, level = name[:-1].split("[")
    return (table[own].astype(str) == level).to_numpy(float)


REFUSED = {
    "y ~ center(a)": "learn from the data",
    "y ~ scale(a)": "learn from the data",
    "y ~ bs(a, df=4)": "learn from the data",
    "y ~ poly(a, 2)": "learn from the data",
    "y ~ log(a)": "public rule of each row",
    "y ~ I(a**2)": 'dp.Numeric("a_2", lower, upper)',
    "y ~ {a + 1}": "public rule of each row",
    "y ~ np.exp(a)": "public rule of each row",
    "y ~ C(two, contr.sum)": "dp.Categorical('two', [...], baseline=...)",
    "y ~ Q('body mass')": "Write `body mass`.",
    "y ~ C('two')": "Write `two`.",
    "y ~ C(a)": "dp.Categorical('a'",
    "y ~ (a + b)**10000000": "with powers below 10",
    "y ~ 2*a": "names of the codebook",
    "y ~ nobody": "of columns of the codebook",
    "y ~ A": "Did you mean 'a'?",
    "y ~ a + y": "on the left only",
    "log(y) ~ a": "public rule",
    "y + a ~ b": "one label",
    "a + b": "charges ~ age",
    "~ a": "charges ~ age",
    "y ~ a | b": "charges ~ age",
    "y ~ 1": "at least one column",
    "y ~ a +": "misplaced",
    "y ~ log(a b)": "charges ~ age",
    "y ~ {a b}": "charges ~ age",
    "y ~ C(`a`b)": "charges ~ age",
    "": "charges ~ age",
    "three ~ a": "one of two classes",
    "y ~ 0 + a": "Add the intercept",
    "y ~ a:b": "Add b",
    "y ~ a + a:C(two)": "Add two",
}


@pytest.mark.parametrize("formula", REFUSED)
def test_what_is_no_formula_of_a_codebook_is_refused_in_a_sentence(formula):
    """With the way out."""
    with pytest.raises(InvalidArgument) as refusal:
        setting(formula)
    assert REFUSED[formula] in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "\x1b" not in str(refusal.value)


@pytest.mark.parametrize("formula", ["y ~ 0 + z", "y ~ 0 + z:four", "y ~ 0 + z:all"])
def test_a_label_is_centred_beside_a_constant_only(formula):
    """Otherwise the middle of its bounds would be a constant of the model that nobody wrote."""
    every = dp.Categorical("all", ["u", "v", "w"], baseline=None)
    described(formula, [*BOOK, every])
    with pytest.raises(InvalidArgument, match=r"y is centred.*Add the intercept"):
        described(formula, [dp.Numeric("y", -5, 20), *BOOK[1:], every])
    described("y ~ 0 + z + all", [dp.Numeric("y", -5, 20), *BOOK[1:], every])
    described("two ~ 0 + z", BOOK)


def test_a_right_side_may_stand_after_its_label():
    """And after no other name."""
    label = dp.Column("y", lower=-20, upper=20)
    assert right_side("y ~ a + two", BOOK[1:], label) == right_side("a + two", BOOK[1:], label)
    for formula in ("z ~ a", "~ a", "y ~ z ~ a"):
        with pytest.raises(InvalidArgument, match="of the label y, or without a left side"):
            right_side(formula, BOOK[1:], label)


@pytest.mark.parametrize("formula", [5, None, ["y ~ a"], "y ~ a" + " + a" * 5000])
def test_what_is_no_text_is_refused(formula):
    """By its kind."""
    with pytest.raises(InvalidArgument, match="formula must be"):
        setting(formula)


@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("y ~ 0 + all", [("all",)]),
        ("y ~ 0 + all + z", [("all",), ("z",)]),
        ("y ~ 0 + all + a", [("all",), ("a",)]),
        ("y ~ 0 + all + a*b", [("all",), ("a",), ("b",), ("a", "b")]),
        ("y ~ 0 + z:all", [("z", "all")]),
        ("y ~ 0 + z*all", [("all",), ("z", "all")]),
        ("y ~ 0 + two*all", [("all",), ("two", "all")]),
        ("y ~ 0 + all + a:all", [("all",), ("a", "all")]),
    ],
)
def test_a_category_without_a_baseline_keeps_a_column_for_each_level(formula, terms):
    """Without an intercept; what its columns sum to is in none of its own, so that a model is
    identified.
    """
    book = [*BOOK, dp.Categorical("all", ["u", "v", "w"], baseline=None)]
    rows, _ = described(formula, book)
    table = even(400).assign(all=np.tile(["u", "v", "w", "u"], 100))
    assert {*map(frozenset, rows.terms or zip(rows.names))} == {*map(frozenset, terms)}
    assert not rows.intercept
    theirs = np.asarray(formulaic.Formula(formula).rhs.get_model_matrix(table), dtype=float)
    ours = coded(rows, table)
    assert np.linalg.matrix_rank(ours) == ours.shape[1] == np.linalg.matrix_rank(theirs)
    assert np.linalg.matrix_rank(np.column_stack([ours, theirs])) == ours.shape[1]


def test_a_term_beside_its_product_with_all_levels_is_refused():
    """Its columns are sums of the others', whatever the table holds."""
    columns = [BOOK[3], dp.Categorical("all", ["u", "v"], baseline=None)]
    for terms in (["z", ("z", "all")], [("all", "z"), "z", "all"]):
        with pytest.raises(InvalidArgument, match="Leave z out"):
            dp.Rows(columns=columns, terms=terms)
    assert dp.Rows(columns=columns, terms=["all", "z"]).width == 3
    with pytest.raises(InvalidArgument, match="the levels of all and the intercept"):
        described("y ~ all", [*BOOK, columns[1]])


@pytest.mark.parametrize("name", ["1", "C(two)", "C(`two`)"])
def test_names_that_formulaic_takes_for_something_else_are_refused(name):
    """It merges `1` with the intercept, and `C(two)` with C(two), whatever the quotes."""
    with pytest.raises(InvalidArgument, match="named otherwise"):
        described(f"y ~ `{name}` + two", [*BOOK, dp.Numeric(name, 0, 1)])


def test_terms_are_checked():
    """Different, of known columns, and all of them."""
    columns = BOOK[1:3]
    for terms in (
        [],
        ["a"],
        ["a", "b", "c"],
        ["a", "b", ("a", "b"), ("b", "a")],
        [("a", "a"), "b"],
    ):
        with pytest.raises(InvalidArgument, match="terms"):
            dp.Rows(columns=columns, terms=terms)
    for terms in ("a", 3, [3], [()]):
        with pytest.raises(InvalidArgument, match="terms"):
            dp.Rows(columns=columns, terms=terms)
    with pytest.raises(InvalidArgument, match="terms"):
        dp.Rows(norm=1, terms=["a"])


def test_columns_alone_are_the_codebook_as_it_was():
    """No term, no key in the certificate: hashes stay."""
    plain = dp.Rows(columns=[BOOK[1], BOOK[4]], intercept=True)
    assert described("y ~ a + C(two)", BOOK)[0] == plain
    (node,) = [
        one for one in certificate("y ~ a + two").document["graph"]["nodes"] if "schema" in one
    ]
    assert "terms" not in node


def certificate(formula, **more):
    """Of the default regression."""
    target = dp.ApproxDP(1, "1e-6")
    return dp.certify(dp.SSP(), target=target, setting=setting(formula, **more))


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
def test_certificates_are_loaded_and_checked(tmp_path, relation):
    """By the kernel, which refuses terms that are none, and those that move sums more."""
    made = certificate("y ~ a*three + b:two + two", relation=relation)
    made.save(tmp_path / "c.json")
    assert dp.load(tmp_path / "c.json").hash == made.hash
    assert check.check(made.document).accepted
    for terms in ([], [[0], [0, 0]], [[0, 9]], [[True]], [[-1]], [[]], ["0"], 7):
        refused = check.check(check.bent(made.document, "encode", terms=terms))
        assert "term" in str(refused), terms
    more = [[0], [1], [2], [3], [0, 1], [1, 2], [0, 3]]
    assert not check.check(check.bent(made.document, "encode", terms=more)).accepted


def fitted(formula, table, **more):
    """With noise of a seed."""
    given = {"epsilon": 1, "delta": "1e-6", "rng": 0, "relation": dp.ADD_REMOVE} | more
    return dp.PrivateRegressor.from_formula(formula, BOOK, **given).fit(table)


def test_a_fit_by_formula_is_that_of_its_products():
    """With much budget, the coefficients of least squares; a prediction is the fitted formula."""
    table = even(20_000)
    table["y"] = 1 + table["a"] - 2 * table["b"] * (table["two"] == "yes")
    model = fitted("y ~ a + C(two) + b:C(two)", table, epsilon=1000)
    assert model.coef_names_ == ("a", "two[yes]", "b", "b:two[yes]")
    assert model.coef_ == pytest.approx([1, 0, 0, -2], abs=0.02)
    assert model.intercept_ == pytest.approx(1, abs=0.05)
    assert model.predict(table[:50]) == pytest.approx(table["y"][:50], abs=0.1)
    assert model.feature_names_in_.tolist() == ["a", "b", "two"]
    assert "b:two[yes]" in str(model.summary())


def test_levels_without_a_baseline_have_the_means_of_labels():
    """The constant of centred labels is theirs, also beside a centred number; R^2 is about the
    mean.
    """
    table = even(6_000).assign(all=np.tile(["u", "v", "w"], 2_000))
    table["y"] = 3 + 2.0 * (table["all"] == "v") + 0.5 * table["a"]
    every = dp.Categorical("all", ["u", "v", "w"], baseline=None)
    book = [dp.Numeric("y", -5, 20), *BOOK[1:], every]
    given = {"relation": dp.ADD_REMOVE, "epsilon": "1e8", "delta": "1e-6", "rng": 0}
    explained = table.groupby("all")["y"].mean().var(ddof=0) / table["y"].var()
    for formula, wanted, rsquared in (
        ("y ~ 0 + all", [5.5, 7.5, 5.5], explained),
        ("y ~ 0 + all + a", [3, 5, 3, 0.5], 1),
    ):
        model = dp.PrivateRegressor.from_formula(formula, book, **given).fit(table)
        law = model.inference()
        assert law.names == model.coef_names_
        assert model.intercept_ == 0
        for found in (model.coef_, law.params):
            assert dict(zip(law.names, found, strict=True)) == pytest.approx(
                dict(zip(("all[u]", "all[v]", "all[w]", "a"), wanted, strict=False)), abs=0.1
            )
        assert law.rsquared == pytest.approx(rsquared, abs=0.01)
        assert "constant" not in model.summary().header


def test_missing_cells_are_what_they_are_in_the_codebook():
    """A number or a level that is missing is refused, or its row dropped."""
    table = even(500)
    table.loc[3, "b"] = np.nan
    with pytest.raises(BadData, match="missing"):
        fitted("y ~ a + b", table)
    dropped = fitted("y ~ a*b", table, missing="drop")
    assert np.array_equal(dropped.coef_, fitted("y ~ a*b", table.drop(index=3)).coef_)
    assert fitted("y ~ a*two", table).n_features_in_ == 2  # b is not read
    table.loc[5, "two"] = None
    table.loc[6, "two"] = "of no name"
    with pytest.raises(BadData, match="column two of X must be one of its declared levels"):
        fitted("y ~ a*two", table)
    without = fitted("y ~ a*two", table.drop(index=[5, 6]))
    assert np.array_equal(fitted("y ~ a*two", table, missing="drop").coef_, without.coef_)


def test_two_classes_are_fitted_by_formula():
    """The label's levels are the classes."""
    table = even(2000)
    declared = dp.regressions.LogisticOutputPerturbation(penalty=5)
    model = dp.PrivateClassifier.from_formula(
        "two ~ a*b",
        BOOK,
        relation=dp.ADD_REMOVE,
        regression=declared,
        epsilon=9,
        delta="1e-6",
        rng=0,
    ).fit(table)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.coef_names_ == ("a", "b", "a:b")


def test_without_formulaic_it_says_what_to_install(monkeypatch):
    """By the name of the extra."""
    monkeypatch.setitem(__import__("sys").modules, "formulaic", None)
    with pytest.raises(MissingExtra, match=r"dpframe\[formulas\]"):
        setting("y ~ a")


def test_settings_print_their_terms():
    """And compare by them."""
    one, other = setting("y ~ a*b"), setting("y ~ a + b")
    assert one != other
    assert attrs.evolve(one, X=attrs.evolve(one.X, terms=None)) == other
    assert "['a', 'b']" in repr(one)
