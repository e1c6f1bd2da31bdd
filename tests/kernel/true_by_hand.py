"""Certificates written by hand whose statement is true, and tight."""

from tests.kernel.writing import (
    APPROX,
    EPSILON,
    LOG2,
    UNIT,
    Graph,
    Json,
    add,
    certificate,
    classical,
    log,
    minus,
    mul,
    over,
    power,
    root,
    symbol,
)


def adassp_budget(constant="2", rule="Gaussian.kamath_ullman", **more: Json) -> Json:
    """adaSSPbudget: shares gamma, (1-gamma)/2, (1-gamma)/2 of everything."""
    graph = Graph("B", "Y")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    half = mul("1/2", minus("1", "gamma"))
    square, product = power("B", "2"), mul("B", "Y")
    parts = [(graph.node("lambda_min", gram), "gamma", square), (gram, half, square)]
    released, region = [], []
    for statistic, weight, size in [*parts, (moment, half, product)]:
        e, d = mul(weight, "epsilon"), mul(weight, "delta")
        std = classical(e, d, size, constant)
        released.append(graph.release(statistic, std, {"epsilon": e, "delta": d}, rule))
        limit = ["1", True] if constant == "5/4" else [mul("4", LOG2), False]
        region.append([e, *limit])
    arguments = [{"formula": mul("gamma", "delta")}, {"constant": 0.05}]
    output = graph.post(*released, arguments=arguments)
    symbols = {**APPROX, **UNIT, "gamma": symbol("0", "1")}
    target = ["epsilon", "delta"]
    more = {"region": region, **more}
    return certificate(graph, "approx", target, symbols, "basic", output, **more)


def wang(epsilon: Json = "epsilon", delta: Json = "delta", **more: Json) -> Json:
    """Wang's adaSSP, jointly: std sqrt(log(6/delta))/(epsilon/3) times each sensitivity."""
    graph = Graph("B", "Y")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    std = over(root(log(over("6", delta))), mul("1/3", epsilon))
    for statistic, size in [
        (graph.node("lambda_min", gram), power("B", "2")),
        (gram, power("B", "2")),
        (moment, mul("B", "Y")),
    ]:
        graph.release(statistic, mul(std, size))
    bound = add(mul("2", LOG2), mul("3", log("6")), log(over("1", delta)))
    free = epsilon == "epsilon"
    symbols = {**UNIT, **(APPROX if free else {})}
    more = {"region": [[epsilon, bound, False]] if free else [], **more}
    return certificate(graph, "approx", [epsilon, delta], symbols, "gaussian", **more)


def numeric(std, kind, amounts, derivation="gaussian", **more: Json) -> Json:
    """X'X, X'y and lambda_min with one stated std."""
    graph = Graph(columns="8")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    for statistic in (gram, moment, graph.node("lambda_min", gram)):
        graph.release(statistic, std)
    return certificate(graph, kind, amounts, {}, derivation, **more)


def laplace(**more: Json) -> Json:
    """X'X and X'y with Laplace noise from their L1 sensitivities, one row added or removed."""
    graph = Graph("B", "Y")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    half = mul("1/2", "epsilon")
    one = mul("1/2", add("1", "d"), power("B", "2"))
    other = mul(root("d"), "B", "Y")
    for statistic, size in ((gram, one), (moment, other)):
        noise = over(size, half)
        graph.release(statistic, noise, {"epsilon": half}, "Laplace.pure", "laplace")
    symbols = {"epsilon": EPSILON, **UNIT}
    return certificate(graph, "pure", ["epsilon"], symbols, "basic", **more)


def laplace_codebook() -> Json:
    """A coded table under replace-one: |x|_1 <= 2, |x|^2 <= 2; the smaller of two L1 bounds."""
    graph = Graph(columns="2")
    graph.nodes[1] = {
        "id": 1,
        "kind": "encode",
        "inputs": [0],
        "schema": [["age", "18", "90"], ["sex", ["f", "m", "other"]]],
    }
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    share = {"epsilon": "1/2", "delta": "0"}
    graph.release(gram, "12", share, "stated", "laplace")  # min(2 (4 + 2)/2, sqrt(14) 2)/(1/2)
    graph.release(moment, "8", share, "stated", "laplace")
    amounts = ["1", "1/1000000"]
    return certificate(graph, "approx", amounts, {}, "basic", relation="replace_one")


