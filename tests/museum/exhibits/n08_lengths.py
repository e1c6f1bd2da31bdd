"""OpenDP's bit vectors may differ in length, and the release shows it."""

from functools import partial

import attrs

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit
from tests.museum.own import Stated


@attrs.frozen(cache_hash=True)
class Bits(Stated):
    """Every bit by itself, shape (n,). One record changes one of them by at most 1."""

    kind = "bits"
    shape = property(lambda self: (self.rows.rows,))

    def states(self):
        return 1

    def whole(self, X, y):
        return (y > 0).astype(float)


def answers(X, y, budget):
    """Noise on each bit."""
    return dp.release(Bits(X, y), dp.Laplace.pure, budget.split(1)[0], name="answers")


def put(relation):
    """The author's word for the sensitivity is taken: the length is what is left to be judged."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)
    target = dp.PureDP(2 * dp.log(3))
    return certified(answers, target=target, setting=setting, trust=[Bits])


EXHIBIT = Exhibit(
    number=8,
    name="Neighbours of different lengths",
    system="OpenDP 0.16.0, `make_randomized_response_bitvec`",
    source="opendp/opendp#2930",
    claim="epsilon = 2.2 for vectors with at most one bit set.",
    fact="A bit vector may have any length, vectors of one and of two bytes are neighbours, "
    "and the output has the length of the vector: epsilon is infinite.",
    port="One noisy number for each record, with a stated, trusted sensitivity of 1.",
    wrong=partial(put, dp.ADD_REMOVE),
    mended=partial(put, dp.REPLACE_ONE),
    repair="Neighbours have the same public length: replace-one.",
    shows=("the shape of a release must be public", "n is private under add/remove"),
)
