"""What a command comes to: a record, and the JSON document that it prints.

Example
    done = project.run()
    done.to_json()                        the document of `filtersql run --format json`
    Run.from_json(document)               the same record

A notebook shows a record as a table.
"""

from __future__ import annotations

from html import escape
from typing import Self

import msgspec

__all__ = ["Known", "Record", "Row", "Rows"]

#: a row or key as JSON has it: column -> value
Row = dict[str, object]


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document with a field that it does not know is refused: nothing gets lost."""


class Record(Known, frozen=True):
    """What a command came to."""

    @property
    def right(self) -> bool:
        """Whether all is as it should be; else the command exits with 1."""
        return True

    @property
    def document(self) -> object:
        """What the command prints as JSON."""
        return self

    @classmethod
    def from_json(cls, document: bytes) -> Self:
        """The record of a command's document."""
        return msgspec.json.decode(document, type=cls)

    def to_json(self) -> str:
        """The command's document."""
        encoded = msgspec.json.encode(self.document, enc_hook=str)
        return msgspec.json.format(encoded, indent=2).decode()

    @property
    def rows(self) -> tuple[msgspec.Struct, ...]:
        """What a table of the record has a line for."""
        lists = (getattr(self, name) for name in self.__struct_fields__)
        return next((each for each in lists if isinstance(each, tuple)), ())

    def _repr_html_(self) -> str:
        """The rows as a table; what they have nowhere is left out."""
        rows = [msgspec.to_builtins(row) for row in self.rows]
        if not rows:
            return f"<p>{type(self).__name__}: nothing to show</p>"
        names = [
            name for name in rows[0] if any(row[name] not in (None, "", [], {}) for row in rows)
        ]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        lines = ("".join(f"<td>{escape(_shown(row[name]))}</td>" for name in names) for row in rows)
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: object) -> str:
    if isinstance(value, list) and all(isinstance(each, int | str) for each in value):
        return ", ".join(map(str, value))
    if isinstance(value, dict | list):
        return msgspec.json.encode(value).decode()
    return "" if value is None else str(value)


class Rows(Record, frozen=True):
    """A record whose document is a list: that of its one field."""

    @classmethod
    def from_json(cls, document: bytes) -> Self:
        """The record of a command's document."""
        (name,) = cls.__struct_fields__
        return msgspec.convert({name: msgspec.json.decode(document)}, cls)

    @property
    def document(self) -> object:
        """What the command prints as JSON."""
        return self.rows
