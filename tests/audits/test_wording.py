"""Sentences with parts: nothing is read out of a finished sentence."""

import ast
import pickle
from fractions import Fraction
from pathlib import Path

import pytest

import dpframe
from dpframe.symbols import DELTA, EPSILON, constant, log
from dpframe.wording import (
    ANALYTIC,
    Cited,
    Code,
    Formula,
    Spelled,
    Text,
    accountant,
    capital,
    cited,
    digits,
    in_file,
    joined,
    parts_of,
    reference,
    release_of,
    say,
    written,
)

PACKAGE = Path(dpframe.__file__).parent
READERS = {  # modules with regular expressions, and what they read
    "audits/descriptions/algorithm.py": "names in the file of a description",
    "audits/descriptions/bounds.py": "ranges in the file of a description",
    "audits/descriptions/formulas.py": "formulas in the file of a description",
    "audits/descriptions/from_toml.py": "places in TOML's own messages",
    "audits/html/words.py": "formulas in the notation of declarations",
}
FOLDERS = ("audits", "prover", "literature")


def reads(path: Path) -> bool:
    """Whether a module imports regular expressions, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.partition(".")[0] in {"re", "regex", "fnmatch"} for name in names):
            return True
    return False


def test_no_regular_expression_reads_prose():
    """Make a sentence with `say`, and read its parts; a module that reads what a user wrote is
    named in READERS.
    """
    modules = [path for folder in FOLDERS for path in (PACKAGE / folder).rglob("*.py")]
    found = {path.relative_to(PACKAGE).as_posix() for path in modules if reads(path)}
    assert found == READERS.keys()


def test_a_sentence_is_its_parts():
    """Formulas, code and citations are found by their kind; the text is all of them."""
    text = say("use `dp.Laplace` below $delta$ = {}: {}", Fraction(1, 10**6), Cited("[A1, B 2]"))
    assert text == "use dp.Laplace below delta = 1e-6: [A1, B 2]"
    assert [part for part in text.parts if isinstance(part, Code)] == ["dp.Laplace"]
    assert [part for part in text.parts if isinstance(part, Formula)] == ["delta", "1e-6"]
    assert [*cited(text)] == ["A1"]
    again = pickle.loads(pickle.dumps(text))
    assert again.parts == text.parts
    assert [*map(type, again.parts)] == [*map(type, text.parts)]


def test_sentences_are_joined_by_their_parts():
    """By `+`, in a template, and with signs between them."""
    one = say("at {}", EPSILON)
    assert ("look " + one + " now").parts == ("look ", "at ", "epsilon", " now")
    assert say("({})", one).parts == ("(", "at ", "epsilon", ")")
    assert joined("; ", (one, "or not", DELTA)) == "at epsilon; or not; delta"
    assert capital(say("at {}", EPSILON)) == "At epsilon"
    assert capital(say("{} is code", Code("dp.x"))) == "dp.x is code"


def test_as_many_parts_as_holes():
    """A part too many or too few is an error of the code."""
    with pytest.raises(ValueError, match="argument"):
        say("{} and {}", 1)
    with pytest.raises(ValueError, match="argument"):
        say("{}", 1, 2)


def test_what_is_inserted_is_not_read():
    """Signs of the template have no meaning in a part."""
    assert parts_of(say("{}", "`a` $b$ {}")) == ("`a` $b$ {}",)


@pytest.mark.parametrize(
    ("advice", "python", "file"),
    [
        (ANALYTIC, "dp.Gaussian.analytic", '`calibration = "analytic"`'),
        (accountant("zcdp"), 'accountant="zcdp"', '`accountant = "zcdp"`'),
        (
            release_of("X.T @ X", "Laplace", "pure"),
            "dp.release(X.T @ X, dp.Laplace.pure, share)",
            'a [[release]] of it with `calibration = "pure"` and a share',
        ),
    ],
)
def test_advice_has_two_spellings(advice, python, file):
    """In Python, and as lines of a description; also inside of a longer sentence."""
    assert advice == python
    assert in_file(advice) == file
    whole = say("{}, or more noise.", advice)
    assert (whole, in_file(whole)) == (f"{python}, or more noise.", f"{file}, or more noise.")
    assert type(in_file(whole)) is Text
    assert not any(isinstance(part, Spelled) for part in in_file(whole).parts)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (log(constant("5/2") / DELTA), "log(5/(2*delta))"),
        (constant("1/3") / (EPSILON * DELTA), "1/(3*epsilon*delta)"),
        (constant("1/3") / EPSILON**2, "1/(3*epsilon^2)"),
        (constant("-2/3") / DELTA, "-2/(3*delta)"),
        (EPSILON / 3, "1/3*epsilon"),
        (2 / DELTA, "2/delta"),
    ],
)
def test_denominators_stand_together(formula, text):
    """Where all of a product but its number is below."""
    assert written(formula) == text


def test_numbers_and_citations():
    """Without a padded exponent; a citation apart from what is said of it."""
    assert [digits(8.848e-07, 4), digits(0.25), digits(1e12)] == ["8.848e-7", "0.25", "1e12"]
    text = reference("[KamathU20, Lem 2.4] up to 1")
    assert text.parts == ("[KamathU20, Lem 2.4]", " up to 1")
    assert [*cited(text)] == ["KamathU20"]
