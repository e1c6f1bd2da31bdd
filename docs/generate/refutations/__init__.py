"""Published code refuted by numbers: lower bounds on what it leaks, above what it claims.

Each record says what was claimed, what was found, and why the bound is one; the searches over
neighbouring tables are this package's own, with fixed seeds, and each attack has a control that it
must not refute.
"""

from __future__ import annotations

from .adaops_steps import adaops_cap, adaops_step_7, adaops_steps
from .adaops_tails import adaops_tails, adaops_tails_mended
from .all import REFUTATIONS, refutations, refutations_of
from .boosted import boosted_coded, boosted_kendall
from .objpert import objpert_coded, objpert_refuted_above
from .posterior_lemma import posterior_lemma, posterior_lemma_mended
from .refutation import Refutation, Rigour
from .sampled_ridge import sampled_ridge_certain, sampled_ridge_delta, sampled_ridge_seldom
from .simulated import adaops_output, adaops_releases
from .suffstats import suffstats_output, suffstats_refuted_above
from .tested_distance import unsafe_distance
from .transposed import right_factor, transposed_epsilon, transposed_factor

__all__ = [
    "REFUTATIONS",
    "Refutation",
    "Rigour",
    "adaops_cap",
    "adaops_output",
    "adaops_releases",
    "adaops_step_7",
    "adaops_steps",
    "adaops_tails",
    "adaops_tails_mended",
    "boosted_coded",
    "boosted_kendall",
    "objpert_coded",
    "objpert_refuted_above",
    "posterior_lemma",
    "posterior_lemma_mended",
    "refutations",
    "refutations_of",
    "right_factor",
    "sampled_ridge_certain",
    "sampled_ridge_delta",
    "sampled_ridge_seldom",
    "suffstats_output",
    "suffstats_refuted_above",
    "unsafe_distance",
    "transposed_epsilon",
    "transposed_factor",
]
