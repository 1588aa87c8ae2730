"""Names of the catalogs' types as PostgreSQL prints them: `_varchar` is `character varying[]`.

PostgreSQL
    format_type.c, format_type_extended()
"""

from __future__ import annotations

from filtersql.catalog import PgType
from filtersql.filters.facts import facts
from filtersql.names import quote_identifier
from filtersql.pgtypes import format_type, type_in_message

__all__ = ["display"]


def display(name: str, modifier: int | None = None) -> str:
    """The type as PostgreSQL prints it: without a modifier in messages, with one in pg_get_expr.

    >>> display("_varchar", 14), display("bpchar"), display("bpchar", -1)
    ('character varying(10)[]', 'character', 'bpchar')
    """
    if not facts().type(name).oid:
        # the schema that everybody's search_path holds is not shown
        return ".".join(map(quote_identifier, name.removeprefix("public.").split(".")))
    return (
        type_in_message(PgType(name)) if modifier is None else format_type(PgType(name, modifier))
    )
