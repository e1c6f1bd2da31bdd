"""Descriptions that must be refused, by what is wrong with them."""

from collections.abc import Iterator

HEAD = """title = "t"
relation = "add-remove"
claim = {epsilon = 1, delta = 1e-6}
rows = {norm = 1}
labels = {bound = 1}
"""
RELEASE = """[[release]]
name = "gram"
statistic = "X'X"
mechanism = "gaussian"
std = "6/epsilon"
"""
GOOD = HEAD + RELEASE
FORMULAS = {
    "tower": "2^9^9^9",
    "power of powers": "((2^8)^8)^8",
    "huge power": "10^10^9",
    "huge exponent": "epsilon^99999999999999999999",
    "root of huge order": "epsilon^(1/99999999)",
    "power that is no number": "2^epsilon",
    "power of a power": "2^(2^(2^2))",
    "power of nothing": "2^(1/0)",
    "powers of a huge number": "(((9e399)^64)^64)^64",
    "function alone": "sqrt",
    "call": "exec('1')",
    "conditional on names": "epsilon if epsilon else delta",
    "huge number": "1e99999",
    "many digits": "9" * 500,
    "many brackets": "(" * 400 + "1" + ")" * 400,
    "nested functions": "log(" * 60 + "3" + ")" * 60,
    "many terms": "+".join(["epsilon"] * 600),
    "long": "epsilon" + "+0" * 600,
    "multiplied out": "(" + "+".join(f"log({i}+2)" for i in range(20)) + ")^9",
    "import": "__import__('os').system('true')",
    "attribute": "().__class__.__bases__",
    "attribute of a name": "epsilon.__class__",
    "dunder": "__class__",
    "lambda": "lambda: 1",
    "template": "{{7*7}}",
    "script": "<script>alert(1)</script>",
    "open": "open('/etc/passwd')",
    "format": "%s{0.__class__}",
    "shell": "$(id)`id`",
    "semicolon": "1; 2",
    "comprehension": "[x for x in (1, 2)]",
    "string": "'a'*1000000000",
    "walrus": "(x := 1)",
    "comparison": "1 < 2",
    "conditional": "1 if 1 else 2",
    "index": "X[0]",
    "complex": "1j",
    "hexadecimal": "0x10",
    "underscores": "1_000",
    "nan": "nan",
    "infinity": "inf",
    "unknown name": "epsilom",
    "unknown function": "exp10(1)",
    "rows as a number": "X",
    "product of rows": "X*X",
    "sum of rows": "X + X",
    "transpose alone": "X'",
    "no argument": "sqrt()",
    "many arguments": "log(1, 2)",
    "division by zero": "1/0",
    "log of zero": "log(0)",
    "root of a negative": "sqrt(0-4)",
    "negative": "-1",
    "zero": "0",
    "nothing": " ",
    "two numbers": "1 2",
    "bracket": "1)",
    "operators": "*" * 900,
    "another alphabet": "εpsilon",
    "lookalike letter": "\\uff45psilon",
    "lookalike digit": "\\u0661",
    "newline": "1\\n2",
    "null": "1\\u0000",
    "name of a release": "gram",
}
TEXTS = {
    "control": "a\\u0007b",
    "escape": "\\u001b[31mred",
    "override": "abc\\u202ecba",
    "isolate": "abc\\u2066cba",
    "zero width": "a\\u200bb",
    "byte order mark inside": "a\\ufeffb",
    "line separator": "a\\u2028b",
    "private use": "a\\ue000b",
    "two lines": "a\\nb",
    "long": "a" * 5000,
    "empty": "",
    "quotes": '\\"',
}
NAMES = [
    *("X", "y", "n", "d", "B", "Y", "epsilon", "delta", "box", "any", "other", "__class__", "_x"),
    *("1a", "a b", "a.b", "", "a-b", "é", "gаmma", "ｇamma", "a\\nb", "a\\u202e", "<b>", "a" * 60),
    *("gram; drop", "{x}"),
]
PARAMETERS = [
    *("epsilon", "X", "B", "sqrt", "clip", "gram", "_p", "__class__", "é", "ｐ", "p p", "\\u202ep"),
]
RANGES = {
    "backwards": '"in (1, 0)"',
    "empty": '"in (0, 0)"',
    "no whole number": '"whole in (0, 1)"',
    "not numbers": '"in (a, b)"',
    "formula": '"epsilon/2"',
    "nan": "nan",
    "infinite": "inf",
    "huge": "1e500",
    "tiny": "1e-500",
    "truth": "true",
    "date": "1979-05-27",
    "list": "[0, 1]",
    "zero divisor": '"1/0"',
    "huge integer": "9" * 5000,
    "hexadecimal": "0x" + "f" * 5000,
}