def currency(kind: str, name: str, **more: Json) -> Json:
    """X'X and X'y share rho or mu^2 as gamma and 1 - gamma; a Laplace release too under zCDP."""
    graph = Graph("B", "Y")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    twice = "2" if kind == "zcdp" else "1"
    spare = "1/5" if kind == "zcdp" else "0"
    for statistic, weight, size in [
        (gram, "gamma", power("B", "2")),
        (moment, minus(minus("1", spare), "gamma"), mul("B", "Y")),
    ]:
        worth = mul(weight, name)
        std = over(mul("k", size), root(mul(twice, worth)))
        graph.release(statistic, std, {name if kind == "zcdp" else "mu^2": worth})
    if kind == "zcdp":
        scale = over("k", root(mul("2", spare, name)))
        graph.release(graph.node("count", graph.x), scale, noise="laplace")
    symbols = {name: symbol(), **UNIT, "gamma": symbol("0", "4/5"), "k": symbol("1", None, "left")}
    symbols["k"]["integer"] = True
    derivation = "zcdp" if kind == "zcdp" else "gaussian"
    return certificate(graph, kind, [name], symbols, derivation, rows="k", **more)


def analytic(derivation="basic", **more: Json) -> Json:
    """One X'X with analytic_sigma(epsilon, delta) sqrt(2) B^2, rows replaced."""
    graph = Graph("B", "Y")
    gram = graph.node("gram", graph.x)
    std = mul(["analytic_sigma", "epsilon", "delta"], root("2"), power("B", "2"))
    share = {"epsilon": "epsilon", "delta": "delta"}
    graph.release(gram, std, share, "Gaussian.analytic")
    more = {"relation": "replace_one", **more}
    target = ["epsilon", "delta"]
    return certificate(graph, "approx", target, {**APPROX, **UNIT}, derivation, **more)


def on_boxes(epsilon="4", low="1/10", high="9/10", closed="both", **more: Json) -> Json:
    """Two releases with shares gamma and 1 - gamma of (5, 1e-6): less jointly, by the profile."""
    graph = Graph()
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    for statistic, weight in ((gram, "gamma"), (moment, minus("1", "gamma"))):
        delta = mul("1/1000000", weight)
        graph.release(statistic, classical(mul("5", weight), delta, "1", "2"))
    symbols = {"gamma": symbol(low, high, closed)}
    amounts = [epsilon, "1/1000000"]
    return certificate(graph, "approx", amounts, symbols, "gaussian", **more)


def loop(**more: Json) -> Json:
    """T rounds, each paid from epsilon/T; T is whole."""
    graph = Graph("1", "1")
    moment = graph.node("moment", graph.x, graph.y)
    e, d = over("epsilon", "T"), over("delta", "T")
    std, share = classical(e, d, "1", "2"), {"epsilon": e, "delta": d}
    graph.release(moment, std, share, "Gaussian.kamath_ullman", times="T")
    symbols = {**APPROX, "T": symbol("0", integer=True)}
    region = [["epsilon", mul("4", LOG2), False]]
    target = ["epsilon", "delta"]
    more = {"region": region, **more}
    return certificate(graph, "approx", target, symbols, "basic", **more)


def public_size(**more: Json) -> Json:
    """Under replace-one n is public, delta = 1/(1 + n)^2 may depend on it, and the trace of unit
    rows is constant.
    """
    graph = Graph()
    unit = graph.node("normalize", graph.x)
    n = graph.node("count", graph.x)
    trace = graph.node("trace", unit)
    moment = graph.node("moment", unit, graph.y)
    delta = power(add("1", "n"), "-2")
    share = {"epsilon": "1", "delta": delta}
    std = mul(["analytic_sigma", "1", delta], "2")
    released = graph.release(moment, std, share, "Gaussian.analytic")
    output = graph.post(released, trace, arguments=[{"formula": "n"}])
    symbols = {"n": symbol("1", closed="left", integer=True, origin=n)}
    more = {"relation": "replace_one", **more}
    return certificate(graph, "approx", ["1", delta], symbols, "basic", output, trace, **more)


