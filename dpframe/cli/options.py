"""Options that several commands share: the claim, the table, the regression and its proof."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import attrs
import typer

import dpframe as dp
from dpframe import documents
from dpframe.errors import Plain
from dpframe.symbols import rational

from .declaration import accountant_of, regression_of, trust_of

# ------------------------------------------------------------------------------------ Options
NAME = "A regression that `dpframe list` prints, or your own, module:Class or file.py:Class."


class RelationName(enum.StrEnum):
    """Neighbouring relations as the command line spells them."""

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"

    @property
    def relation(self) -> dp.Relation:
        """The relation itself."""
        return dp.Relation(self.value.replace("-", "_"))


def option(*words: str) -> Any:
    """An option whose help, the last of the words, shows no default; those before are its names, by
    default that of the parameter.
    """
    *names, text = words
    return typer.Option(*names, help=text, show_default=False)


Name = Annotated[str, typer.Argument(help=NAME)]
CODEBOOK = f"Public bounds as a JSON file: {documents.CODEBOOK}".replace(
    "[", "\\["
)  # [ would be rich markup
WIDTH = "The public number of columns. Default: every number, or those of the codebook."
FORMULA = "Columns and products of the codebook, 'age + bmi:C(smoker)'; needs formulaic."
Out = Annotated[Path | None, option("--out", "Save the certificate to this new file.")]
PLOT = "Draw a picture into this .png, .pdf or .svg file, which is overwritten if it exists."
Plot = Annotated[Path | None, option("--plot", PLOT)]
Force = Annotated[bool, option("--force", "Overwrite files of results that exist.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", show_default=False)]
Related = Annotated[
    RelationName,
    typer.Option("--relation", help="The neighbouring relation: what one person may change."),
]
GROUPS = "Epsilons by group, careful=0.1,open=1."


@attrs.frozen(kw_only=True)
class ClaimOptions:
    """The budget that is claimed."""

    epsilon: Annotated[
        str | None, option("The budget, a number. Default: every epsilon above 0.")
    ] = None
    delta: Annotated[
        str | None,
        option("A number, 0 for pure privacy. Default: every delta in (0, 1)."),
    ] = None

    @property
    def target(self) -> dp.Guarantee:
        """(epsilon, delta)-DP, symbolic in an omitted number; epsilon-DP if delta is 0. Raises
        InvalidArgument.
        """
        spent = dp.EPSILON if self.epsilon is None else rational(self.epsilon.strip(), "epsilon")
        failing = dp.DELTA if self.delta is None else rational(self.delta.strip(), "delta")
        return dp.PureDP(spent) if failing == 0 else dp.ApproxDP(spent, failing)


@attrs.frozen(kw_only=True)
class PersonalClaimOptions(ClaimOptions):
    """The budget that is claimed, perhaps one for each record."""

    each_epsilon: Annotated[
        bool, option("--each-epsilon", "A public epsilon for each record; without --delta pure.")
    ] = False
    groups: Annotated[str | None, option(f"{GROUPS[:-1]}; without --delta pure.")] = None

    @property
    def personal(self) -> bool:
        """Whether each record has a budget of its own."""
        return self.each_epsilon or self.groups is not None

    @property
    def target(self) -> dp.Guarantee:
        """As in ClaimOptions; or personalised, and pure if delta is omitted too. Raises
        InvalidArgument.
        """
        if not self.personal:
            return super().target
        if (self.epsilon is not None) + self.each_epsilon + (self.groups is not None) > 1:
            wanted = "given once: by --epsilon, --each-epsilon or --groups"
            raise dp.InvalidArgument("epsilon", wanted, Plain("several"), "Leave out all but one.")
        failing = rational((self.delta or "0").strip(), "delta")
        spent = dp.each("epsilon") if self.groups is None else groups_of(self.groups)
        return dp.PersonalizedDP(spent, None if failing == 0 else failing)


@attrs.frozen(kw_only=True)
class TableOptions:
    """The public description of the table, by two numbers or a codebook."""

    norm: Annotated[str | None, option("Public bound B on the norm of rows.")] = None
    box: Annotated[
        str | None,
        option("Public bound on the entries of rows, beside or without --norm."),
    ] = None
    bound: Annotated[str | None, option("Public bound Y on the size of labels.")] = None
    relation: Related = RelationName.ADD_REMOVE
    rows_per_person: Annotated[
        str, typer.Option("--rows-per-person", help="The most rows that one person may have.")
    ] = "1"
    schema: Annotated[Path | None, option(CODEBOOK)] = None
    formula: Annotated[str | None, option(FORMULA)] = None
    columns: Annotated[int | None, option("-d", "--columns", WIDTH)] = None

    @property
    def setting(self) -> dp.Setting:
        """The setting of the codebook or of these bounds, by default the symbols B and Y. Raises
        InvalidArgument, MissingExtra.
        """
        rows, column = self._bounded() if self.schema is None else self._coded(self.schema)
        rows = rows if self.columns is None else attrs.evolve(rows, d=self.columns)
        relation, people = self.relation.relation, self.rows_per_person
        return dp.Setting(X=rows, y=column, relation=relation, rows_per_person=people)

    def _bounded(self) -> tuple[dp.Rows, dp.Column]:
        if self.formula is not None:
            wanted, way_out = "given with --schema, its codebook", "Add --schema FILE.json."
            raise dp.InvalidArgument("--formula", wanted, Plain("--formula alone"), way_out)
        norm = dp.parameter("B") if self.norm is None and self.box is None else self.norm
        bound = dp.parameter("Y") if self.bound is None else self.bound
        return dp.Rows(norm=norm, box=self.box), dp.Column(bound=bound)

    def _coded(self, schema: Path) -> tuple[dp.Rows, dp.Column]:
        if any(number is not None for number in (self.norm, self.box, self.bound)):
            wanted = "given once: by --schema, or by --norm, --box and --bound"
            raise dp.InvalidArgument("bounds", wanted, Plain("both"), "Leave out one of them.")
        from dpframe.graph.codebook import codebook_in  # deferred: help needs no graphs

        rows, column = codebook_in(schema, "--schema")
        return (rows if self.formula is None else _by_formula(self.formula, rows, column)), column


def _by_formula(formula: str, rows: dp.Rows, label: dp.Column) -> dp.Rows:
    """The rows of a formula's right side over a codebook. Raises InvalidArgument, MissingExtra."""
    from dpframe.graph.formulas import right_side

    if rows.norm is not None:
        way_out = "The norm follows from the formula: delete it from the codebook."
        raise dp.InvalidArgument(
            "--schema", "without a norm beside --formula", Plain("norm"), way_out
        )
    return right_side(formula, rows.columns or (), label)


