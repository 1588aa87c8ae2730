"""A mistake as a row of facts: its sentences, with places for the names that a call brings.

Example
    TABLE_GONE = Wording('table "{name}" is gone', hint="Name another.")
    raise TABLE_GONE(span, name=name)

A place is spelled as in `str.format`. Behind its colon may stand a word of `_SPELLINGS`, or two
endings of a count: "{count:key is|keys are} not unique". tests/house/test_wording.py
compares all rows with all calls. A detail or hint is left out where a name in it is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite, isnan
from string import Formatter
from typing import Any

from msgspec import Struct

from filtersql.errors import Mistake, nearest
from filtersql.names import RelationName, quote_identifier
from filtersql.source import Span

__all__ = [
    "Wording",
    "counted",
    "is_spelling",
    "json_row",
    "meant",
    "shown",
    "shown_key",
    "value_text",
]


def shown(name: RelationName) -> str:
    """A table as a user would write it: without the schema when that is public.

    >>> shown(RelationName("public", "t1")), shown(RelationName("s", "t1"))
    ('t1', 's.t1')
    """
    return quote_identifier(name.name) if name.schema == "public" else str(name)


def counted(number: int, noun: str) -> str:
    """A number of things, in words.

    >>> counted(1, "target"), counted(2000, "target")
    ('1 target', '2,000 targets')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def meant(name: str, known: Iterable[str]) -> str | None:
    """The hint that names what a typo probably meant."""
    close = nearest(name, known)
    return f'Perhaps "{close}" was meant.' if close else None


def value_text(value: object) -> str:
    """A value of a row as PostgreSQL prints it."""
    if isinstance(value, bool):
        return "t" if value else "f"
    return "NULL" if value is None else str(_json_value(value))


def json_row(values: Mapping[str, object]) -> dict[str, object]:
    """A row of an engine as JSON."""
    return {name: _json_value(value) for name, value in values.items()}


def _json_value(value: object) -> object:
    """A value; what JSON has none for is PostgreSQL's text, as in a feed."""
    if isinstance(value, bytes | bytearray):
        return f"\\x{value.hex()}"
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def shown_key(key: Mapping[str, object]) -> str:
    """A row by its key, as PostgreSQL names it in a detail."""
    values = ("null" if value is None else value_text(value) for value in key.values())
    return f"Key ({', '.join(key)})=({', '.join(values)})"


_SPELLINGS: dict[str, Callable[[Any], str]] = {
    "listed": lambda names: ", ".join(map(str, names)),
    "quoted": lambda names: ", ".join(f'"{name}"' for name in names),
    "both": lambda names: " and ".join(f'"{name}"' for name in names),
    "columns": lambda names: ", ".join(map(quote_identifier, names)),
    "shown": shown,
    "key": shown_key,
    "capital": str.capitalize,
    "stop": lambda text: f"{text.rstrip('.')}.",
    "sentence": lambda text: f"{text[:1].upper()}{text[1:].rstrip('.')}.",
}


def is_spelling(spelling: str) -> bool:
    """Whether it may stand behind the colon of a place."""
    return not spelling or spelling in _SPELLINGS or spelling.count("|") == 1


class _Sentences(Formatter):
    def format_field(self, value: object, format_spec: str) -> str:
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return f"{value} {one if value == 1 else many}"
        return _SPELLINGS[format_spec](value) if format_spec else str(value)


def _said(sentence: str | None, names: Mapping[str, object]) -> str | None:
    places = [
        place.partition(".")[0] for _, place, _, _ in Formatter().parse(sentence or "") if place
    ]
    if sentence is None or any(names[place] is None for place in places):
        return None
    return _Sentences().vformat(sentence, (), names)


class Wording(Struct, frozen=True):
    """A row: what one mistake says. A call brings the place and the names."""

    message: str
    detail: str | None = None
    hint: str | None = None
    exit_code: int = 1
    own: bool = False

    def __call__(
        self,
        span: Span | None = None,
        *,
        detail: str | None = None,
        hint: str | None = None,
        **names: object,
    ) -> Mistake:
        """The mistake. A detail or hint of the call stands in place of the row's."""
        mistake = Mistake(
            _Sentences().vformat(self.message, (), names),
            span=span,
            detail=detail or _said(self.detail, names),
            hint=hint or _said(self.hint, names),
        )
        mistake.exit_code, mistake.own = self.exit_code, self.own
        return mistake
