"""Mistakes in a project's unit tests."""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording, meant
from filtersql.names import RelationName
from filtersql.source import Span

_COMPILE = "Run filtersql compile."


class NotExpected(Mistake):
    """A test gives or expects rows of a table that its subscription has no target for."""

    def __init__(
        self, name: RelationName, subscription: str, known: Iterable[RelationName], span: Span
    ) -> None:
        targets = sorted(map(str, known))
        super().__init__(
            f'table "{name}" is not a target of subscription "{subscription}"',
            span=span,
            detail=f"Its targets are {', '.join(targets)}." if targets else "It has no target.",
            hint=meant(str(name), targets),
        )


NO_STATEMENT = Wording('compiled file "{path}" does not exist', hint=_COMPILE)


COMPILED_FOR_ANOTHER = Wording(
    'compiled file "{path}" is for another engine',
    detail="It is written for {written}; the target is on {wanted}.",
    hint="Run filtersql compile with the --target of this command, or this command with the one "
    "of that compile.",
)


NOT_THE_STATEMENT = Wording(
    'compiled file "{path}" is not one {word} statement',
    detail="The parser says: {reason}.",
    hint=_COMPILE,
)


# The filters of a compiled file do not stand as compile writes them.
FILTERS_NOT_FOUND = Wording(
    'compiled file "{path}" does not judge rows by its {wanted} row filters',
    detail="Found are {found}, each in parentheses in the first argument of a COALESCE.",
    hint=f"{_COMPILE} A macro of the project has to keep the COALESCE around the filters.",
)


# Cases have values at which filters change their minds, and no other expression.
VALUE_COMPUTED = Wording(
    'compiled file "{path}" cannot be proved: it computes {expression}',
    detail="Rows are tried with values next to the constants of their row filters, no others.",
    hint="Write the condition into the row filter.",
)


FILTER_NOT_DEFINED = Wording(
    "row filter of a compiled file is not one of the definitions",
    detail="Only a filter that the definitions give for this table can be proved.",
    hint=_COMPILE,
)
WRITES_ELSEWHERE = Wording('compiled file "{path}" does not write into {target}', hint=_COMPILE)


NOT_TRANSPILED = Wording(
    'compiled file "{path}" cannot be written for DuckDB',
    detail="{reason:stop}",
    hint="Prove it with check --engine spark.",
)


# No row can be made on which a statement could be tried.
NOTHING_TO_TRY = Wording(
    'there is no value to try for column "{column}" of "{name}"',
    detail="The statement is not proved.",
)
NOT_PROVED = Wording(
    'compiled file "{path}" cannot be proved: {reason}',
    detail="Cases are told apart by a number that feed, target and joins carry.",
    hint="Write the macro with plain queries, joins and common table expressions.",
)
