"""The pages about descriptions, and their examples."""

import re
from itertools import product

import mpmath
import pytest

import dpframe as dp
from tests.descriptions.hostile.cases import HEAD
from tests.descriptions.pages import EXAMPLES, PAGE, page

# ------------------------------------- Every block of the two pages is run, or found in what is run
GUIDE = PAGE.with_name("from-paper-to-page.md")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(path):
    """(language, text) of every block."""
    return BLOCK.findall(path.read_text("utf-8"))


def audit(found):
    """The audit of the file's claim."""
    return dp.audit(
        found.regression, target=found.target, setting=found.setting, accountant=found.accountant
    )


def test_the_guide_is_followed_to_the_end(tmp_path):
    """Each change of the file is made, and each line that the guide shows is printed."""
    kinds = [kind for kind, _ in blocks(GUIDE)]
    assert kinds == ["toml", "bash", "text", "toml", "text", "text", "toml", "text"]
    path = tmp_path / "analyze_gauss.toml"
    printed = ""
    for kind, text in blocks(GUIDE):
        if kind == "toml" and "title" in text:
            assert text == (EXAMPLES / "analyze_gauss.toml").read_text("utf-8")
            path.write_text(text)
        elif kind == "toml":
            path.write_text(with_lines(path.read_text(), text))
        elif kind == "text":
            for line in text.strip("\n").split("\n"):
                assert line in printed
            continue
        found = dp.audits.read_description(path)
        claims = "\n".join(map(str, found.claimed_sensitivities))
        printed = f"{audit(found)}\n{claims}"


def with_lines(text, lines):
    """The file with lines of the same keys replaced; noise that is sized anew is sized once."""
    for line in lines.strip().split("\n"):
        key = "std" if line.startswith("calibration") else line.split(" =")[0]
        text, many = re.subn(rf"(?m)^{key} = .*$", line.replace("\\", ""), text)
        assert many == 1
    return text


def test_the_numbers_of_the_guide():
    """The stds that it compares, of the three calibrations."""
    text = GUIDE.read_text("utf-8")
    base = (EXAMPLES / "analyze_gauss.toml").read_text("utf-8")
    sized = with_lines(base, 'mechanism = "gaussian"\ncalibration = "analytic"')
    stds = [
        audit(dp.audits.parse_description(one)).lines[0].size
        for one in (sized.replace("add-remove", "replace-one"), sized, base)
    ]
    shown = re.search(r"std of ([\d.]+) where .*?, and ([\d.]+) where .*?\nagainst ([\d.]+)", text)
    assert [float(one) for one in shown.groups()] == pytest.approx(stds, rel=1e-3)


@pytest.mark.parametrize("index", range(5))
def test_the_blocks_of_the_reference(index, tmp_path, monkeypatch, capsys):
    """The file is read, the program runs, the release without a rule fits into a file."""
    kind, text = blocks(PAGE)[index]
    assert len(blocks(PAGE)) == 5
    if kind == "python":
        (tmp_path / "gram.toml").write_text(blocks(PAGE)[0][1])
        monkeypatch.chdir(tmp_path)
        exec(compile(text, "describing.md", "exec"), {"dp": dp})
        assert "Proved. All that is released satisfies" in capsys.readouterr().out
    else:
        whole = text if "title" in text else HEAD + text
        assert dp.audits.parse_description(whole).graph.releases


def test_the_command_of_the_guide_is_a_command():
    """It takes the file and writes the page."""
    (command,) = (text.split() for kind, text in blocks(GUIDE) if kind == "bash")
    assert command[:2] == ["dpframe", "audit"]
    assert (EXAMPLES / command[2]).is_file()
    assert command[3] == "--html"


def test_every_example_is_listed():
    """With what becomes of it."""
    text = PAGE.read_text("utf-8")
    for path in EXAMPLES.iterdir():
        assert f"(examples/{path.name})" in text


# ---------------------------------------------------------------- The descriptions in docs/examples
TOML = sorted(path for path in EXAMPLES.iterdir() if path.suffix == ".toml")


def described(name):
    """The description and its audit."""
    found = dp.audits.read_description(EXAMPLES / name)
    return found, audit(found)


@pytest.mark.parametrize("path", TOML, ids=lambda path: path.name)
def test_every_example_is_read(path):
    """With a title, a source and a verdict."""
    found, done = described(path.name)
    assert found.title
    assert found.citation
    assert str(done.verdict) in {"proved", "refuted"}
    assert f'"{found.title}"' in done.sentence


def test_it_is_the_declaration_that_dpframe_ships():
    """By exact algebra, as printed by the paper and as shipped, for all parameter values."""
    found, done = described("adassp.toml")
    shipped = dp.audit(dp.literature.AdaSSPWang(), target=found.target, setting=found.setting)
    assert done.joint_epsilon == shipped.joint_epsilon
    assert [line.size for line in done.lines] == [line.size for line in shipped.lines]


def test_noisy_stats_holds_on_its_papers_word():
    """For every epsilon and n; three sensitivities are assumed by name, as the sentence says."""
    found, done = described("noisy_stats.toml")
    assert str(done.verdict) == "proved"
    assert found.trusted == ("ncov", "nvar", "intercept")
    for name in found.trusted:
        assert sum(f"sensitivity of {name} is stated" in one for one in done.assumptions) == 1
    assert "if what is stated of ncov, nvar and intercept is true" in done.sentence
    assert "N in [2, inf) whole" in done.sentence


