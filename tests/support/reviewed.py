"""The manual's tables and publications as records, for the tests of what is shown of them."""

from __future__ import annotations

from filtersql import publications
from filtersql.catalog import Catalog, Column, PgType, Table
from filtersql.definitions.model import Definitions, Publication, PublishedTable, Subscription
from filtersql.names import RelationName
from filtersql.publications import Settings
from filtersql.semantics import POSTGRES
from filtersql.source import Passage, Source

SETTINGS = Settings(POSTGRES)
INT, TEXT = PgType("int4"), PgType("text")


def span(path: str):
    return Source(path, "x").span(0, 1)


def public(name: str) -> RelationName:
    return RelationName("public", name)


def where(text: str) -> Passage:
    return Passage(text, Source("publications/p.sql", text))


def deparse(text: Passage, table: RelationName, publication: str) -> str:
    """The tests write filters as PostgreSQL prints them."""
    return text.text


def table(name: str, columns: str, key: str = "", **settings: object) -> Table:
    """`columns` are names; one with an exclamation mark is NOT NULL, one with c is text."""
    made = tuple(
        Column(
            each.rstrip("!"),
            TEXT if each.startswith("c") else INT,
            span(f"tables/{name}.sql"),
            not_null=each.endswith("!"),
        )
        for each in columns.split()
    )
    return Table(
        public(name),
        made,
        span(f"tables/{name}.sql"),
        tuple(key.split()),
        f"{name}_pkey" if key else None,
        **settings,  # type: ignore[arg-type]
    )


def published(name: str, text: str | None = None, **settings: object) -> PublishedTable:
    return PublishedTable(
        public(name), span("publications/p.sql"), where(text) if text else None, **settings
    )


def manual() -> Definitions:
    """The tables and publications of the manual's example."""
    tables = [
        table("t1", "a! b c!", "a c", tags=("core",)),
        table("t2", "d! e f", "d"),
        table("t3", "g! h i", "g"),
    ]
    made = [
        Publication(
            "p1",
            span("publications/p1.sql"),
            (published("t1", "((a > 5) AND (c = 'NSW'::text))"),),
            tags=("nsw",),
        ),
        Publication(
            "p2", span("publications/p2.yml"), (published("t1"), published("t2", "(e = 99)"))
        ),
        Publication(
            "p3",
            span("publications/p2.yml"),
            (published("t2", "(d = 10)"), published("t3", "(g = 10)")),
        ),
    ]
    place = span("subscriptions/s.yml")
    return Definitions(
        Catalog({each.name: each for each in tables}),
        {each.name: each for each in made},
        subscriptions={
            "s1": Subscription("s1", place, (("p1", place), ("p2", place)), tags=("nightly",)),
            "s3": Subscription("s3", place, (("p3", place),)),
        },
    )


def resolved(definitions: Definitions) -> list[publications.ResolvedTable]:
    return [
        each
        for subscription in definitions.subscriptions.values()
        for each in publications.resolve(
            subscription, definitions, semantics=POSTGRES, identity_check="run"
        )
    ]
