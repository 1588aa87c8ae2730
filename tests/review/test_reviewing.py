r"""`show`: what it prints, and that psql prints the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace
from reviewed import INT, SETTINGS, deparse, manual, public, published, resolved, span, table, where
from servers import Server

import filtersql
from filtersql import review
from filtersql.catalog import (
    Catalog,
    Column,
    ForeignKey,
    Generated,
    Identity,
    PgType,
    ReplicaIdentity,
    UniqueIndex,
)
from filtersql.definitions.model import (
    Action,
    Definitions,
    Publication,
    ReplicationSet,
    Subscription,
)
from filtersql.errors import Mistakes
from filtersql.pgtypes import format_type
from filtersql.review.glossary import TERMS


class TestShowPublication:
    def test_the_manuals_transcript(self) -> None:
        r"""p1 to p3 look as in the manual's \dRp+."""
        shown = [
            review.publication_text(review.show_publication(name, manual(), SETTINGS, deparse))
            for name in ("p1", "p2", "p3")
        ]
        title = " " * 41 + "Publication {}"
        head = (
            "  Owner   | All tables | Inserts | Updates | Deletes | Truncates |"
            " Generated columns | Via root\n"
            "----------+------------+---------+---------+---------+-----------+"
            "-------------------+----------\n"
            " postgres | f          | t       | t       | t       | t         |"
            " none              | f\n"
            "Tables:\n"
        )

        assert [text.split("\n", 1)[0] for text in shown] == [
            title.format(name) for name in ("p1", "p2", "p3")
        ]
        assert [text.split("\n", 1)[1] for text in shown] == [
            head + "    \"public.t1\" WHERE ((a > 5) AND (c = 'NSW'::text))",
            head + '    "public.t1"\n    "public.t2" WHERE (e = 99)',
            head + '    "public.t2" WHERE (d = 10)\n    "public.t3" WHERE (g = 10)',
        ]

    def test_before_18_there_is_no_column_for_generated_columns(self) -> None:
        """PostgreSQL 15 to 17 do not know publish_generated_columns."""
        settings = replace(SETTINGS, postgres_version=17)
        shown = review.show_publication("p1", manual(), settings, deparse)

        assert "Generated" not in review.publication_text(shown)

    def test_an_unknown_name_is_a_mistake(self) -> None:
        """The nearest name is offered."""
        with pytest.raises(Mistakes) as caught:
            review.show_publication("pp1", manual(), SETTINGS, deparse)

        assert str(caught.value) == (
            'publication "pp1" does not exist\nhint: Perhaps "p1" was meant.'
        )


def family() -> tuple[Definitions, str]:
    """Tables with everything that \\d prints, and the same as DDL."""
    t0 = table("t0", "id! ca", "id")
    key = ForeignKey("t1_b_fkey", ("b",), public("t0"), ("id",))
    t1 = table(
        "t1",
        "a! b c",
        "a",
        foreign_keys=(key,),
        unique_indexes=(
            UniqueIndex("t1_a_b_key", ("a", "b"), constraint=True),
            UniqueIndex("t1_u", ("a",)),
        ),
        replica_identity=ReplicaIdentity(Identity.INDEX, ("a",), "t1_u"),
    )
    generated = Column("g", INT, t1.span, generated=Generated.STORED, generation=where("(a * 2)"))
    collated = Column("x", PgType("varchar", 24), t1.span, collation="C")
    t1 = replace(t1, columns=(*t1.columns, generated, collated))
    root = table("root", "a! b", "a", partition_by=("range", ("a",)))
    leaf = table("leaf", "a! b", "a", partition_of=public("root"), bounds="DEFAULT")
    old = table("old", "k b")
    young = table("young", "k b", inherits=(public("old"),))
    tables = [t0, t1, root, leaf, old, young]
    made = [
        Publication("pa", t1.span, all_tables=True),
        Publication("ps", t1.span, schemas=("public",)),
        Publication(
            "pt",
            t1.span,
            (published("t1", "(a > 5)", columns=("b", "a")), published("root")),
        ),
        Publication("pi", t1.span, (published("old", "(k > 1)"),), via_partition_root=True),
        Publication(
            "pu", t1.span, (published("young"),), publish=frozenset({Action.INSERT, Action.UPDATE})
        ),
    ]
    ddl = """
        CREATE TABLE t0 (id int PRIMARY KEY, ca text);
        CREATE TABLE t1 (a int PRIMARY KEY, b int REFERENCES t0, c text,
            g int GENERATED ALWAYS AS (a * 2) STORED, x varchar(20) COLLATE "C", UNIQUE (a, b));
        CREATE UNIQUE INDEX t1_u ON t1 (a);
        ALTER TABLE t1 REPLICA IDENTITY USING INDEX t1_u;
        CREATE TABLE root (a int PRIMARY KEY, b int) PARTITION BY RANGE (a);
        CREATE TABLE leaf PARTITION OF root DEFAULT;
        CREATE TABLE old (k int, b int);
        CREATE TABLE young () INHERITS (old);
        CREATE PUBLICATION pa FOR ALL TABLES;
        CREATE PUBLICATION ps FOR TABLES IN SCHEMA public;
        CREATE PUBLICATION pt FOR TABLE t1 (b, a) WHERE (a > 5), root;
        CREATE PUBLICATION pi FOR TABLE old WHERE (k > 1)
            WITH (publish_via_partition_root = true);
        CREATE PUBLICATION pu FOR TABLE young WITH (publish = 'insert, update');
    """
    return Definitions(
        Catalog({each.name: each for each in tables}), {each.name: each for each in made}
    ), ddl


