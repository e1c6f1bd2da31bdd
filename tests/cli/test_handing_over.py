"""What an officer reads who receives a certificate."""

from __future__ import annotations

import json

import pytest

import dpframe as dp
from dpframe.kernel.checker import hash_of
from tests.support.commands import both_streams

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The certificate of adaSSP and its file."""
    path = tmp_path_factory.mktemp("proof") / "proof.json"
    proof = dp.certify(dp.AdaSSP(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    proof.save(path)
    return proof, path


def test_check_prints_what_is_released_and_who_lists_the_assumptions(saved):
    """The warning stands only where no hash is expected."""
    proof, path = saved
    printed = both_streams("check", path, status=0)
    gram = "released: gram: gram (node 3); gaussian noise (stated), size "
    assert gram in printed
    assert printed.count("released: ") == len(proof.graph.releases)
    assert "the list of assumptions is the sender's word" in printed
    pinned = both_streams("check", path, "--expect", proof.hash, status=0)
    assert "sender's word" not in pinned
    assert "released: gram" in pinned


class OnSamples(dp.Regression):
    """A sum on fifty samples."""

    def declare(self, X, y, budget):
        """Of the labels and rows."""
        return dp.release(X.T @ y, dp.Gaussian(std=2), sampled="0.01", times=50, name="moment")


class Counted(dp.Regression):
    """A count on three samples."""

    def declare(self, X, y, budget):
        """Of the rows."""
        return dp.release(dp.count(X), dp.Laplace(scale=100), sampled="1/10", times=3, name="rows")


def test_check_prints_draws_and_samples(tmp_path):
    """Of the graph in the file."""
    path = tmp_path / "counted.json"
    dp.certify(Counted(), target=dp.PureDP(1), setting=SETTING).save(path)
    line = "released: rows: count (node 2); laplace noise (stated), size 100, times 3, sampled 1/10"
    assert line in both_streams("check", path, status=0)


def test_check_says_what_it_does_not_add_up(saved, tmp_path):
    """The total of Gaussian noise on samples; not of a forged certificate."""
    path = tmp_path / "sampled.json"
    proof = dp.certify(OnSamples(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    proof.save(path)
    assert "the kernel replays the proof but for the sum of the losses" in str(proof)
    assert "accepts everything but the total" in both_streams("check", path, status=1)
    assert "but for the sum" not in str(saved[0])
    forged = json.loads(saved[1].read_text())
    forged["statement"]["target"]["amounts"][0] = "1/2"
    forged["hash"] = hash_of(*(forged[name] for name in ("statement", "graph", "assumptions")))
    path.write_text(json.dumps(forged))
    assert "everything but the total" not in both_streams("check", path, status=1)


def test_check_names_parameters_that_nothing_reads(saved, tmp_path):
    """A value of one says nothing about the proof."""
    document = json.loads(json.dumps(saved[0].document))
    ends = {"lower": "1", "upper": None, "closed": "left", "integer": True, "origin": None}
    document["statement"]["symbols"]["n"] = ends
    document["statement"]["values"] = {"n": "500"}
    parts = (document["statement"], document["graph"], document["assumptions"])
    document["hash"] = hash_of(*parts)
    path = tmp_path / "more.json"
    path.write_text(json.dumps(document))
    printed = both_streams("check", path, status=0)
    assert "unread: nothing in the graph or the claim reads n" in printed
    assert "unread" not in both_streams("check", saved[1], status=0)


def test_certify_prints_the_whole_hash(saved):
    """On a line of its own, as the receipt has it."""
    options = ("--epsilon", "1", "--delta", "1e-6", "--norm", "1", "--bound", "1")
    printed = both_streams("certify", "AdaSSP", *options, "--relation", "add-remove", status=0)
    assert saved[0].hash in [line.strip() for line in printed.split("\n")]


def test_the_usual_word_for_a_check_names_it():
    """The nearest word is `certify`."""
    assert "Did you mean 'check'?" in both_streams("verify", "proof.json", status=2)