def _moved(statistic, n):
    """How far one exchanged record moves a statistic of n records with coordinates 0, 1/2, 1."""
    records = list(product((0, 0.5, 1), repeat=2))
    worst = 0
    for rest in product(records, repeat=n - 1):
        values = [statistic([*rest, last]) for last in records]
        worst = max(worst, max(values) - min(values))
    return worst


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_stated_sensitivities_of_noisy_stats_hold_on_small_tables(n):
    """Sums around means move by 1 - 1/n, exactly; the intercept by (1 + |slope|)/n."""

    def ncov(records):
        means = [sum(column) / n for column in zip(*records, strict=True)]
        return sum((x - means[0]) * (y - means[1]) for x, y in records)

    def nvar(records):
        return ncov([(x, x) for x, _ in records])

    assert _moved(ncov, n) == pytest.approx(1 - 1 / n)
    assert _moved(nvar, n) == pytest.approx(1 - 1 / n)
    for slope in (-2, 0, 0.7):

        def intercept(records, slope=slope):
            return sum(y - slope * x for x, y in records) / n

        assert _moved(intercept, n) <= (1 + abs(slope)) / n + 1e-12


def test_labels_over_their_largest_are_refused_by_the_path():
    """y -> max_abs -> the divisor -> X'y."""
    found, done = described("labels_over_max.toml")
    assert str(done.verdict) == "refuted"
    rules = [one.rule for one in done.report.open_obligations]
    assert any("y -> clip to [-10, 10] -> max_abs -> divisor of" in rule for rule in rules)
    assert any("X'y" in rule for rule in rules)
    assert [one.verdict for one in found.claimed_sensitivities] == ["no rule"]


def test_a_certificate_of_a_description_is_a_file(tmp_path):
    """Saved, loaded by proving it again, and checked by the standalone checker."""
    from tests.support.checking import main

    found = dp.audits.read_description(EXAMPLES / "adassp.toml")
    text = (EXAMPLES / "adassp.toml").read_text().replace("mirrored gaussian", "gaussian")
    plain = dp.audits.parse_description(text)
    for one in (found, plain):
        certificate = dp.certify(one.regression, target=one.target, setting=one.setting)
        certificate.save(tmp_path / "c.json")
        assert dp.load(tmp_path / "c.json").hash == certificate.hash
    assert main([str(tmp_path / "c.json"), "--expect", certificate.hash]) == 0


def changed(name, old, new):
    """The verdict of an example with a line changed."""
    text = (EXAMPLES / name).read_text()
    assert old in text
    return str(audit(dp.audits.parse_description(text.replace(old, new))).verdict)


def test_pates_votes_cost_two_gamma_a_query():
    """A vote that changes moves two counts apart by 2; with half of that noise it is refuted."""
    _, done = described("pate_lnmax.toml")
    (line,) = done.lines
    assert line.exact_epsilon == pytest.approx(2 / 20, rel=1e-9)
    assert changed("pate_lnmax.toml", "epsilon = 10", "epsilon = 9.99") != "proved"
    assert changed("pate_lnmax.toml", 'scale = "1/gamma"', 'scale = "1/(2*gamma)"') == "unproved"
    assert changed("pate_lnmax.toml", 'relation = "replace-one"', 'relation = "add-remove"') == (
        "proved"
    )


def test_a_tree_and_a_square_root_have_their_column_norms():
    """11 levels, and the sum of the squares of binom(2k, k)/4^k, by mpmath."""
    _, done = described("tree_counts.toml")
    square = mpmath.fsum((mpmath.binomial(2 * k, k) / mpmath.mpf(4) ** k) ** 2 for k in range(1024))
    tree, root = (line.size for line in done.lines)
    assert tree == pytest.approx(11**0.5, rel=1e-9)
    assert root == pytest.approx(float(mpmath.sqrt(square)), rel=1e-6)
    assert changed("tree_counts.toml", "11/(2*(rho/2))", "10.99/(2*(rho/2))") != "proved"


def test_coinpress_spends_a_quarter_and_the_rest():
    """rho = (2 r/n)^2/(2 variance) of each step; where n is private, it is no statistic."""
    name = "coinpress_mean.toml"
    assert str(described(name)[1].verdict) == "proved"
    assert changed(name, "(2*20/max(n, 1))^2", "(20/max(n, 1))^2") != "proved"
    assert changed(name, "clip(y - m1, 20)", "clip(y - m1, 21)") != "proved"
    with pytest.raises(dp.InvalidArgument, match="a statistic of X and y"):
        changed(name, 'relation = "replace-one"', 'relation = "add-remove"')


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tested_median(bins, 2, distance)", "tested_median(bins, 3, distance)"),
        ("median_distance(bins, 2)", "median_distance(bins, 3)"),
        ('scale = "2*2/epsilon"', 'scale = "2/epsilon"'),
        ('scale = "2/epsilon"', 'scale = "1/epsilon"'),
        ('fails = "delta"', 'fails = "2*delta"'),
        ('relation = "add-remove"', 'relation = "replace-one"'),
    ],
)
def test_the_tested_median_pays_for_its_test(old, new):
    """With another radius, less noise, or a failure above delta it is not proved."""
    assert changed("ptr_median.toml", old, new) != "proved"


def test_the_tables_of_the_page_are_fresh():
    """Otherwise: run python -m tests.descriptions.pages."""
    text = PAGE.read_text("utf-8")
    assert page(text) == text