@pytest.fixture(scope="module")
def psql(postgres: Server):
    name = postgres.create_database("reviewing")
    with postgres.connect(name) as connection:
        connection.execute(family()[1])

    def run(command: str, *options: str) -> list[str]:
        address = ["-h", postgres.host, "-p", str(postgres.port), "-U", postgres.user]
        ended = subprocess.run(
            ["psql", "-X", *address, "-d", name, *options, "-c", command],
            capture_output=True,
            text=True,
            check=True,
        )
        text = re.sub(r" \(Use .d\+ to list them\.\)", "", ended.stdout)
        return [line.rstrip() for line in text.rstrip().split("\n")]

    return run


@pytest.mark.postgres
@pytest.mark.skipif(not shutil.which("psql"), reason="psql is not installed")
class TestAsPsqlPrintsIt:
    @pytest.mark.parametrize("name", ["t0", "t1", "root", "leaf", "old", "young"])
    def test_tables(self, psql, name: str) -> None:
        r"""`show table` is \d, for every kind of table."""
        details = review.show_table(public(name), family()[0], SETTINGS, deparse)

        assert review.table_text(details).split("\n") == psql(rf"\d {name}")

    @pytest.mark.parametrize("name", ["pa", "ps", "pt", "pi", "pu"])
    def test_publications(self, psql, name: str) -> None:
        r"""`show publication` is \dRp+; this psql may be older than 18."""
        theirs = psql(rf"\dRp+ {name}")
        settings = replace(
            SETTINGS, postgres_version=18 if "Generated columns" in theirs[1] else 17
        )
        shown = review.show_publication(name, family()[0], settings, deparse)

        assert review.publication_text(shown).split("\n") == theirs

    @pytest.mark.parametrize("name", ["pa", "ps", "pt", "pi", "pu"])
    def test_head_of_publications_of_psql_18(self, psql, name: str) -> None:
        r"""The query that psql 18 sends for the first lines of \dRp+ gives those lines."""
        shown = review.show_publication(name, family()[0], SETTINGS, deparse)
        theirs = psql(
            HEAD_OF_18.format(name=name), "-P", f"title=Publication {name}", "-P", "footer=off"
        )

        assert review.publication_text(shown).split("\n")[:4] == theirs[:4]


#: describe.c, describePublications() of PostgreSQL 18, and the headers that it gives the columns
HEAD_OF_18 = """
    SELECT pg_get_userbyid(pubowner) AS "Owner", puballtables AS "All tables",
        pubinsert AS "Inserts", pubupdate AS "Updates", pubdelete AS "Deletes",
        pubtruncate AS "Truncates",
        CASE pubgencols WHEN 'n' THEN 'none' WHEN 's' THEN 'stored' END AS "Generated columns",
        pubviaroot AS "Via root"
    FROM pg_publication WHERE pubname = '{name}'
"""


