"""Whatever stands in a name, a title or a witness is text: no tag, no attribute, no link."""

import ast
import re
from pathlib import Path

import attrs
import pytest
from jinja2 import nodes

import dpframe as dp
from dpframe.audits import audit
from dpframe.audits.findings import findings
from dpframe.audits.html import html
from dpframe.audits.html.document import STYLE, _environment
from dpframe.audits.html.words import visible
from dpframe.literature.catalogue import setting_of
from dpframe.prover import Obligation, Verdict
from dpframe.prover.problem import Witness
from tests.support.html_pages import found_of, read


def listed(text):
    """Words as a set."""
    return set(text.split())


TAGS = listed(
    "html head meta title style body a header h1 h2 h3 h4 p main section svg path span strong ul "
    "li dl dt dd div nav table caption thead tbody tr th td sub code pre figure figcaption desc "
    "defs pattern rect g text circle line polyline polygon footer math mrow mi mo mn mfrac msqrt "
    "msup msub mtext mspace"
)
ATTRIBUTES = listed(
    "lang dir data-footer http-equiv content charset name href class id aria-labelledby aria-label "
    "aria-hidden role tabindex scope viewbox width height d x y x1 x2 y1 y2 cx cy r rx points fill "
    "text-anchor patternunits patterntransform alttext displaystyle separator"
)
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "apostrophe": "' onmouseover='alert(1)",
    "title": "</title><script>alert(1)</script>",
    "style": "</style><style>*{display:none}</style>",
    "cdata": "]]><![CDATA[<b>",
    "comment": "<!" + "-" * 2 + " hidden",
    "entity": "&lt;b&gt;&amp;&#60;i&#62;",
    "link": "javascript:alert(1)",
    "paint": "url(https://example.org/x)",
    "template": "{{7}}${7}%s%(x)s",
    "code": "`<b>x</b>` dp.post(<i>y</i>)",
    "citation": "[BalleW18, <b>]",
    "nul": "a\x00b\x08c\x7f",
    "bidi": "a\u202eb\u2066c\u200fd\ufeff",
    "lines": "a\u2028b\u2029c\x85d",
    "surrogate": "a\ud800b",
    "unassigned": "a\U000e0001b\uffffc",
}
EVERYWHERE = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


def checked(page):
    """The page as a tree, of known tags and attributes only."""
    page.encode("utf-8")
    root = read(page)
    assert {one.name for one in root.walk()} <= TAGS
    assert {name for one in root.walk() for name in one.attributes} <= ATTRIBUTES
    assert (
        len(root.all("style")) == len(root.all("body")) == len(root.all("title")) - drawn(root) == 1
    )
    unseen = [c for c in page if ord(c) < 32 and c not in "\n\t"]
    assert not unseen
    assert not set(page) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    return root


def drawn(root):
    """How many pictures have titles."""
    return len(root.one("body").all("title"))


def shown(text):
    """Text as a reader sees it: unseen characters by number, other white space as it is."""
    unseen = {"\x00", "\x08", "\x7f", "\u202e", "\u2066", "\u200f", "\ufeff", "\u2028", "\u2029"}
    unseen |= {"\x85", "\ud800", "\U000e0001", "\uffff"}
    return "".join(f"⟨U+{ord(c):04X}⟩" if c in unseen else c for c in text)


@EVERYWHERE
def test_elements_hold_text(text):
    """In an element and in an attribute, it is read back as it was."""
    page = '<!DOCTYPE html><html lang="en"><p aria-label="{{ text }}">{{ text }}</p></html>'
    root = read(visible(_environment().from_string(page).render(text=text)))
    paragraph = root.one("p")
    assert paragraph.text == shown(text) == visible(text)
    assert paragraph.attributes["aria-label"] == shown(text)


@EVERYWHERE
def test_what_the_auditor_writes(text):
    """Title, notes, command."""
    root = checked(html(found_of("refuted"), title=text, notes=[text], command=text))
    assert root.one("h1").text == shown(text)
    assert root.one("head").one("title").text == f"{shown(text)}: refuted"
    assert root.by_id("notes").text.endswith("Notes of the auditor")
    assert shown(text) in root.one("main").text
    assert root.one("pre").text == shown(text)
    assert root.attributes["data-footer"].startswith(shown(text)[:60])


def overwritten(text):
    """Findings of which every text is this one."""
    found = found_of("refuted")
    done = found.audit
    lines = tuple(
        attrs.evolve(
            line,
            name=text,
            statistic=text,
            noise=text,
            norm=text,
            kind=text,
            rule=text,
            witness=text,
            note=text,
            verdict=Verdict.REFUTED,
        )
        for line in done.lines
    )
    witness = Witness({text: 1}, text)
    wrong = Obligation("total", text, text, (text, text), Verdict.REFUTED, witness, text, 2)
    attempts = tuple(attrs.evolve(one, obligations=(wrong,)) for one in done.report.attempts)
    report = attrs.evolve(done.report, attempts=attempts, common=(wrong,), plan=(wrong,))
    audit = attrs.evolve(done, report=report)  # its lines and cost are replaced
    vars(audit).update(lines=lines, joint=attrs.evolve(done.joint, rule=text))
    return attrs.evolve(
        found,
        audit=audit,
        accountants=tuple(
            attrs.evolve(one, name=text, says=text, source=text) for one in found.accountants
        ),
        profile=attrs.evolve(found.profile, rule=text),
        portions=tuple(attrs.evolve(one, name=text, unit=text) for one in found.portions),
        waste=attrs.evolve(found.waste, releases=((text, 1.0, 2.0),)),
        unsplit=text,
        change=attrs.evolve(
            found.change, title=text, why=text, how=text, effect=text, otherwise=text
        ),
        assumptions=tuple(
            attrs.evolve(one, id=text[:20], title=text, text=text) for one in found.assumptions
        ),
        sources=tuple(attrs.evolve(one, text=text) for one in found.sources),
    )


