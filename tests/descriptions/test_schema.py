"""The schema for editors is made of the code, and says of files what the reader says."""

import json
import re
import tomllib
import warnings

import pytest

import dpframe as dp
from dpframe.audits.descriptions import json_schema
from tests.descriptions.hostile.cases import GOOD
from tests.descriptions.pages import EXAMPLES, PAGE, SCHEMA, page, schema

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from jsonschema import Draft202012Validator

FILES = sorted(EXAMPLES.iterdir())


def test_the_schema_is_fresh():
    """Otherwise: run python -m tests.descriptions.pages."""
    assert SCHEMA.read_text("utf-8") == schema()


def test_the_tables_of_the_page_are_fresh():
    """Otherwise: run python -m tests.descriptions.pages."""
    text = PAGE.read_text("utf-8")
    assert page(text) == text


def test_it_is_a_schema():
    """Of the draft that it names."""
    Draft202012Validator.check_schema(json_schema())


def loaded(path):
    """The file as editors load it."""
    return tomllib.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_accepts_every_example(path):
    """And each names it in its first line, for an editor that opens it."""
    Draft202012Validator(json_schema()).validate(loaded(path))
    first = path.read_text("utf-8").split("\n")[0]
    place = re.search(r"(\.\./[\w./]+schema\.json)", first)[1]
    assert json.loads((path.parent / place).read_text("utf-8")) == json_schema()


@pytest.mark.parametrize(
    "change",
    [
        ("relation", "relatoin"),
        ('"add-remove"', '"both"'),
        ("std", "stdev"),
        ('"gaussian"', '"normal"'),
        ('name = "gram"\n', ""),
        ('title = "t"', "title = 5"),
        ("norm = 1", "norm = true"),
        ("norm = 1", "side = 1"),
    ],
)
def test_it_refuses_what_the_reader_refuses(change):
    """Before the file is audited."""
    text = GOOD.replace(*change, 1)
    assert list(Draft202012Validator(json_schema()).iter_errors(tomllib.loads(text)))
    with pytest.raises(dp.InvalidArgument):
        dp.audits.parse_description(text)
