"""Views and code of the files: views, triggers, rules, policies, functions.

Example
    `CREATE TRIGGER tr BEFORE UPDATE ON t …` is a Code of kind `trigger`, of t, whose name is tr;
    its words say which columns and functions it may hold.
"""

from __future__ import annotations

from msgspec import Struct

from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["Code", "DraftView"]


class DraftView(Struct, frozen=True):
    """A view, materialized or not: `kind` is PostgreSQL's word for it."""

    kind: str
    span: Span


class Code(Struct, frozen=True):
    """A view, trigger, rule, policy or function: the words of its statement."""

    kind: str
    #: the table that it belongs to, the view or the function
    of: RelationName
    #: its own name, or the types of a function's arguments
    name: str
    words: frozenset[str]
    #: whether it holds columns
    columns: bool

    @property
    def label(self) -> str:
        """What a message calls it."""
        return self.name if self.kind in ("trigger", "rule", "policy") else self.of.name
