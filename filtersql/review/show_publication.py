r"""`show publication`: what psql's \dRp+ prints.

Example
    ::

                                             Publication p1
      Owner   | All tables | Inserts | Updates | Deletes | Truncates | Generated columns | Via root
    ----------+------------+---------+---------+---------+-----------+-------------------+----------
     postgres | f          | t       | t       | t       | t         | none              | f
    Tables:
        "public.t1" WHERE ((a > 5) AND (c = 'NSW'::text))

    Who owns a publication is known after ALTER PUBLICATION … OWNER TO; as in a fresh server it is
    postgres before.

PostgreSQL
    src/bin/psql/describe.c, describePublications(), addFooterToPublicationDesc()
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from filtersql.definitions.model import Action, Definitions
from filtersql.errors import Mistakes
from filtersql.errors.reviewing import NOT_DEFINED
from filtersql.errors.wording import meant
from filtersql.names import RelationName
from filtersql.publications import Settings, index_of
from filtersql.review.text_table import aligned
from filtersql.source import Passage

__all__ = [
    "Deparse",
    "PublicationShown",
    "TableShown",
    "clauses",
    "publication_json",
    "publication_text",
    "show_publication",
]

#: PostgreSQL's text of a filter: `deparse(where, table's name, publication's name)`
Deparse = Callable[[Passage, RelationName, str], str]

_GENERATED_SINCE = 18


class TableShown(Struct, frozen=True):
    """A published table with what its entry says."""

    name: RelationName
    columns: tuple[str, ...] | None = None
    where: str | None = None
    #: xdb's named rules, of which a subscription enables one
    rules: tuple[tuple[str, str], ...] = ()


class PublicationShown(Struct, frozen=True):
    """A publication as the server's catalogs would hold it."""

    name: str
    all_tables: bool
    actions: frozenset[Action]
    generated_columns: str | None
    via_root: bool
    tables: tuple[TableShown, ...]
    schemas: tuple[str, ...]
    excepted: tuple[RelationName, ...]
    description: str | None
    owner: str


def show_publication(
    name: str, definitions: Definitions, settings: Settings, deparse: Deparse
) -> PublicationShown:
    """A publication, its tables with descendants by INHERITS."""
    publication = definitions.publications.get(name)
    if publication is None:
        raise Mistakes(
            [NOT_DEFINED(kind="publication", name=name, hint=meant(name, definitions.publications))]
        )
    member = index_of(definitions, settings).publications[name]
    tables = (
        TableShown(
            each.name,
            _in_order(each.columns, each.name, definitions),
            deparse(each.where, each.name, name) if each.where else None,
            tuple((rule, deparse(text, each.name, name)) for rule, text in each.filters.items()),
        )
        for each in member.entries.values()
    )
    return PublicationShown(
        name,
        publication.all_tables,
        publication.publish,
        publication.generated_columns if settings.postgres_version >= _GENERATED_SINCE else None,
        member.via_root,
        tuple(sorted(tables, key=lambda each: each.name)),
        tuple(sorted(publication.schemas)),
        tuple(sorted(publication.except_tables)),
        publication.description,
        publication.owner or "postgres",
    )


def publication_text(shown: PublicationShown) -> str:
    """As psql prints it."""
    row = {"Owner": shown.owner, "All tables": _flag(shown.all_tables)}
    for action in Action:
        row[f"{action.capitalize()}s"] = _flag(action in shown.actions)
    if shown.generated_columns is not None:
        row["Generated columns"] = shown.generated_columns
    row["Via root"] = _flag(shown.via_root)
    footers: list[str] = []
    if shown.tables:
        footers.append("Tables:")
        footers += [
            f'    "{each.name.schema}.{each.name.name}"{clauses(each)}' for each in shown.tables
        ]
    if shown.schemas:
        footers += ["Tables from schemas:", *(f'    "{schema}"' for schema in shown.schemas)]
    if shown.excepted:
        names = (f'    "{each.schema}.{each.name}"' for each in shown.excepted)
        footers += ["Except tables:", *names]
    # psql counts rows where it has nothing else to say.
    footers = footers or ["(1 row)"]
    return aligned(f"Publication {shown.name}", list(row), [list(row.values())], footers)


def publication_json(shown: PublicationShown) -> dict[str, object]:
    """The same as JSON values."""
    return {
        "name": shown.name,
        "description": shown.description,
        "owner": shown.owner,
        "all_tables": shown.all_tables,
        "publish": [str(action) for action in Action if action in shown.actions],
        "publish_generated_columns": shown.generated_columns,
        "publish_via_partition_root": shown.via_root,
        "tables": [
            {
                "table": list(each.name),
                "columns": None if each.columns is None else list(each.columns),
                "where": each.where,
                **({"filters": dict(each.rules)} if each.rules else {}),
            }
            for each in shown.tables
        ],
        "tables_in_schema": list(shown.schemas),
        "except": [list(each) for each in shown.excepted],
    }


def clauses(table: TableShown) -> str:
    """The column list and filter behind a name, as psql writes them: columns without quotes.

    Of xdb's rules psql knows nothing.
    """
    listed = ""
    if table.columns is not None:
        listed = f" ({', '.join(table.columns)})"
    rules = ", ".join(f'"{rule}" {text}' for rule, text in table.rules)
    listed += f" FILTERS {rules}" if rules else ""
    return listed + (f" WHERE {table.where}" if table.where else "")


def _in_order(
    columns: tuple[str, ...] | None, name: RelationName, definitions: Definitions
) -> tuple[str, ...] | None:
    """The catalogs hold a column list in the table's order."""
    if columns is None:
        return None
    known = definitions.catalog.tables[name].columns
    return tuple(column.name for column in known if column.name in columns)


def _flag(value: bool) -> str:
    return "t" if value else "f"
