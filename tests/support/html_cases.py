"""Audits of many kinds, their findings and their pages, made once."""

from functools import cache

import dpframe as dp
from dpframe.auditing import audit, audit_formulas
from dpframe.auditing.catalogue import setting_of
from dpframe.auditing.findings import findings
from dpframe.auditing.html import html

NUMBERS, LETTERS = dp.ApproxDP(1, "1e-6"), dp.ApproxDP(dp.EPSILON, dp.DELTA)
ONE, EVERY = setting_of(dp.ADD_REMOVE, 1), setting_of(dp.ADD_REMOVE)
CASES = {
    "proved": (dp.AdaSSP, LETTERS, EVERY),
    "proved jointly": (dp.AdaSSPWang, NUMBERS, ONE),
    "refuted": (dp.SSPWangCoded, NUMBERS, ONE),
    "region": (dp.AdaSSPBudget, LETTERS, EVERY),
    "refuted between": (dp.BoostedAdaSSPCoded, NUMBERS, ONE),
    "loop": (dp.NoisyGradientDescent, NUMBERS, ONE),
    "cells": (dp.SubAgg, NUMBERS, ONE),
    "procedures": (dp.AdaOPS, NUMBERS, ONE),
    "personalised": (
        dp.PersonalizedRidge,
        dp.PersonalizedDP(dp.each("epsilon"), None),
        setting_of(dp.REPLACE_ONE, 1),
    ),
    "leak": (dp.ThesisMaxNorm, NUMBERS, ONE),
    "nothing": (dp.OLS, NUMBERS, ONE),
    "pure": (dp.DPME, dp.PureDP(1), ONE),
    "zcdp": (dp.SSP, dp.ZeroConcentratedDP("1/10"), ONE),
    "formulas": (None, LETTERS, EVERY),
}
FORMULAS = [
    "gram: sqrt(2*log(4/delta))/(epsilon/2)*B^2 @ epsilon/2, delta/2",
    "moment: B*Y/epsilon",
]


@cache
def found_of(name):
    """The findings of a case."""
    cls, target, setting = CASES[name]
    if cls is None:
        return findings(audit_formulas(FORMULAS, target=target, setting=setting))
    return findings(audit(cls(), target=target, setting=setting))


@cache
def page_of(name):
    """The page of a case, as text."""
    return html(found_of(name), title="An audit", notes=["Made for a test."])