def stacked(**more: Json) -> Json:
    """(X'X, X'y, lambda_min, y'y) as one release under replace-one: 2 + 1 >= 1, so A = 3 B^4."""
    graph = Graph(columns="8")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    floor, squares = graph.node("lambda_min", gram), graph.node("squares", graph.y)
    stack = graph.node("stack", gram, moment, floor, squares)
    graph.release(stack, over(root("16/3"), "mu"))
    symbols = {"mu": symbol()}
    more = {"relation": "replace_one", **more}
    return certificate(graph, "gaussian", [power("mu", "2")], symbols, "gaussian", **more)


def many_kinds(**more: Json) -> Json:
    """Sums, counts, combinations, an intercept and a scaling, all jointly under add/remove."""
    graph = Graph(norm="3")
    scaled = graph.node("scale", graph.x, by="2")
    rows = graph.node("intercept", scaled, value="2")  # |x|^2 <= 9/4 + 4 = 25/4
    label = graph.node("unit_interval", graph.y, lower="-1", upper="1")
    gram = graph.node("gram", rows)
    combined = graph.node("linear", gram, gram, coefficients=["2", mul("-1", "c")])
    for statistic, size in [
        (combined, mul(add("2", "c"), "25/4")),
        (graph.node("row_sum", rows), "5/2"),
        (graph.node("label_sum", label), "1"),
        (graph.node("trace", rows), "25/4"),
        (graph.node("count", rows), "1"),
        (graph.node("moment", rows, label), "5/2"),
    ]:
        graph.release(statistic, over(mul(size, root("6")), "mu"))
    symbols = {"mu": symbol(), "c": symbol("0", "1")}
    return certificate(graph, "gaussian", [power("mu", "2")], symbols, "gaussian", **more)


def mixed(noise: str, scale: str, std: str, **more: Json) -> Json:
    """Two draws of pure noise on the sum of the labels, and X'y with Gaussian noise."""
    graph = Graph(columns="8")
    labels, moment = graph.node("label_sum", graph.y), graph.node("moment", graph.x, graph.y)
    graph.release(labels, scale, noise=noise, times="2")
    graph.release(moment, std)
    return certificate(graph, "approx", ["1", "1/1000000"], {}, "numeric", **more)


def small_delta(weight="1/3", **more: Json) -> Json:
    """Noise of constant 5/4 in place of 2: E1 for delta_i = delta/3, which is at most 1/2."""
    graph = Graph(columns="8")
    moment = graph.node("moment", graph.x, graph.y)
    d = mul(weight, "delta")
    graph.release(moment, classical("epsilon", d, "1", "5/4"), {"epsilon": "epsilon", "delta": d})
    bound = add(mul("2", LOG2), mul("2", log("5/4")))
    more = {"region": [["epsilon", bound, False]], **more}
    return certificate(graph, "approx", ["epsilon", d], APPROX, "basic", **more)


def preprocessed(**more: Json) -> Json:
    """Released scales: squares of columns and counts between cuts at a fifth each, then X'X and X'y
    of columns and labels that are divided by what was released, and of public scales.
    """
    graph = Graph()
    public = graph.node("scaled_columns", graph.x, by=["1", "2"], minus=["0", "3/4"])
    bins = graph.node("bin_counts", graph.y, cuts=["-1/2", "1/2"], absolute=False)
    spread = graph.release(graph.node("column_squares", graph.x), over(root("5"), "mu"))
    counted = graph.release(bins, over(root("5"), "mu"))
    scale = graph.node("known", graph.post(counted), name="scale")
    divided = graph.node(
        "divided_columns", graph.x, graph.post(spread), lower="1/8", upper="1", centred=False
    )
    rows = graph.node("clip_norm", divided, norm="2")
    scaled = graph.node("scaled_labels", graph.y, by="scale", minus="1/2")
    labels = graph.node("clip_column", scaled, lower="-3", upper="3")
    theta = graph.post(
        graph.release(graph.node("moment", rows, labels), over(mul("6", root("5")), "mu"))
    )
    residuals = graph.node("residuals", graph.x, graph.y, theta)
    error = graph.node("trace", graph.node("clip_norm", residuals, norm="1/2"))
    graph.release(error, over(mul("1/4", root("5")), "mu"))
    graph.release(graph.node("row_sum", public), over(mul("7/4", root("5")), "mu"))
    symbols = {"mu": symbol(), "scale": symbol("1/9", "9", "both", origin=scale)}
    return certificate(graph, "gaussian", [power("mu", "2")], symbols, "gaussian", **more)


