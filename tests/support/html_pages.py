"""Audits of many kinds and their pages, made once, and pages as trees of tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser

import attrs

import dpframe as dp
from dpframe.audits import audit, parse_description
from dpframe.audits.figures import figure
from dpframe.audits.findings import findings
from dpframe.audits.html import html
from dpframe.literature.catalogue import setting_of
from tests.support.formulas import audited

# --------------------------------------------------------------------------------- A page as a tree
EMPTY = {"meta", "br", "img", "link", "input", "hr"}


@attrs.define
class Tag:
    """An element: its name, its attributes, what it holds."""

    name: str
    attributes: dict[str, str | None]
    children: list[Tag | str] = attrs.field(factory=list)

    def walk(self) -> Iterator[Tag]:
        """Itself and all below, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Tag):
                yield from child.walk()

    def all(self, *names: str) -> list[Tag]:
        """Those with one of these names."""
        return [one for one in self.walk() if one.name in names]

    def one(self, name: str) -> Tag:
        """The only one of that name."""
        (found,) = self.all(name)
        return found

    def by_id(self, place: str) -> Tag:
        """The only one with that id."""
        (found,) = [one for one in self.walk() if one.attributes.get("id") == place]
        return found

    @property
    def text(self) -> str:
        """All text, without that of stylesheets."""
        if self.name == "style":
            return ""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def rows(self) -> list[list[str]]:
        """The cells of a table, its heading first."""
        return [
            [cell.text for cell in row.children if isinstance(cell, Tag)] for row in self.all("tr")
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Tag("", {})
        self.open = [self.root]
        self.declared: list[str] = []

    def handle_decl(self, decl: str) -> None:
        self.declared.append(decl)

    def handle_starttag(self, tag: str, attrs_: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs_]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice"
        found = Tag(tag, dict(attrs_))
        self.open[-1].children.append(found)
        if tag not in EMPTY:
            self.open.append(found)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def read(page: str) -> Tag:
    """The root of the page, whose tags are all closed in order. Raises AssertionError."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.declared == ["DOCTYPE html"]
    assert len(reader.open) == 1, f"open at the end: {[one.name for one in reader.open]}"
    return next(one for one in reader.root.children if isinstance(one, Tag))


# -------------------------------------------------------------------------------------------- Cases
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


def described(text):
    """The audit of a description."""
    found = parse_description(text)
    return audit(found.regression, target=found.target, setting=found.setting)


def words_of(done, **options):
    """The text of the page of an audit."""
    return read(html(findings(done), **options)).text


def unfolded(done):
    """The text of an audit with all details as one line."""
    return " ".join(done.text(details=True).split())


NOISE = ("std", "scale", "variance", "calibration")


def resized(text, sizes):
    """The file with these sizes of noise, by release, in place of its own and of its shares."""
    for name, size in sizes.items():
        head, mark, rest = text.partition(f'name = "{name}"\n')
        own, more, others = rest.partition("\n[")
        own = re.sub(rf"(?m)^({'|'.join(NOISE)}|share) = .*\n?", "", own)
        key = "scale" if '"laplace"' in own else "std"
        text = f'{head}{mark}{key} = "{figure(size, "up", 6)}"\n{own}{more}{others}'
    return text
