"""Audits of many kinds, their findings and their pages, made once."""

from functools import cache

import dpframe as dp
from dpframe.audits import audit
from dpframe.audits.findings import findings
from dpframe.audits.html import html
from dpframe.literature.catalogue import setting_of
from tests.support.formulas import audited

NUMBERS, LETTERS = dp.ApproxDP(1, "1e-6"), dp.ApproxDP(dp.EPSILON, dp.DELTA)
ONE, EVERY = setting_of(dp.ADD_REMOVE, 1), setting_of(dp.ADD_REMOVE)
CASES = {
    "proved": (dp.AdaSSP, LETTERS, EVERY),
    "proved jointly": (dp.literature.AdaSSPWang, NUMBERS, ONE),
    "refuted": (dp.literature.SSPWangCoded, NUMBERS, ONE),
    "region": (dp.literature.AdaSSPBudget, LETTERS, EVERY),
    "refuted between": (dp.literature.BoostedAdaSSPCoded, NUMBERS, ONE),
    "loop": (dp.regressions.NoisyGradientDescent, NUMBERS, ONE),
    "cells": (dp.regressions.SubAgg, NUMBERS, ONE),
    "procedures": (dp.regressions.AdaOPS, NUMBERS, ONE),
    "personalised": (
        dp.PersonalizedRidge,
        dp.PersonalizedDP(dp.each("epsilon"), None),
        setting_of(dp.REPLACE_ONE, 1),
    ),
    "leak": (dp.literature.ThesisMaxNorm, NUMBERS, ONE),
    "nothing": (dp.regressions.OLS, NUMBERS, ONE),
    "pure": (dp.regressions.DPME, dp.PureDP(1), ONE),
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
        return findings(audited(FORMULAS, target=target, setting=setting))
    return findings(audit(cls(), target=target, setting=setting))


@cache
def page_of(name):
    """The page of a case, as text."""
    return html(found_of(name), title="An audit", notes=["Made for a test."])
