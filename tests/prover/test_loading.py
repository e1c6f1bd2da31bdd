"""What a file names is imported only after what can be compared was compared."""

import json
import sys

import pytest

import dpframe as dp
from dpframe.errors import BadCertificate, InvalidArgument

MARK = "loaded_by_a_file"


class Outside(dp.Regression):
    """A declaration of another module than dpframe's."""

    inner: dp.Regression | None = None

    def declare(self, X, y, budget):
        """A noisy number of rows."""
        return dp.release(dp.count(X), dp.Gaussian.analytic, budget)


@pytest.fixture
def certificate():
    """A function: the file's document of a declaration."""

    def certificate(declaration):
        setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
        target = dp.ApproxDP(1, "1e-6")
        return json.loads(
            json.dumps(dp.certify(declaration, target=target, setting=setting).document)
        )

    return certificate


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module that can be imported; whether it was is seen in sys.modules."""
    (tmp_path / f"{MARK}.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield MARK
    sys.modules.pop(MARK, None)


def test_a_file_that_was_changed_imports_nothing(certificate, module):
    """Its hash says so first."""
    document = certificate(dp.SSP())
    document["declaration"]["class"] = f"{module}:Any"
    document["statement"]["relation"] = "replace_one"
    with pytest.raises(BadCertificate, match="that of its statement, graph and assumptions"):
        dp.load(document)
    assert module not in sys.modules


@pytest.mark.parametrize("place", ["class", "trust", "inside"])
def test_modules_that_are_not_admitted_are_not_imported(certificate, module, place):
    """Wherever the file names them."""
    document = certificate(dp.SSP())
    declared = document["declaration"]
    if place == "class":
        declared["class"] = f"{module}:Any"
    elif place == "trust":
        declared["trust"] = [f"{module}:Any"]
    else:
        inner = {"class": f"{module}:Any", "fields": {}}
        declared["fields"]["penalty"] = {"declaration": inner}
    with pytest.raises(BadCertificate, match=module):
        dp.load(document, modules=("dpframe",))
    assert module not in sys.modules


def test_a_name_that_begins_alike_is_another_module(certificate):
    """dpframe does not admit dpframe_evil."""
    document = certificate(dp.SSP())
    document["declaration"]["class"] = "dpframe_evil:Any"
    with pytest.raises(BadCertificate, match="dpframe_evil"):
        dp.load(document, modules=("dpframe",))


def test_admitted_modules_load(certificate):
    """dpframe's own, and one that is named."""
    own, other = certificate(dp.SSP()), certificate(Outside(inner=dp.SSP()))
    assert dp.load(own, modules=("dpframe",)).hash == own["hash"]
    assert dp.load(other, modules=("dpframe", __name__)).hash == other["hash"]
    with pytest.raises(BadCertificate, match=__name__):
        dp.load(other, modules=("dpframe",))


def test_modules_are_a_list_of_names(certificate):
    """A single text would be read letter by letter."""
    with pytest.raises(InvalidArgument, match="modules"):
        dp.load(certificate(dp.SSP()), modules="dpframe")


def test_a_field_that_no_file_can_hold_is_refused_in_words(tmp_path):
    """A theorem of calibration is chosen in the code, not in the file."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    declared = Outside(inner=dp.Gaussian.analytic)
    certificate = dp.certify(declared, target=dp.ApproxDP(1, "1e-6"), setting=setting)
    with pytest.raises(InvalidArgument, match=r"got Theorem\. Name a theorem inside declare"):
        certificate.save(tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()