def toml() -> Iterator[tuple[str, str]]:
    """(what, text) in TOML."""
    yield "nothing", ""
    yield "no toml", "hello world"
    yield "unterminated", 'title = "t'
    yield "twice", 'title = "a"\n' + GOOD
    yield "table twice", GOOD.replace("rows =", "[rows]\nnorm = 1\n[rows]\n#")
    yield "only a comment", "# nothing"
    yield "arrays", "title = " + "[" * 9000 + "]" * 9000
    yield "arrays after text", 'title = """a"""" + "' + "[" * 10_000
    yield "arrays, lines", "title = " + "[\n" * 10_000 + "]\n" * 10_000
    yield "tables", "title = " + "{a = " * 10_000 + "1" + "}" * 10_000
    yield "headers", "".join(f"[{'a.' * 90}b{i}]\n" for i in range(1000))
    yield "dotted", "a." * 9000 + "a = 1\n"
    yield "dotted, many", "".join(f"{'a.' * 5}b{i} = 1\n" for i in range(6000)) + GOOD
    yield "keys", "".join(f"k{i} = 1\n" for i in range(9000)) + GOOD
    yield "long line", "# " + "a" * 30_000 + "\n" + GOOD
    yield "big", GOOD + "# padding\n" * 100_000
    yield "comments and quotes", "#" * 100 + '\n"' * 45_000
    yield "null", GOOD.replace('"t"', '"t\x00"')
    yield "control", GOOD + "# \x1b[2J\n"
    yield "override", GOOD + "# \u202e\n"
    yield "carriage return", GOOD.replace("\n", "\r", 3)
    yield "mark twice", "\ufeff\ufeff" + GOOD
    yield from structure()
    yield from meaning()
    yield from everywhere()


def structure() -> Iterator[tuple[str, str]]:
    """Tables and keys that are no description."""
    yield "release as table", HEAD + RELEASE.replace("[[release]]", "[release]")
    yield "release as text", HEAD + 'release = "gram"'
    yield "no release", HEAD
    yield "release empty", HEAD + "release = []"
    yield "releases", HEAD + RELEASE * 1000
    yield "twice one name", GOOD + RELEASE
    yield "rows as number", GOOD.replace("{norm = 1}", "1")
    yield "rows empty", GOOD.replace("{norm = 1}", "{}")
    yield "claim empty", GOOD.replace("{epsilon = 1, delta = 1e-6}", "{}")
    yield "claim mixed", GOOD.replace("delta = 1e-6", "rho = 1")
    yield "delta of 1", GOOD.replace("1e-6", "1")
    yield "relation", GOOD.replace("add-remove", "add_remove")
    yield "labels twice", GOOD.replace("{bound = 1}", "{bound = 1, lower = 0, upper = 1}")
    yield "labels half", GOOD.replace("{bound = 1}", "{lower = 0}")
    yield "labels backwards", GOOD.replace("{bound = 1}", "{lower = 1, upper = 0}")
    yield "labels huge", GOOD.replace("{bound = 1}", "{lower = -1e399, upper = 1e399}")
    yield "title is a number", GOOD.replace('"t"', "5")
    yield "title is a list", GOOD.replace('"t"', '["t"]')
    yield "misspelt", GOOD.replace("relation", "relatoin")
    yield "key of another", GOOD + 'sensitivity = "1"'
    yield "accountant", 'accountant = "magic"\n' + GOOD
    yield "path", 'include = "/etc/passwd"\n' + GOOD
    yield "rows a person", "rows_per_person = 0\n" + GOOD
    yield "rows a person, half", "rows_per_person = 1.5\n" + GOOD
    yield "mechanism", GOOD.replace('"gaussian"', '"__class__"')
    yield "no noise", GOOD.replace('std = "6/epsilon"', "")
    yield "noise twice", GOOD + "variance = 1"
    yield "std of laplace", GOOD.replace('"gaussian"', '"laplace"')
    yield "scale of gaussian", GOOD.replace("std", "scale")
    yield "theorem without share", GOOD.replace('std = "6/epsilon"', 'calibration = "analytic"')
    theorem = 'calibration = "pure"\nshare = "epsilon"'
    yield "theorem of another", GOOD.replace('std = "6/epsilon"', theorem)
    yield "share of one", GOOD + 'share = "epsilon"'
    yield "share of three", GOOD + 'share = "epsilon, delta, 1"'
    yield "share with a hole", GOOD + 'share = "epsilon,"'
    yield "weight", GOOD + "weight = 1"
    yield "half a time", GOOD + "times = 1.5"
    yield "no times", GOOD + "times = 0"
    yield "sampled", GOOD + "sampled = 2"
    yield "sampled without a loop", GOOD + 'sampled = "n"'
    yield "other without why", GOOD.replace("X'X", "other")
    yield "other without a norm", GOOD.replace("X'X", "other") + 'sensitivity=1\nwhy="so"'
    other = GOOD.replace("X'X", "other")
    yield "other with a why of nothing", other + 'sensitivity=1\nnorm="L2"\nwhy=" "'
    yield "output of nothing", GOOD + "[output]\nreads = []"
    yield "output of a wish", GOOD + '[output]\nreads = ["secret"]'


