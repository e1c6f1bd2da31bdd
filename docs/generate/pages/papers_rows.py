"""What five papers state, where it is, and what was found: rows of docs/papers, by paper."""

from __future__ import annotations

PAPERS = {  # the key of the paper, a title, the source
    "wang": (
        "Wang18",
        "Wang (2018), adaptive regression",
        """Y.-X. Wang, *Revisiting differentially private linear regression: optimal and adaptive
prediction & estimation in unbounded domain*, UAI 2018, with its public code and the results that
this has kept (`exp_results.mat`: 29 sets, 10 epsilons).""",
    ),
    "acharya": (
        "Acharya24",
        "Acharya et al. (2024), budgets of each record",
        """K. Acharya, F. Boenisch, R. Naidu, J. Ziani, *Personalized Differential Privacy for Ridge
Regression*, 2024, with its public code and the results that this has kept.""",
    ),
    "piazza": (
        "Piazza21",
        "Piazza (2021), the cost of a hyperparameter",
        """A. Piazza, *Differentially Private Ridge Regression: The Cost of a Hyperparameter*, 2021.
Its numbers are in its pictures alone.""",
    ),
    "thesis": (
        "Thesis",
        "The fixed-noise thesis",
        """A thesis on adaSSP with fixed noise and on the preparation of data. Its numbers are in
its pictures alone.""",
    ),
    "dandekar": (
        "Dandekar18",
        "Dandekar et al. (2018), the functional mechanism",
        """A. Dandekar, D. Basu, S. Bressan, *Differential Privacy for Regularised Linear
Regression*, DEXA 2018. Its numbers are in its pictures alone.""",
    ),
}

ALGORITHMS = {  # what the paper calls it, and its declarations
    "wang": {
        "Algorithm 1, AdaOPS": "AdaOPSPrinted AdaOPSCoded AdaOPSRepaired AdaOPS",
        "Algorithm 2, adaSSP": "AdaSSPWang AdaSSPWangCoded AdaSSP",
        "SSP": "SSPWang SSPWangCoded SSP",
        "OPS, four calibrations": (
            "OPSPrinted OPSBalancedCoded OPSConcentratedCoded OPSDiffusedCoded OPSConservativeCoded"
        ),
        "ObjPert": "ObjPertPrinted ObjPertCoded ObjPert",
        "NoisySGD": "NoisySGD NoisyGradientDescent",
        "Sub-Agg": "SubAggSmith SubAgg SubAggPure",
        "trivial, non-private": "ZeroPredictor Ridge OLS",
    },
    "acharya": {
        "Algorithm 1, PDP-OP (Theorem 3.2)": "PersonalizedRidgePrinted PersonalizedRidge",
        "PDP-OP with a known bound (Theorem 3.4)": "PersonalizedRidgeKnownBound",
        "the non-personalised baseline": "UniformRidge",
        "Jorgensen's samples": "SampledRidgeCoded SampledRidge",
        "future work: other releases": ("PersonalizedObjective PersonalizedSSP PersonalizedAdaSSP"),
    },
    "piazza": {
        "Algorithm 1, SSP": "SSPPiazza SSP",
        "Algorithm 2, adaSSP": "AdaSSPPiazza AdaSSP",
        "Algorithm 3, adaSSPbudget": "AdaSSPBudget AdaSSPBudgetTight",
        "Algorithm 4, constSSPfull": "ConstSSPFullPiazza ConstSSPFull",
    },
    "thesis": {
        "SSP, section 3.1 and chapter 4": "SSPThesis SSPThesisSplit",
        "Algorithm 2, adaSSP of Wang": "AdaSSPWang",
        "Algorithm 3, adaSSP with fixed noise": "AdaSSPThesis",
        "Eq. 3.3, rows over their norms": "ThesisStandardised",
        "Eq. 3.4, labels over them too": "ThesisRowNorm",
        "Eq. 3.5, 3.7, the maximum norm": "ThesisMaxNorm",
        "Eq. 3.8, clipping": "ThesisClipped",
        "robust private regression": "RobustSSP RobustAdaSSP RobustQuantileSSP",
    },
    "dandekar": {
        "Algorithm 1: LR": "FunctionalLinearPrinted FunctionalLinear FunctionalLinearTrimmed",
        "Algorithm 1: RG": "FunctionalRidgePrinted FunctionalRidge",
        "Algorithm 1: LS": "FunctionalLassoPrinted FunctionalLasso",
        "Algorithm 1: EN": "FunctionalElasticNetPrinted FunctionalElasticNet",
        "DPME": "DPME",
        "LR, RG, LS, EN without noise": "OLS Ridge Lasso ElasticNet",
    },
}

