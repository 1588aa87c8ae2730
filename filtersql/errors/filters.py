"""What a row filter may not hold: PostgreSQL's own refusals, and what an engine cannot do exactly.

The first half words what CREATE PUBLICATION says, with its details and hints, the caret where
PostgreSQL puts it. The second half is filtersql's own: a filter that PostgreSQL accepts but whose
exact meaning has no form on the target engine.
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording
from filtersql.source import Span

_ADD_CASTS = "You might need to add explicit type casts."
_ANOTHER_WAY = "Write the filter another way: filtersql never runs a filter that may differ."
_DATE_STYLE = "Perhaps you need a different"
#: since when messages name a parameter as its documentation does
_SPELLED_SINCE = 18

MISSING_TABLE = Wording('missing FROM-clause entry for table "{table}"')
# A type, schema, collation or parameter: `thing` is how it is named.
MISSING_THING = Wording("{thing} does not exist")
NOT_BOOLEAN = Wording("argument of {place} must be type boolean, not type {type_name}")
# A signature is PostgreSQL's: `integer + text`, `lower(integer)`.
UNKNOWN_OPERATOR = Wording(
    "operator does not exist: {signature}",
    hint=f"No operator matches the given name and argument types. {_ADD_CASTS}",
)
UNKNOWN_PREFIX = Wording(
    "operator does not exist: {signature}",
    hint="No operator matches the given name and argument type. "
    "You might need to add an explicit type cast.",
)
AMBIGUOUS_OPERATOR = Wording(
    "operator is not unique: {signature}",
    hint=f"Could not choose a best candidate operator. {_ADD_CASTS}",
)
UNKNOWN_FUNCTION = Wording(
    "function {signature} does not exist",
    hint=f"No function matches the given name and argument types. {_ADD_CASTS}",
)
AMBIGUOUS_FUNCTION = Wording(
    "function {signature} is not unique",
    hint=f"Could not choose a best candidate function. {_ADD_CASTS}",
)
# Branches of CASE, arguments of COALESCE, … whose types have nothing in common.
CANNOT_MATCH = Wording("{construct} types {first} and {second} cannot be matched")
COLLATION_MISMATCH = Wording(
    'collation mismatch between explicit collations "{first}" and "{second}"'
)
# A literal names a zone whose rules at that time differ between time zone databases.
UNSURE_ZONE = Wording(
    'time zone "{zone}" of a literal cannot be read as the source did',
    detail="The rules of this zone at that time differ between time zone databases.",
    hint="Write the offset from UTC instead, such as +01.",
    own=True,
)


class InvalidExpression(Mistake):
    """Something that check_simple_rowfilter_expr_walker() refuses; `detail` is its sentence."""

    def __init__(self, detail: str, span: Span | None) -> None:
        super().__init__("invalid publication WHERE expression", span=span, detail=detail)


class UnknownColumn(Mistake):
    """A column that the table does not have, with the nearest names that it has."""

    def __init__(
        self, column: str, span: Span | None, *, nearest: Sequence[str], table: str
    ) -> None:
        names = " or the column ".join(f'"{table}.{name}"' for name in nearest)
        hint = f"Perhaps you meant to reference the column {names}."
        super().__init__(
            f"column {column} does not exist", span=span, hint=hint if nearest else None
        )


class CannotCast(Mistake):
    """A cast that does not exist."""

    def __init__(self, source: str, target: str, span: Span | None) -> None:
        super().__init__(f"cannot cast type {source} to {target}", span=span)
        self.source, self.target = source, target


class BadLiteral(Mistake):
    """A literal that the type's input function does not read. The caller adds the span."""

    def __init__(self, message: str, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, detail=detail, hint=hint)

    @classmethod
    def syntax(cls, type_name: str, text: str, detail: str | None = None) -> BadLiteral:
        """`invalid input syntax for type integer: "1x"`."""
        return cls(f'invalid input syntax for type {type_name}: "{text}"', detail)

    @classmethod
    def too_big(cls, type_name: str, text: str) -> BadLiteral:
        """`value "70000" is out of range for type smallint`."""
        return cls(f'value "{text}" is out of range for type {type_name}')

    @classmethod
    def float_too_big(cls, type_name: str, text: str) -> BadLiteral:
        """`"1e400" is out of range for type double precision`."""
        return cls(f'"{text}" is out of range for type {type_name}')

    @classmethod
    def date_field(cls, text: str, version: int, *, month_day: bool = False) -> BadLiteral:
        """`date/time field value out of range: "2024-13-01"`, with the hint that a month gets."""
        message = f'date/time field value out of range: "{text}"'
        setting = "DateStyle" if version >= _SPELLED_SINCE else "datestyle"
        return cls(message, hint=f'{_DATE_STYLE} "{setting}" setting.' if month_day else None)

    @property
    def is_told_by_postgres(self) -> bool:
        """Whether the literal is none to PostgreSQL; filtersql's own refusals have hints."""
        return self.hint is None or self.hint.startswith(_DATE_STYLE)

    @classmethod
    def unread(cls, type_name: str, text: str) -> BadLiteral:
        """A form that PostgreSQL reads and filtersql does not."""
        found = cls(
            f'literal "{text}" of type {type_name} is in a form that filtersql does not read',
            hint="Write it in the form in which PostgreSQL prints it.",
        )
        found.own = True
        return found

    @classmethod
    def abbreviation(cls, zone: str) -> BadLiteral:
        """A time zone's short name that has meant several offsets: filtersql's own refusal."""
        found = cls(
            f'time zone abbreviation "{zone}" has had several offsets',
            "Which of them a literal means depends on the server's time zone tables.",
            "Write the offset itself, such as +03.",
        )
        found.own = True
        return found

    @classmethod
    def time_zone(cls, zone: str) -> BadLiteral:
        """`time zone "x" not recognized`."""
        return cls(f'time zone "{zone}" not recognized')


class FrozenTime(Mistake):
    """A literal such as 'today' in a publication whose time of creation is not known."""

    own = True

    def __init__(self, word: str) -> None:
        super().__init__(
            f'literal "{word}" needs the time when the publication was created',
            detail="PostgreSQL freezes such a literal at CREATE PUBLICATION.",
            hint='Say "created: <timestamp>" under the publication, or write the date itself.',
        )


class Wrong(Mistake):
    """Any other refusal of PostgreSQL's parser: `message` is built by the rule that knows it."""

    def __init__(
        self,
        message: str,
        span: Span | None,
        *,
        detail: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, span=span, detail=detail, hint=hint)


class NotTranslated(Mistake):
    """PostgreSQL accepts it, but the engine has no form that means exactly the same."""

    own = True

    def __init__(
        self, what: str, engine: str, reason: str, span: Span | None, *, hint: str = _ANOTHER_WAY
    ) -> None:
        super().__init__(
            f"{what} cannot be written for {engine}", span=span, detail=reason, hint=hint
        )


class OrderNotKnown(NotTranslated):
    """The order of text under a collation that is not that of the bytes."""

    def __init__(self, what: str, engine: str, span: Span | None) -> None:
        super().__init__(
            what,
            engine,
            "The order of text depends on the collation of the database.",
            span,
            hint="If it is C, POSIX or C.UTF-8, say so as database_locale in "
            'filtersql_project.yml; or say COLLATE "C" where the order of the bytes is meant.',
        )