@pytest.mark.postgres
def test_types_are_spelled_as_format_type_spells_them(postgres: Server) -> None:
    """Every type of pg_catalog without a modifier, and each kind of modifier."""
    written = [
        *("numeric(10,2)", "numeric(5,-2)", "numeric(3,5)", "varchar(20)", "char", "char(5)"),
        *("time(3)", "timetz(2)", "timestamp(0)", "timestamptz(3)", "interval", "interval(2)"),
        *("interval year to month", "interval day to second(3)", "interval hour", "interval year"),
        *("interval second(2)", "interval month", "interval day to hour", "interval minute"),
        *("interval hour to minute", "interval hour to second", "interval minute to second"),
        *("interval day to minute", "bit", "bit(5)", "varbit", "varbit(7)", '"char"', "bpchar"),
        *("varchar(10)[]", "numeric(10,2)[]", "timestamptz[]", "time(2)[]", "interval day[]"),
    ]
    columns = ", ".join(f"c{number} {each}" for number, each in enumerate(written))
    with postgres.connect(postgres.create_database("types")) as connection:
        connection.execute(f"CREATE TABLE t ({columns})")
        rows = connection.execute(
            "SELECT y.typname, a.atttypmod, format_type(a.atttypid, a.atttypmod)"
            " FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid"
            " WHERE a.attrelid = 't'::regclass AND a.attnum > 0"
            " UNION ALL SELECT typname, -1, format_type(oid, -1) FROM pg_type"
            " WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm')"
        ).fetchall()

    assert len(rows) > len(written) + 100
    assert [format_type(PgType(name, typmod)) for name, typmod, _ in rows] == [
        text for _, _, text in rows
    ]


class TestShowSubscription:
    def test_names_the_filter_and_what_absorbed_it(self) -> None:
        """t1 is in p1 with a filter and in p2 without one."""
        definitions = manual()
        subscription = definitions.subscriptions["s1"]
        mine = [each for each in resolved(definitions) if each.subscription is subscription]
        text = review.subscription_text(subscription, mine, deparse)

        assert " public.t1 | insert   | every row | p2\n" in text
        assert " public.t2 | insert   | (e = 99)  | p2\n" in text
        assert (
            'Publication "p2" (for table) sends every insert, update and delete, '
            'so the filter of "p1" does not matter.' in text
        )

    def test_alternatives_stand_below_each_other(self) -> None:
        """Filters of one action are alternatives."""
        definitions = manual()
        place = span("subscriptions/s.yml")
        both = Subscription("s1", place, (("p2", place), ("p3", place)))
        definitions = replace(definitions, subscriptions={"s1": both})
        text = review.subscription_text(both, resolved(definitions), deparse)

        assert (
            " public.t2 | insert   | (e = 99)    | p2\n"
            "           |          | or (d = 10) | p3\n" in text
        )

    def test_json_says_the_same(self) -> None:
        """Each action has its filters and what they made redundant."""
        definitions = manual()
        subscription = definitions.subscriptions["s1"]
        mine = [each for each in resolved(definitions) if each.subscription is subscription]
        target = review.subscription_json(subscription, mine, deparse)["targets"][0]

        assert target["actions"]["insert"]["every_row"] is True
        assert target["actions"]["insert"]["absorbed"] == [
            {
                "publication": "p1",
                "filter": "((a > 5) AND (c = 'NSW'::text))",
                "written_on": ["public", "t1"],
                "reason": "for table",
            }
        ]


def test_show_set_prints_memberships_and_filters() -> None:
    """A set's actions, and its tables with columns and filters."""
    entry = published("t1", "(id > 0)", columns=("id", "b"))
    emea = ReplicationSet("emea", span("sets.yml"), (entry,), frozenset({Action.INSERT}), ("s",))
    definitions = Definitions(replication_sets={"emea": emea})

    assert review.set_text("emea", definitions, deparse, needs_key=True) == (
        "               Replication set emea\n"
        " Inserts | Updates | Deletes | Truncates | Autoadd\n"
        "---------+---------+---------+-----------+---------\n"
        " t       | f       | f       | f         | s\n"
        "Tables:\n"
        '    "public.t1" (id, b) WHERE (id > 0)'
    )


def test_glossary_of_the_docs() -> None:
    """docs/glossary.md holds every term that `show term` knows, in the same words."""
    page = (Path(filtersql.__file__).parent / "docs" / "glossary.md").read_text(encoding="utf-8")
    for term in TERMS:
        assert f"| {term.english} | {term.russian} | {term.meaning} |" in page