@EVERYWHERE
def test_every_text_of_the_findings(text):
    """All at once; tags stay those of the page."""
    root = checked(html(overwritten(text), title=text))
    bare = shown(text).replace("`", "")
    if not set("-`.[") & set(text):  # which are set in another way: minus signs, code, citations
        assert root.one("main").text.count(bare) >= 40


def test_long_names_are_cut():
    """10,000 characters, and a thousand words without a blank."""
    page = html(overwritten("A" * 10_000), title="B" * 10_000, notes=["C" * 10_000])
    root = checked(page)
    assert "A" * 2001 not in page
    assert "B" * 301 not in page
    assert len(page) < 150_000
    assert "..." in root.one("h1").text


def test_a_long_name_hides_no_verdict():
    """The name loses its middle; the sentence to sign says whole what it says."""
    found = found_of("refuted")

    class Long(dp.literature.SSPWangCoded):
        def __str__(self):
            return "satisfies privacy " * 1000

    done = attrs.evolve(found.audit, regression=Long())
    statement = next(
        one
        for one in read(html(attrs.evolve(found, audit=done))).walk()
        if one.attributes.get("class") == "statement"
    )
    assert "does not satisfy (1," in statement.text
    assert statement.text.endswith("is 1.587 > 1.")
    assert len(statement.text) < 700


def test_names_of_a_declaration():
    """Of classes, releases, functions and their docstrings."""
    evil = '</text></svg><script>alert("x")</script>'

    class Evil(dp.Regression):
        def declare(self, X, y, budget):
            done = dp.release(X.T @ X, dp.Gaussian.analytic, budget, name="q" * 9999)
            return dp.post(function, done)

        def __str__(self):
            return evil

    def function(a):
        return a

    function.__name__ = evil
    function.__doc__ = evil
    Evil.__name__ = evil
    done = audit(Evil(), target=dp.ApproxDP(1, "1e-6"), setting=setting_of(dp.ADD_REMOVE, 1))
    root = checked(html(findings(done)))
    assert evil in root.one("h1").text
    assert evil in root.text


PACKAGE = Path(html.__code__.co_filename).parent
TEMPLATES = sorted((PACKAGE / "templates").glob("*.html"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_there_is_no_other_door(path):
    """Templates escape everything, quote every attribute, and link to places of the page."""
    text = path.read_text(encoding="utf-8")
    tree = _environment().parse(text)
    assert _environment().autoescape is True
    safe = (nodes.MarkSafe, nodes.MarkSafeIfAutoescape, nodes.ScopedEvalContextModifier)
    assert not [*tree.find_all(safe)]
    used = {one.name for one in tree.find_all(nodes.Filter)}
    assert not used & {"safe", "xmlattr", "urlize", "tojson", "forceescape"}
    bare = re.sub(r"{%.*?%}|{{.*?}}", "", text, flags=re.DOTALL)
    tags = re.findall(r"<([a-z][a-z0-9]*)((?: [A-Za-z0-9-]+=\"[^\"<>]*\")*)>", bare)
    assert len(tags) == len(re.findall(r"<[a-z]", bare))
    assert {tag for tag, _ in tags} <= TAGS
    attributes = [
        one for _, held in tags for one in re.findall(r' ([A-Za-z0-9-]+)="([^"]*)"', held)
    ]
    assert {name.lower() for name, _ in attributes} <= ATTRIBUTES
    assert all(value.startswith("#") for name, value in attributes if name == "href")
    assert all(value == "url(#)" for name, value in attributes if name == "fill")


def test_markup_is_made_of_constants():
    """What Python says is HTML already stands in its source, and holds nothing of an audit."""
    for path in sorted(PACKAGE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Markup":
                own = [isinstance(one, ast.Constant) or one.id == "STYLE" for one in node.args]
                assert all(own), (path.name, node.lineno)


def test_html_is_not_taken_for_text():
    """It would be escaped twice."""
    page = _environment().from_string("{% set made %}<b>{% endset %}{{ words(made) }}")
    with pytest.raises(TypeError):
        page.render(known=())


def test_a_stylesheet_is_no_door():
    """The element holds dpframe's own rules, whatever an audit says."""
    page = html(overwritten("</style><script>"), title="</style><script>")
    assert re.findall("<style>(.*?)</style>", page, re.DOTALL) == [STYLE]
