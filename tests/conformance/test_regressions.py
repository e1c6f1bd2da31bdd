"""Every regression: cites its paper, is certified or refused as stated, saves and loads."""

from __future__ import annotations

import contextlib
import re

import pytest

import dpframe as dp
from tests.support import samples

every = pytest.mark.parametrize("cls", samples.REGRESSIONS, ids=lambda cls: cls.__name__)
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)


def test_each_cites_its_paper():
    """The docstring cites a paper that the class names; title and variant are filled in."""
    for cls in samples.REGRESSIONS:
        assert cls.paper, cls
        assert any(key.strip() in cls.__doc__ for key in cls.paper.split(";")), cls
        assert re.search(r"\[[^\]]+\]", cls.__doc__), cls
        assert cls.title, cls
        assert cls.variant in ("printed", "coded", "recommended", "baseline"), cls


@every
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_it_is_certified_or_refused_as_stated(cls, relation):
    """All symbols free: the verdict of the samples file."""
    stated = dict(zip(samples.RELATIONS, samples.REGRESSIONS[cls], strict=True))[relation]
    report = dp.examine(cls(), target=TARGET, setting=samples.setting(relation))
    assert report.proved is stated
    assert stated or report.open_obligations


@every
def test_its_graph_is_stable(cls):
    """Two declarations make one hash; another setting makes another."""
    hashes = [cls().graph(samples.setting(), TARGET.budget).hash for _ in range(2)]
    assert hashes[0] == hashes[1]
    other = cls().graph(samples.setting(norm=5), TARGET.budget)
    assert other.hash != hashes[0] or not other.sources
    assert other != cls().graph(samples.setting(), TARGET.budget) or not other.sources


@every
def test_its_certificate_saves_and_loads(cls, tmp_path):
    """A saved certificate is proved again on loading, with the same hash and numbers; its text
    names its target, its unit and its assumptions.
    """
    for relation, stated in zip(samples.RELATIONS, samples.REGRESSIONS[cls], strict=True):
        if stated:
            proof = dp.certify(cls(), target=TARGET, setting=samples.setting(relation))
            said = ("For all", relation.words, "satisfy", "Derivation", "Assumed")
            assert all(part in str(proof) for part in said)
            for certificate in (proof, proof.at(epsilon=1), proof.at(epsilon=1, delta="1e-6")):
                path = tmp_path / "certificate.json"
                certificate.save(path)
                loaded = dp.load(path)
                assert loaded.hash == certificate.hash
                assert loaded.values == certificate.values
                assert loaded.document == certificate.document


@every
def test_it_is_certified_for_other_currencies_or_refused_in_words(cls):
    """Under zCDP and Gaussian DP the answer is a report or a deliberate error."""
    for target in (dp.ZeroConcentratedDP(dp.RHO), dp.GaussianDP(dp.MU), dp.PureDP(dp.EPSILON)):
        with contextlib.suppress(dp.InvalidArgument, dp.errors.OutsideTheorem):
            report = dp.examine(cls(), target=target, setting=samples.setting())
            assert report.proved or report.open_obligations


def test_hyperparameters_are_exact():
    """A float is its shortest decimal; text and Fractions are taken as they are."""
    for cls in samples.REGRESSIONS:
        if "rho" in {field.name for field in cls.__attrs_attrs__}:
            assert cls(rho=0.05) == cls(rho="0.05") == cls()
            for wrong in (True, float("nan"), [1], "1/0"):
                with pytest.raises(dp.InvalidArgument, match="rho"):
                    cls(rho=wrong)
