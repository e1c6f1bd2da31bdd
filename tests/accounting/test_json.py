"""Compositions as text: what is written is read as an equal value, and nothing else is read."""

import inspect
import json
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.accountants import ACCOUNTANTS
from dpframe.accountants.document import kinds
from dpframe.pld.losses import PrivacyLoss
from dpframe.privacy import Guarantee
from tests.support import samples

GUARANTEES = [dp.PureDP("1/3"), dp.ApproxDP(2, "1e-9"), dp.GaussianDP(0), dp.ZeroConcentratedDP(1)]
LOSSES = [loss for several in samples.LOSSES.values() for loss in several]
FROZEN = (
    '{"schema":"dpframe-composition/1","relation":"replace_one","accountant":"numeric","parts":['
    '{"cost":"loss","kind":"gaussian","parameters":{"mu":"1/4"},"count":8},'
    '{"cost":"guarantee","kind":"approx","parameters":{"epsilon":"1","delta":"1/1000000"},'
    '"count":1}]}'
)


def whole():
    """What FROZEN says."""
    parts = ((dp.Gaussian(std=4), 8), dp.ApproxDP(1, "1e-6"))
    return dp.compose(*parts, relation=dp.REPLACE_ONE)


def test_the_schema_is_frozen() -> None:
    """What was written in November 2026 is read for ever."""
    assert dp.accountants.to_json(whole()) == FROZEN
    assert dp.accountants.from_json(FROZEN) == whole()
    assert (
        dp.accountants.from_json(json.dumps(json.loads(FROZEN), indent=2, sort_keys=True))
        == whole()
    )


@pytest.mark.parametrize("part", [*LOSSES, *GUARANTEES], ids=str)
def test_every_part_comes_back(part) -> None:
    """Equal value, equal type, to the last digit."""
    for count in (0, 1, 10**15):
        given = dp.compose((part, count))
        found = dp.accountants.from_json(dp.accountants.to_json(given))
        assert found == given
        assert type(found.parts[0].what) is type(part)


@pytest.mark.parametrize("accountant", ACCOUNTANTS, ids=lambda each: each.name)
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_relation_and_accountant_come_back(accountant, relation) -> None:
    """Of an empty composition too."""
    given = dp.compose(relation=relation, accountant=accountant)
    assert dp.accountants.from_json(dp.accountants.to_json(given)) == given


def test_what_is_read_costs_the_same() -> None:
    """To the last bit."""
    assert dp.accountants.from_json(FROZEN).epsilon("1e-5") == whole().epsilon("1e-5")


def test_a_certificate_and_a_mechanism_can_be_written() -> None:
    """As what they cost."""
    certificate = dp.certify(
        dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=samples.setting(dp.REPLACE_ONE)
    )
    found = dp.accountants.from_json(dp.accountants.to_json(certificate))
    assert found == dp.prover.together(certificate)
    assert dp.accountants.from_json(dp.accountants.to_json(dp.Laplace(scale=3))) == dp.compose(
        dp.Laplace(scale=3)
    )


def test_every_kind_is_known_once() -> None:
    """All final losses and guarantees of dpframe, under kinds of their own."""
    found = [*samples.final_subclasses(PrivacyLoss), *samples.final_subclasses(Guarantee)]
    assert {*found} == {*kinds().values()}
    assert len(found) == len(kinds())
    assert not any(inspect.isabstract(kind) for kind in found)


def change(**changes):
    """FROZEN with these keys of the document, or of its first part, changed; None removes."""
    document = json.loads(FROZEN)
    for name, value in changes.items():
        place = document if name in document else document["parts"][0]
        place[name] = value
        if value is None:
            del place[name]
    return json.dumps(document)


WRONG = {
    "no json": "{",
    "a list": "[]",
    "null": "null",
    "an unknown key": change(data=[1]),
    "an unknown key of the document": FROZEN[:-1] + ',"hint":1}',
    "another schema": change(schema="dpframe-composition/2"),
    "no schema": change(schema=None),
    "no relation": change(relation=None),
    "another relation": change(relation="swap"),
    "an unknown accountant": change(accountant="moments"),
    "an accountant of another type": change(accountant=["numeric"]),
    "parts as an object": change(parts={}),
    "parts as text": change(parts="gaussian"),
    "a part as text": change(parts=["gaussian"]),
    "an unknown kind": change(kind="cauchy"),
    "a kind of another type": change(kind=["gaussian"]),
    "another cost": change(cost="price"),
    "no count": change(count=None),
    "count true": change(count=True),
    "count 1.0": change(count=1.0),
    "count as text": change(count="8"),
    "a negative count": change(count=-1),
    "a huge count": change(count=2**62 + 1),
    "a gigantic count": FROZEN.replace('"count":8', '"count":1' + "0" * 5000),
    "nan": FROZEN.replace('"count":8', '"count":NaN'),
    "infinity": FROZEN.replace('"1/4"', "Infinity"),
    "nan as text": change(parameters={"mu": "nan"}),
    "a number": change(parameters={"mu": 0.25}),
    "a whole number": change(parameters={"mu": 1}),
    "a bool": change(parameters={"mu": True}),
    "unreduced": change(parameters={"mu": "2/8"}),
    "a decimal": change(parameters={"mu": "0.25"}),
    "an exponent": change(parameters={"mu": "1e999999999"}),
    "blanks": change(parameters={"mu": " 1/4"}),
    "foreign digits": change(parameters={"mu": "\u0661/4"}),
    "division by zero": change(parameters={"mu": "1/0"}),
    "out of range": change(parameters={"mu": "-1/4"}),
    "a huge number": change(parameters={"mu": "9" * 4001}),
    "no parameters": change(parameters={}),
    "parameters as a list": change(parameters=["1/4"]),
    "an unknown parameter": change(parameters={"mu": "1/4", "std": "4"}),
    "a repeated key": FROZEN.replace('"count":8', '"count":1,"count":8'),
    "deep": "[" * 100_000 + "]" * 100_000,
    "more text": FROZEN + "{}",
    "bytes": FROZEN.encode(),
}


def test_nothing_else_is_read() -> None:
    """One error, that says the way out."""
    for text in WRONG.values():
        with pytest.raises(dp.InvalidArgument, match="to_json"):
            dp.accountants.from_json(text)


class Own(dp.pld.GaussianLoss):
    """A subclass states its own cost, and the text would lose it."""


@pytest.mark.parametrize(
    ("thing", "wanted"),
    [
        (Own(1), "dpframe's own"),
        (dp.PureDP(dp.EPSILON), "exact number"),
        (dp.GaussianDP(dp.sqrt(2)), "exact number"),
        (dp.pld.LaplaceLoss(Fraction(1, 10**4000)), "4000 digits"),
        (dp.compose((dp.PureDP(1), 2**63)), r"2\^62"),
        (b"x", "mechanism"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(thing, wanted) -> None:
    """A refusal when saving is better than one when loading."""
    with pytest.raises(dp.InvalidArgument, match=wanted):
        dp.accountants.to_json(thing)