def meaning() -> Iterator[tuple[str, str]]:
    """Formulas and statistics that mean nothing, or too much."""
    yield "formulas in a circle", GOOD + '[let]\na = "b"\nb = "a"'
    yield "formula of itself", GOOD + '[let]\na = "a + 1"'
    let, one = GOOD + "[let]\n", "".join(f"{{name}}{i} = 1\n" for i in range(60))
    double = "".join(f"a{i} = 'log(a{i - 1} + 1) * a{i - 1}'\n" for i in range(1, 40))
    yield "formulas that double", f"{let}a0 = 'log(2+epsilon)'\n{double}"
    yield "formulas, many", let + one.format(name="a")
    deep = "".join(f"a{i} = 'log({i}+a{i - 1})'\n" for i in range(1, 49))
    yield "formulas, deep", f"{let}a0 = 3\n{deep}"
    yield "parameters, many", GOOD + "[parameters]\n" + one.format(name="p")
    many = (RELEASE.replace("gram", f"r{i}").replace("6/", f"({i}+p)/") for i in range(30))
    yield "ranges, many", HEAD + '[parameters]\np = "in (0, 1)"\n' + "".join(many)
    yield "statistic of a number", GOOD.replace("X'X", "1")
    yield "statistic of two tables", GOOD.replace("X'X", "clip(X, 1)'X")
    yield "statistic plus a number", GOOD.replace("X'X", "X'X + 1")
    yield "statistics of two shapes", GOOD.replace("X'X", "X'X + sum(y)")
    yield "histogram", GOOD.replace("X'X", "histogram(X, y, 1e9)")
    yield "bounds", GOOD.replace("X'X", "clip(y, 2, 1)'y")
    yield "clip by zero", GOOD.replace("X'X", "clip(X, 0)'clip(X, 0)")
    gradients = "stack(gradient(X, y, 1), gradient(X, y, 1))"
    yield "gradient and gradient", GOOD.replace("X'X", gradients)


def everywhere() -> Iterator[tuple[str, str]]:
    """Bad formulas, texts, names and numbers, in every place that takes one."""
    for what, text in FORMULAS.items():
        yield f"std: {what}", GOOD.replace("6/epsilon", text)
        if what not in {"negative", "zero"}:
            yield f"share: {what}", GOOD + f'share = ["{text}", "delta"]'
        yield f"let: {what}", GOOD + f'[let]\na = "{text}"' if text not in RAW_VALUES else ""
    for what, text in TEXTS.items():
        yield f"title: {what}", GOOD.replace('"t"', f'"{text}"')
        if what not in {"two lines", "quotes"}:
            yield f"note: {what}", GOOD + f'note = "{text}"'
    for name in NAMES:
        yield f"release called {name[:9]}", GOOD.replace('"gram"', f'"{name}"')
    for name in PARAMETERS:
        yield f"parameter {name}", GOOD + f'[parameters]\n"{name}" = 1'
    for what, text in RANGES.items():
        yield f"range: {what}", GOOD + f"[parameters]\np = {text}"
        if what not in {"backwards", "empty", "no whole number", "not numbers", "formula"}:
            yield f"epsilon: {what}", GOOD.replace("epsilon = 1,", f"epsilon = {text},")
            yield f"norm: {what}", GOOD.replace("norm = 1", f"norm = {text}")


RAW_VALUES = {"X", "-1", "0", "X*X"}


CASES = [(what, text) for what, text in toml() if text or what == "nothing"]