@attrs.frozen(kw_only=True)
class RegressionOptions:
    """Hyperparameters of a regression, and classes that its proof may trust."""

    given: Annotated[
        list[str], option("--set", "A hyperparameter, such as gamma=1/3. Repeatable.")
    ] = attrs.field(factory=list)
    trust: Annotated[
        list[str],
        option("Your own class, module:Class, whose claims to trust. Repeatable."),
    ] = attrs.field(factory=list)

    @property
    def trusted(self) -> list[type]:
        """The trusted classes. Raises InvalidArgument."""
        return trust_of(self.trust)

    def regression(self, name: str) -> dp.Regression:
        """The regression of that name. Raises InvalidArgument."""
        return regression_of(name, self.given)


@attrs.frozen(kw_only=True)
class ProofOptions(RegressionOptions):
    """Hyperparameters of a regression, its calibration, and how its total is proved."""

    jointly: Annotated[
        bool, typer.Option("--jointly", help="Scale all noise jointly to the budget.")
    ] = False
    accountant: Annotated[
        str,
        typer.Option(
            "--accountant", help="auto, basic, gaussian, zcdp, numeric, ... or your module:Class."
        ),
    ] = "auto"

    @property
    def accounting(self) -> str | dp.Accountant:
        """The accountant. Raises InvalidArgument."""
        return accountant_of(self.accountant)

    def regression(self, name: str) -> dp.Regression:
        """The regression of that name, calibrated jointly if requested. Raises InvalidArgument."""
        declared = super().regression(name)
        return dp.regressions.Jointly(of=declared) if self.jointly else declared


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command in which a parameter annotated by a class of options stands for its fields, each of
    which is an option.
    """
    signature = inspect.signature(command, eval_str=True)
    classes: dict[str, Any] = {}
    parameters = []
    for one in signature.parameters.values():
        if attrs.has(one.annotation):
            classes[one.name] = one.annotation
            parameters += _options(one.annotation)
        else:
            parameters.append(one)

    @functools.wraps(command)
    def run(**values: Any) -> None:
        groups = {
            name: cls(**{field.name: values.pop(field.name) for field in attrs.fields(cls)})
            for name, cls in classes.items()
        }
        command(**values, **groups)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _options(cls: Any) -> list[inspect.Parameter]:
    """One parameter per field; a field without a default is a required option."""
    hints = get_type_hints(cls, include_extras=True)

    def default(field: Any) -> object:
        if field.default is attrs.NOTHING:
            return inspect.Parameter.empty
        return [] if isinstance(field.default, attrs.Factory) else field.default

    kind = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(field.name, kind, default=default(field), annotation=hints[field.name])
        for field in attrs.fields(cls)
    ]


def names_given(*groups: Any) -> tuple[str, ...]:
    """The names of the options among these that were given: `--norm`, `--set`."""
    spelled = {"given": "--set"}
    return tuple(
        spelled.get(field.name, f"--{field.name.replace('_', '-')}")
        for group in groups
        for field in attrs.fields(type(group))
        if (value := getattr(group, field.name)) != field.default and value != []
    )


def numbers_of(texts: Iterable[str], option_of: str, example: str) -> dict[str, str]:
    """Numbers by different names, each written name=number. Raises InvalidArgument."""
    numbers: dict[str, str] = {}
    for text in texts:
        name, equal, number = (part.strip() for part in text.rpartition("="))
        if not (name and equal) or name in numbers:
            wanted = f"written name=number, once for each name, such as {example}"
            raise dp.InvalidArgument(option_of, wanted, text)
        numbers[name] = number
    return numbers


def groups_of(text: str) -> dict[str, Fraction]:
    """`careful=0.1,open=1` as a mapping. Raises InvalidArgument."""
    numbers = numbers_of(text.split(","), "--groups", "careful=0.1,open=1")
    return {name: rational(number, f"epsilon of {name}") for name, number in numbers.items()}