def approximate(noise="gaussian", **more: Json) -> Json:
    """Objective perturbation for 9/10 of the budget, its minimiser to 1/1000 for the rest."""
    graph = Graph("B", "Y")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    first, rest = (
        {"epsilon": mul(weight, "epsilon"), "delta": mul(weight, "delta")}
        for weight in ("9/10", "1/10")
    )
    slope = mul("B", add(mul("B", "3"), "Y"))
    least = [
        ["analytic_sigma", mul("1/2", first["epsilon"]), first["delta"]],
        ["analytic_sigma", first["epsilon"], mul("1/2", first["delta"])],
    ]
    laplace = mul("2", power(first["epsilon"], "-1"))
    formulas = {
        "penalty": over(mul("2", power("B", "2")), first["epsilon"]),
        "radius": "3",
        "noise_share": "1/2",
        "size": mul(slope, ["max", *least] if noise == "gaussian" else laplace),
        "tolerance": "1/1000",
        "std": mul("1/500", ["analytic_sigma", rest["epsilon"], rest["delta"]]),
    }
    whole = {"epsilon": "epsilon", "delta": "delta"}
    parts = {"minimum": first, "difference": rest, "noise": noise}
    keys = {"formulas": formulas, "share": whole, "name": "", **parts}
    theta = graph.node("approximate_minimum", gram, moment, **keys)
    target = ["epsilon", "delta"]
    return certificate(graph, "approx", target, {**APPROX, **UNIT}, "basic", theta, **more)


def true_certificates() -> dict[str, Json]:
    """Certificates whose statement is true, and tight: 9/10 of any noise is too little."""
    wang_values = {"epsilon": "13/2", "delta": "1/1000000", "B": "1", "Y": "2"}
    return {
        "adaSSPbudget": adassp_budget(),
        "adaSSPbudget, classical": adassp_budget("5/4", "Gaussian.classical"),
        "adaSSPbudget, one line for all": adassp_budget(
            region=[["epsilon", mul("4", LOG2), False]]
        ),
        "Wang": wang(),
        "Wang at numbers": wang(values=wang_values),
        "Wang beyond E1": wang("30", "1/1000000"),
        "SSP": numeric("9/5", "approx", ["47/10", "1/1000000"]),
        "SSP, replace-one": numeric("4", "gaussian", ["1/3"], relation="replace_one"),
        "SSP, zCDP": numeric("4", "zcdp", ["3/32"], "zcdp"),
        "SSP, zCDP to approximate": numeric("4", "approx", ["12/5", "1/1000000"], "zcdp"),
        "Laplace": laplace(),
        "Laplace, codebook": laplace_codebook(),
        "zCDP": currency("zcdp", "rho"),
        "Gaussian DP": currency("gaussian", "m"),
        "analytic": analytic(),
        "analytic, by definition": analytic("gaussian"),
        "boxes": on_boxes(),
        "boxes, compact region": on_boxes(
            "23/5",
            "0",
            "1",
            "neither",
            region=[["1/1000", "gamma", False], ["gamma", "999/1000", False]],
        ),
        "loop": loop(),
        "public size": public_size(),
        "stack": stacked(),
        "many kinds": many_kinds(),
        "E1, small delta": small_delta(),
        "preprocessed": preprocessed(),
        "approximate minimum": approximate(),
        "approximate minimum, L2-Laplace": approximate("l2_laplace"),
        "numeric": mixed("laplace", "8", "26/5"),
        "numeric, L2": mixed("l2_laplace", "16", "52/5", relation="replace_one"),
    }


TRUE = true_certificates()
