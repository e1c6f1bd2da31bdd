"""diffprivlib takes the lower bound twice, and adds no noise to the diagonal of X'X."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

LOWER = dp.parameter("lower", 0, 100)  # of bounds (lower, 100); 0 itself is no size of noise at all
TABLE = dp.Setting(X=dp.Rows(box=100), relation=dp.REPLACE_ONE)


def diagonal(X, _, budget, *, largest):
    """The sums of squares of all columns, with the noise of the code: max|entry|^2 a column."""
    noise = dp.Laplace(scale=X.columns * largest**2 / budget.epsilon)
    return dp.release(dp.graph.column_squares(X), noise, budget.split(1)[0], name="diagonal")


def put(largest):
    """`largest` is what stands for the largest |entry|."""
    target = dp.PureDP(dp.EPSILON)
    return certified(partial(diagonal, largest=largest), target=target, setting=TABLE)


EXHIBIT = Exhibit(
    number=2,
    name="The lower bound in place of the upper bound",
    system="diffprivlib 0.6.6, `LinearRegression`",
    source="IBM/differential-privacy-library#105, `linear_regression.py` line 144",
    claim="The diagonal of X'X has sensitivity max(|lower|, |upper|)^2.",
    fact="The code uses max(|lower|, |lower|)^2. With bounds (0, 100) the sensitivity is 0 and"
    " the noise exactly 0.0, although 10^4 is needed.",
    port="Sums of squares of columns in [-100, 100] with noise of scale d lower^2/epsilon, for"
    " every lower bound between 0 and 100. (At lower = 0 the noise cannot be declared.)",
    wrong=partial(put, LOWER),
    mended=partial(put, 100),
    repair="The sensitivity is derived from both bounds, as dp.Laplace.pure does.",
    shows=("L1 sensitivity 10000*d", "counterexample at"),
)