PROFILE = "`pytest tests/prover/test_rule_e1.py -k profile`"
BASIC = "`accountants/basic.py`; `pytest tests/accounting/test_calibrate.py -k basic`"
RIDGE = "`regressions/baselines.py`; `pytest tests/graph/test_argmin.py -k ridge`"
MOVES = "`pytest tests/attacks/test_sensitivities.py -k {}`"
PRINTED = "taken over as printed"
NO_COMMAND = "nothing to run"
STATEMENTS = {  # what it states; where it is, or names of utility statements; what was found
    "wang": [
        (
            "Definition 1",
            "(epsilon, delta), add/remove",
            f"`dp.ApproxDP`, `dp.ADD_REMOVE`; {PROFILE}",
            PRINTED,
        ),
        ("Eq. 1 to 3", "risk of least squares", "eq1 eq2 eq3", ""),
        ("Eq. 4 to 6", "lower bounds; Figure 1 evaluates them", "eq4 eq5 eq6", ""),
        ("Eq. 7, 8", "penalty and temperature of AdaOPS", "`dpframe audit AdaOPSPrinted`", "drawn"),
        (
            "Theorem 2 (i)",
            "AdaOPS is private",
            (
                "`dpframe audit AdaOPSPrinted`, `dpframe audit AdaOPSRepaired`; "
                "[proof of the repair](../proofs/posterior.md), [refutations](../refutations.md)"
            ),
            "false as printed, in five ways; true of AdaOPSRepaired up to epsilon = 8 log 3",
        ),
        ("Theorem 2 (ii), (iii)", "its utility", "thm2_ii thm2_iii", ""),
        (
            "Theorem 3 (i)",
            "adaSSP is private",
            "`dpframe audit AdaSSPWang`; [joint Gaussian privacy](../proofs/joint.md)",
            (
                "its proof is wrong (a root of 2 is missing), the theorem true up to epsilon = "
                "30.67 at delta = 1e-6"
            ),
        ),
        ("Theorem 3 (ii), (iii)", "its utility", "thm3_ii thm3_iii", ""),
        (
            "Lemma 6",
            "lengths under a symmetric Gaussian matrix",
            "thm3_ii",
            "its text is in an appendix that was not at hand; the theorem that needs it:",
        ),
        (
            "Lemma 12",
            "releasing the norm of a ridge solution",
            "`dpframe audit AdaOPSRepaired`; [proof](../proofs/log_residual.md)",
            "repaired in AdaOPSRepaired",
        ),
        ("Tables 1, 2", "rates of other papers", NO_COMMAND, "a survey of bounds, not judged"),
    ],
    "acharya": [
        (
            "Definitions 2.1, 2.2",
            "personalised privacy",
            "`dp.PersonalizedDP`; `pytest tests/attacks/test_personalized.py -k epsilon`",
            PRINTED,
        ),
        (
            "Remark 3.1",
            "noise of a gamma length and a uniform direction",
            "`mechanisms/l2_laplace.py`; `pytest tests/literature -k output`",
            "true, drawn",
        ),
        (
            "Theorem 3.2",
            "PDP-OP gives each record its budget",
            "`dpframe audit PersonalizedRidgePrinted`; [proof](../proofs/personalized.md)",
            "true under replace-one, with more noise than is needed; false under add/remove",
        ),
        (
            "Assumption 3.3, Theorem 3.4",
            "less noise where a bound on the solution is known",
            "thm34",
            "true where the assumption holds, and the declaration enforces it:",
        ),
        ("Assumption 3.5, Theorem 3.6", "its accuracy for linear labels", "thm36", ""),
        (
            "Lemmas A.1, A.2",
            "no minimiser is longer than min(Y/sqrt(lambda), BY/lambda)",
            "`dpframe audit PersonalizedRidge`; [proof](../proofs/personalized.md)",
            "true; the sharp bound is half of it where lambda is small",
        ),
        (
            "Lemma A.3, Theorem A.4, Lemma A.5",
            "sensitivity by strong convexity",
            "`pytest tests/graph/test_argmin.py -k neighbours`; [proof](../proofs/argmin.md)",
            "true",
        ),
    ],
    "piazza": [
        ("Propositions 1, 2", "least squares and ridge", RIDGE, "true"),
        (
            "Definitions 3, 6",
            "privacy, sensitivity",
            f"`dp.ApproxDP`, `dp.graph`; {PROFILE}",
            PRINTED,
        ),
        ("Theorem 4", "basic composition", BASIC, "true"),
        (
            "Theorem 5",
            "post-processing",
            "`graph/graph.py`; `pytest tests/mutating/test_mutants.py -k post_processing`",
            "true",
        ),
        (
            "Lemma 7",
            "Gaussian noise with sqrt(2 log(2/delta))",
            "`pytest tests/prover/test_rule_e1.py`; [rule E1](../proofs/e1.md)",
            "stated for every epsilon, a theorem up to 4 log 2; fails beyond 9.73 at 1e-6",
        ),
        (
            "Lemmas 8, 11, 18",
            "SSP, adaSSP, constSSPfull are private",
            (
                "`dpframe audit SSPPiazza`, `dpframe audit AdaSSPPiazza`, "
                "`dpframe audit ConstSSPFullPiazza`"
            ),
            "true",
        ),
        (
            "Lemma 9",
            "sensitivity of X'X",
            f"{MOVES.format('Gram')}; [proof](../proofs/gram.md)",
            "true",
        ),
        (
            "Lemma 10",
            "sensitivity of X'y",
            f"{MOVES.format('Moment')}; [proof](../proofs/moment.md)",
            "true",
        ),
        (
            "Lemmas 12 to 14",
            "Weyl; sensitivity of the least eigenvalue",
            f"{MOVES.format('LambdaMin')}; [proof](../proofs/lambda_min.md)",
            "true, attained",
        ),
        ("Lemma 15", "the tail that the shift pays for", "lemma15", ""),
        ("Proposition 16", "utility of adaSSP", "prop16", ""),
        (
            "Lemma 17",
            "adaSSPbudget is private for every epsilon and gamma",
            "`dpframe audit AdaSSPBudget`; [refutations](../refutations.md)",
            "true up to epsilon = 9.73 at delta = 1e-6; false beyond for gamma near 1",
        ),
        (
            "Figures 1, 2",
            "pictures of Wang (2018), reprinted",
            (
                "`dpframe experiment wang-figure-2 --not-private`, "
                "`dpframe experiment wang-figure-3-coded --not-private`"
            ),
            "as [there](wang.md)",
        ),
    ],
    "thesis": [
        (
            "Eq. 2.1 to 2.3",
            "least squares, with one column and with several",
            RIDGE,
            "true",
        ),
        (
            "Definitions 2.4 to 2.6",
            "neighbours, sensitivity, privacy",
            f"`dp.ApproxDP`; {PROFILE}",
            PRINTED,
        ),
        ("Theorem 2.7", "composition", BASIC, "true"),
        (
            "Definition 2.8, Eq. 2.9, 2.10, Algorithm 1",
            "the classical Gaussian mechanism, epsilon at most 1",
            (
                "`dpframe audit SSPThesisSplit`, `dpframe audit AdaSSPThesis`; "
                "[profile](../proofs/profile.md)"
            ),
            "true; the limits 2 (SSP) and 3 (adaSSP) follow",
        ),
        ("Eq. 3.1, 3.2", "the order of adaSSP's ridge", "thm3_ii", "cited from Wang (2018):"),
        (
            "Eq. 3.3 to 3.9",
            "preparation by raw means, deviations and maxima",
            (
                "`dpframe audit ThesisRowNorm`, `dpframe audit ThesisClipped`; "
                "`pytest tests/literature/test_conformance_thesis.py`"
            ),
            "not private, and refused: one record moves all others",
        ),
    ],
    "dandekar": [
        (
            "Definitions 1 to 4",
            "pure privacy, sensitivity, Laplace noise",
            "`dp.PureDP`; `pytest tests/pld/losses -k laplace`",
            PRINTED,
        ),
        (
            "Theorem 1",
            "Laplace mechanism",
            "`mechanisms/laplace.py`; `pytest tests/pld/losses -k laplace`",
            "true",
        ),
        (
            "Theorem 2, Algorithm 1",
            "the functional mechanism is private",
            "`dpframe audit FunctionalLinearPrinted`; [proof](../proofs/monomials.md)",
            "true, of half its claim",
        ),
        (
            "Lemmas 1, 2",
            "sensitivity 2(d^2 + 2d + 1)",
            (
                "`pytest tests/regressions/test_functional.py -k printed`; "
                "[proof](../proofs/monomials.md)"
            ),
            "twice what is needed: (d + 1)^2, attained",
        ),
        (
            "Eq. 1 to 10",
            "losses with penalties, their polynomials, RMSE",
            "`literature/functional_published.py`; `pytest tests/literature -k functional`",
            "drawn as printed",
        ),
        (
            "Section 5.4",
            "open: symmetric noise, convexity, approximate solvers",
            (
                "`pytest tests/regressions/test_functional.py -k symmetric`, "
                "`pytest tests/literature/test_conformance.py -k entry`"
            ),
            (
                "solved: projection and solvers are post-processing, and one draw a monomial keeps "
                "X'X symmetric. Algorithm 1 has one draw a coefficient, and so have the printed "
                "variants; the authors' X'X loses its symmetry, so that they drew one number an "
                "entry: noise on the coefficient of a mixed monomial is sqrt(2) larger then, and "
                "median errors on a table of the wine's size differ by less than a third"
            ),
        ),
    ],
}
MISSING = {  # data that cannot be had, and what is left out for it
    "wang": (
        "3droad, buzz, houseelectric, slice, song: five of the 36 sets of Table 3 (3droad has 10 "
        "curves too); and the text of the appendices, with the pictures of Appendix B"
    ),
    "acharya": "",
    "piazza": "",
    "thesis": "buzz (Figures 4.1 to 4.8), for which protein stands in; the fourth set is not named",
    "dandekar": "the census of IPUMS 2000 (Figures 1, 3, 4, 5), for which CPSSW8 stands in",
}
PDP = (
    "PDP-OP has less loss than uniform at {first} of {points} points, and at {their_first} in the "
    "paper. The paper has one draw of each table: its numbers are inside or outside together."
)
SAMPLES = (
    "the order of the paper, PDP-OP, Jorgensen max, Jorgensen mean, at {order} of {points} points, "
    "and at {theirs} in the paper's own numbers; PDP-OP is the least at {first} and {their_first}."
)
DERIVED = " With the derived sensitivity (PersonalizedRidge) it is less at {derived} of {points}."
COEFFICIENTS = (
    " At lambda from 300 on the unregularised loss of PDP-OP is 2.0 to 2.1 times theirs: it is "
    "that of zero, which the coefficients of the one table set."
)
LEAST = (
    " Published numbers of uniform are 0.79 times ours (geometric mean), as the paper's least "
    "budget was 0.0120 (it solves three cells of different lambda), which 2% of draws exceed."
)
OUTSIDE = " Of all 744 numbers of the tables 6 are outside, where our own runs would have 36."
FINDINGS: dict[str, str] = {
    "wang-figure-1": (
        "from n = 316 on privacy is free from epsilon = 0.58 on for a short solution, from 2.08 on "
        "for one that is sqrt(d) longer (2 and 4.16 at n = 10); with a well-conditioned table "
        "(alpha = 1) the least epsilon falls with n^-1/2: by a factor of 3.2 from n = 10^5 to 10^6."
    ),
    "wang-figure-2": (
        "269 of the 280 numbers of the code's results are inside, and 35 of SSP's 40, whose error "
        "is above zero's at 29 of them. Where AdaSSP has 0.4 to 0.6 of the way from the model "
        "without noise to zero (bike at 0.05, elevators at 0.1, gas at 0.2, wine at 0.5), JointSSP "
        "has 0.02 to 0.05, and 0.18 on gas. Better than AdaOPS and AdaSSP by 10% are OPS on gas "
        "from 0.05 to 0.5 and SSP on wine from 1 to 5, in the published numbers too."
    ),
    "wang-curves": (
        "of 95 numbers outside, ten of zero on yacht and ten of ridge on autos are one number "
        "each, as the code keeps one partition of a set for all methods and epsilons; of the 1,400 "
        "numbers with noise 75 are outside, where 70 +- 8 are expected, on both sides but for SSP. "
        "Its errors go from 0.0093 to 44,290: 18 of its 20 lie above, and 91.2% of its own runs "
        "are inside, 94.3% of those of the other methods. The ratio of each of these is 1.00 to "
        "1.01."
    ),
    "wang-table-3": (
        "inside as often as our own runs, also in the SSP column. The printed table and the "
        "results of the code are two runs. Of the nine outside, two are SSP's (on breastcancer "
        "and energy one fold decides the printed mean), one is that of ridge on autos, as in "
        "the curves, and six of four methods lie on either side, where ten are expected."
    ),
    "wang-table-3-caption": (
        "with the delta of the caption, smaller from n = 1,001 on, AdaSSP has 0.88 to 1.18 times "
        "the error with 1e-6, AdaOPS 0.91 to 1.08 (both 1.01 in the median of the sets): the "
        "printed numbers do not tell which of the two was used; the code says 1e-6."
    ),
    "wang-figure-3-caption": (
        "at the largest n, 655,360, the relative efficiency of AdaSSP is 6.4 at epsilon = 1 and "
        "438 at 0.1, where that of SSP is 1.7 and 62: a tenth of their largest or less, and far "
        "from 1 at epsilon = 0.1. That of OPS is at its largest, or within a fifth of it. At "
        "epsilon = 1 JointSSP has a relative efficiency of 2.1 to 2.4 from n = 10,240 to 81,920 "
        "and of 1.4 to 1.5 from 163,840 on."
    ),
    "wang-figure-3-coded": (
        "the same picture, though the code draws another model than the caption (rows of length 1, "
        "noise of variance 0.01/12, delta = n^-1.1): at the largest n AdaSSP has 7.1 and 511, SSP "
        "1.6 and 75, JointSSP 1.1 and 1.8."
    ),
    "wang-adaops-price": (
        "repaired, the algorithm has 1.13 times the printed error (median of the 14 sets on which "
        "this is below zero's, at most 1.23); with better shares 1.01."
    ),
    "acharya-table-1": PDP + COEFFICIENTS + OUTSIDE,
    "acharya-table-2": PDP + LEAST,
    **{f"acharya-table-{k}": SAMPLES for k in (3, 4)},
    **{f"acharya-table-{k}": PDP for k in (7, 9, 10, 12)},
    "acharya-table-5": (
        f"{PDP} Outside is uniform at eps_c = 0.1, 0.47 of ours: a least budget of about 0.15 "
        "among 43 that start at 0.1, which fewer than 1% of draws have."
    ),
    **{
        f"acharya-table-{k}": (
            f"{PDP} Outside is the regularised loss of uniform at a least budget of 0.0120, in "
            "both: two thirds of ours."
        )
        for k in (6, 8)
    },
    "acharya-table-11": (
        f"{PDP} Outside is the regularised loss of PDP-OP on the whole table, which the length of "
        "the one drawn solution sets, 0.81 of ours. The printed table is another run than the one "
        "whose results the code has kept: five of its numbers are left in the text, 8.97, 2.37, "
        "7.97, 6.36 and 1.98 at 0.3, 0.4, 0.7, 0.9 and 1, where the kept results of uniform, the "
        "only column of this size that does not fall steadily, are 4.16, 25.4, 3.71, 1.62 and "
        "6.58. Here the printed five are judged, and are inside."
    ),
    **{
        f"acharya-table-{k}": (
            "stds of ten draws lie below those of 10,000 (ratios under 1), as the loss has a long "
            "tail; in B2 one number is outside, that of PDP-OP at lambda = 3, and it is above."
        )
        for k in ("B1", "B2")
    },
    **{f"acharya-figure-{k}": SAMPLES + DERIVED for k in range(1, 19)},
    "acharya-beyond-insurance": (
        "at penalty 1, PDP-OP as printed has 5.9, 2.6 and 1.18 times the error of the mean of the "
        "labels alone, the last with the codebook's bound; PersonalizedObjective, PersonalizedSSP "
        "and PersonalizedAdaSSP have less than that mean at all three bounds."
    ),
    "acharya-beyond-synthetic": (
        "all variants of output perturbation have at least 60 times zero's error at n = 1,000, as "
        "the noise of d = 30 coefficients outweighs labels of 0.1. PersonalizedSSP and "
        "PersonalizedAdaSSP have 1.02 and 1.05 times zero's error at n = 100, and 0.26 to 0.46 "
        "times from 1,000 on."
    ),
    "piazza-figure-3": (
        "calibrated jointly, the same algorithm has 0.004 to 1.00 times the error: in the median "
        "over gamma 0.39 to 0.92 up to n epsilon = 328, 0.06 to 0.13 from 1,280 to 32,768. "
        "JointSSP has at most 2.1 at epsilon = 1."
    ),
    "piazza-figure-4": (
        "the share of adaSSPbudget is 0 or 1 for 105 of 108; calibrated jointly, lambda is 0 at "
        "least as often at each of them, and already at n epsilon = 1,280 and 2,048, where "
        "adaSSPbudget never sets it to 0."
    ),
    "piazza-figure-5": (
        "near the noise of the labels, 0.01, differences disappear: at n epsilon = 327,680 all six "
        "methods have 0.0100 up to gamma = 0.9. JointSSP has 0.0100 to 0.0145 from n epsilon = 128 "
        "on, where adaSSPbudget at gamma = 1/3 has up to 0.11."
    ),
    "piazza-figure-6": (
        "adaSSPbudget is below SSP at every gamma and epsilon on bike and elevators, at 9 of 9 on "
        "airfoil up to epsilon = 0.1 and at 3 of 9 at epsilon = 1 (up to gamma = 0.2; SSP has "
        "0.0594 there). constSSPfull is below SSP everywhere, below adaSSPbudget at 86 of 108 "
        "points (12 of the 22 others are at epsilon = 0.001), and 0.96 to 1.09 times the least of "
        "it over gamma. OLS has 0.032 on elevators with a std of 0.024 between tables: a "
        "few splits decide it; at epsilon = 1 constSSPfull has 0.0122 and JointSSP 0.0085."
    ),
    "piazza-figure-6-lambda": (
        "calibrated jointly it happens on airfoil, in up to three of four splits at epsilon = 1."
    ),
    "thesis-figure-4.1": (
        "as coded, SSP is above zero's error at 22 of 36 points, with symmetric noise at 29: the "
        "system is near singular. JointSSP, which regularises it, is below zero's error at all 36."
    ),
    "thesis-figure-4.2": (
        "the fixed noise costs 6 to 12% on elevators and up to 26% on airfoil, 11% on housing and "
        "2.5% on protein. The cost falls with epsilon on airfoil (0.6% at 3) and protein (0.1%), "
        "but not on the other two (6.7% and 5.5% at 3)."
    ),
    "thesis-figure-4.3": (
        "rows over their own norm win for adaSSP on every set from epsilon = 0.3 on; below, "
        "airfoil and housing are within 19% of zero's error. For ridge without noise they win on "
        "elevators and protein, and lose 5 and 17% on the others."
    ),
    "thesis-figure-4.4": (
        "for adaSSP at epsilon = 3 dividing the labels too takes 8% off the error on housing and "
        "1% on airfoil, adds 7% on protein and triples it on elevators; for JointSSP it takes 17% "
        "off on housing, adds 1 and 10%, and makes it 6.6 times as large on elevators. There the "
        "distance of adaSSP to ridge at 3 is 0.73 times that at 0.05, elsewhere at most 0.24 times."
    ),
    "thesis-figure-4.5": (
        "with statistics of the training rows alone adaSSP has 0.94 to 1.06 times the error, in "
        "the median of a set 0.98 to 1.01 times."
    ),
    "thesis-figure-4.6": (
        "the intercept changes the error of adaSSP by at most 7%, and by at most 0.2% for ridge. "
        "Its effect does not fall with the number of columns: in the median it is 2.8% on airfoil "
        "(5 columns), 0.2% on protein (9), 2.9% on housing (13), 0.1% on elevators (18)."
    ),
    "thesis-figure-4.7": (
        "at epsilon = 3 the best clip lowers the error of adaSSP by 19% on airfoil (2.0), 19% on "
        "protein (1.3) and 26% on housing (1.3); on elevators, whose test rows lie far outside the "
        "clips, they add 10 to 199%. JointSSP is nearer least squares: only the loosest clip on "
        "housing helps it (0.99 times the error), and with clips its error on elevators grows with "
        "epsilon, to 26 to 752 times that without, as the thesis met on buzz and could not explain."
    ),
    "thesis-figure-4.8": (
        "the same models on clipped test rows: every clip takes 2 to 19% off the error of adaSSP "
        "on every set, elevators included, so that the growing errors of Figure 4.7 are those of "
        "rows far outside the clips. Over those of Figure 4.7, errors of adaSSP are "
        "0.33 to 0.89 on elevators, 0.96 to 1.11 elsewhere. JointSSP has 0.90 to 1.03 times the "
        "error without clips (0.90 to 0.94 on elevators)."
    ),
    "dandekar-figure-1": (
        "the outliers of the paper's census do not appear on the stand-in, where with four columns "
        "and 61,395 people the noise is small beside the sums: at every epsilon 2 to 4 of 200 runs "
        "of either method lie beyond the whiskers, and their std is 0.3 to 0.4% of their median."
    ),
    "dandekar-figure-2": (
        "medians of the stationary point are 1.6 to 4.6 times the error without noise; with a "
        "penalty they are 0.88 to 1.23 times those of LR. With exact noise and a projected form "
        "(FunctionalElasticNet) they are 0.49 to 0.74 times those of the functional elastic net."
    ),
    "dandekar-figure-3": (
        "on the stand-in all functional mechanisms are at most 0.12% above the plain models."
    ),
    "dandekar-figure-4": (
        "on wine single runs decide the variance. By rank correlation with epsilon it falls for "
        "LASSO (-0.75) and elastic net (-0.71), not for ridge (0.11) nor for LR (-0.39), which has "
        "892,000 at 1.6 and 0.94 at 6.4. The projected mechanism has 7.4 at 0.1, 161 at 0.4 and "
        "1.1 at 6.4."
    ),
    "dandekar-figure-5": (
        "on the stand-in all are within 1% of one another, and DPME has the most. Its mean RMSE "
        "rises with epsilon, from 0.595 to 0.597."
    ),
}
OURS = ("wang-adaops-price", "acharya-beyond-insurance", "acharya-beyond-synthetic")
"""Items that are in no paper."""
