"""What is declared. The demo prints everything below the import."""

import dpframe as dp

CODEBOOK = [
    dp.Numeric("age", "17.5", 42, unit="year"),
    dp.Numeric("yrs_married", "0.5", 23, unit="year"),
    dp.Numeric("children", 0, "5.5", unit="one"),
    dp.Numeric("religious", 1, 4, unit="step"),
    dp.Numeric("educ", 9, 20, unit="year"),
    dp.Numeric("occupation", 1, 6, unit="step"),
    dp.Numeric("occupation_husb", 1, 6, unit="step"),
]
SETTING = dp.Setting(
    # each answer is scaled onto [-1, 1]; a row longer than 2 is shortened to 2
    X=dp.Rows(columns=CODEBOOK, norm=2, intercept=True),
    y=dp.Column("rate_marriage", lower=1, upper=5),
    # whether a woman answered at all is private
    relation=dp.ADD_REMOVE,
)
REGRESSION = dp.SSP()  # least squares on noisy X'X and X'y
