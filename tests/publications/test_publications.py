"""Which filter is in force, where a Markdown case cannot say it: other systems, speed, sharing."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from filtersql import publications
from filtersql.catalog import Catalog, Column, PgType, Table
from filtersql.definitions.model import (
    Action,
    Definitions,
    Publication,
    PublishedTable,
    ReplicationSet,
    Subscription,
)
from filtersql.errors import Mistakes
from filtersql.names import RelationName
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.semantics import POSTGRES
from filtersql.source import Passage, Source

SPAN = Source("p.yml", "x").span(0, 1)
#: switches as replication sets of pglogical need them; the change algebra has its own
SETS = replace(
    POSTGRES,
    name="sets",
    combine="and",
    unfiltered_cancels=False,
    partition_routing="root_wins",
    column_lists="union",
    publishes="replication_sets",
)
RULES = replace(POSTGRES, name="rules", combine="single", partition_routing="leaf")


def public(name: str) -> RelationName:
    return RelationName("public", name)


def table(name: str, key: str = "a", schema: str = "public", **settings: object) -> Table:
    columns = tuple(Column(each, PgType("int4"), SPAN) for each in "abc")
    return Table(RelationName(schema, name), columns, SPAN, tuple(key), **settings)  # type: ignore[arg-type]


def entry(name: str, where: str | None = None, **settings: object) -> PublishedTable:
    passage = Passage(where, Source("p.yml", where)) if where else None
    return PublishedTable(public(name), SPAN, passage, **settings)  # type: ignore[arg-type]


def project(*made: Table | Publication | ReplicationSet, **subscription: object) -> Definitions:
    """Tables, publications and sets, and one subscription `s` to all of these."""
    tables = {each.name: each for each in made if isinstance(each, Table)}
    written = {each.name: each for each in made if isinstance(each, Publication)}
    sets = {each.name: each for each in made if isinstance(each, ReplicationSet)}
    settings: dict[str, object] = {
        "publications": tuple((name, SPAN) for name in written),
        "replication_sets": tuple((name, SPAN) for name in sets),
        **subscription,
    }
    return Definitions(
        Catalog(tables),
        written,
        sets,
        {"s": Subscription("s", SPAN, **settings)},  # type: ignore[arg-type]
    )


def resolve(definitions: Definitions, semantics=POSTGRES) -> dict[str, ResolvedTable]:
    found = publications.resolve(definitions.subscriptions["s"], definitions, semantics=semantics)
    return {str(each.table.name): each for each in found}


def texts(contributions: tuple[Contribution, ...]) -> list[str]:
    return [each.where.text for each in contributions if each.where]


def messages(definitions: Definitions, semantics=POSTGRES) -> list[str]:
    with pytest.raises(Mistakes) as caught:
        resolve(definitions, semantics)
    return [mistake.message for mistake in caught.value.mistakes]


class TestReplicationSets:
    def test_actions_are_united_and_an_unfiltered_set_cancels_no_filter(self) -> None:
        """All filters stay in force; the change algebra ANDs them."""
        inserts = frozenset({Action.INSERT})
        found = resolve(
            project(
                table("t"),
                ReplicationSet("one", SPAN, (entry("t", "a > 3"),), inserts),
                ReplicationSet("two", SPAN, (entry("t", "a < 8"),)),
                ReplicationSet("three", SPAN, (entry("t"),)),
            ),
            SETS,
        )["public.t"]

        assert texts(found.filters[Action.INSERT]) == ["a > 3", "a < 8"]
        assert texts(found.filters[Action.UPDATE]) == ["a > 3", "a < 8"]
        assert texts(found.copy_filters) == ["a > 3", "a < 8"]
        assert found.absorbed == {}

    def test_column_lists_are_united(self) -> None:
        """A set without a list adds nothing to them, as pglogical 2.4.2 does."""
        one = ReplicationSet("one", SPAN, (entry("t", columns=("a", "b")),))
        two = ReplicationSet("two", SPAN, (entry("t", columns=("a", "c")),))
        three = ReplicationSet("three", SPAN, (entry("t"),))
        found = resolve(project(table("t"), one, two, three), SETS)["public.t"]

        assert [column.name for column in found.columns] == ["a", "b", "c"]

    @pytest.mark.parametrize("subscribed", [("root", "leaf"), ("leaf",)])
    def test_a_root_in_any_set_silences_its_partitions(self, subscribed: tuple[str, ...]) -> None:
        """G10, B10: also when nobody subscribes to the root's set; actions do not leak."""
        definitions = project(
            table("parent", partition_by=("range", ("a",))),
            table("child", partition_of=public("parent")),
            ReplicationSet("root", SPAN, (entry("parent", "a > 1"),), frozenset({Action.INSERT})),
            ReplicationSet("leaf", SPAN, (entry("child", "a > 2"),)),
            replication_sets=tuple((name, SPAN) for name in subscribed),
        )
        found = resolve(definitions, SETS)

        assert list(found) == (["public.parent"] if "root" in subscribed else [])
        assert [list(each.filters) for each in found.values()] in ([], [[Action.INSERT]])

    def test_autoadd_takes_tables_of_its_schemas_that_have_a_key(self) -> None:
        """G13, G24; a table that is listed keeps its filter."""
        sets = ReplicationSet("auto", SPAN, (entry("t", "a > 1"),), autoadd_tables=("public",))
        found = resolve(
            project(table("t"), table("u"), table("keyless", ""), table("x", schema="s"), sets),
            SETS,
        )

        assert list(found) == ["public.t", "public.u"]
        assert texts(found["public.t"].filters[Action.INSERT]) == ["a > 1"]

    def test_predefined_sets_exist(self) -> None:
        """G5: default and default_insert_only are empty until tables are added."""
        definitions = project(table("t"), replication_sets=(("default_insert_only", SPAN),))

        assert resolve(definitions, SETS) == {}

    def test_a_table_without_key_needs_an_insert_only_set(self) -> None:
        """It is refused when it is added, in the words of pglogical."""
        made = ReplicationSet("one", SPAN, (entry("t"),))

        assert messages(project(table("t", ""), made), SETS) == [
            "table t cannot be added to replication set one"
        ]
        inserts = replace(made, replicate=frozenset({Action.INSERT, Action.TRUNCATE}))
        assert list(resolve(project(table("t", ""), inserts), SETS)) == ["public.t"]

    def test_publications_and_sets_do_not_mix(self) -> None:
        """Each source system has one of the two; the other is refused, not ignored."""
        definitions = project(table("t"), ReplicationSet("one", SPAN, (entry("t"),)))

        assert messages(definitions) == [
            'subscription "s" subscribes to replication sets, which semantics: postgres '
            "does not have"
        ]
        definitions = project(table("t"), Publication("p", SPAN, (entry("t"),)))
        assert messages(definitions, SETS) == [
            'subscription "s" subscribes to publications, which semantics: sets does not have'
        ]


class TestNamedFilters:
    NORTH = Passage("a < 30", Source("p.yml", "a < 30"))

    def publication(self) -> Publication:
        rules = {"north": self.NORTH}
        return Publication("p", SPAN, (entry("t", filters=rules), entry("u", filters=rules)))

    def test_a_rule_counts_where_it_is_enabled(self) -> None:
        """X2, X3: a table without an enabled rule is not filtered."""
        definitions = project(
            table("t"), table("u"), self.publication(), filters={"public.t": "north"}
        )
        found = resolve(definitions, RULES)

        assert texts(found["public.t"].filters[Action.UPDATE]) == ["a < 30"]
        assert found["public.u"].filters[Action.UPDATE] == ()

    def test_an_unknown_rule_or_table_is_a_mistake(self) -> None:
        """X26: what no publication defines cannot be enabled."""
        filters = {"public.t": "nort", "public.w": "north"}
        definitions = project(table("t"), table("u"), self.publication(), filters=filters)

        assert messages(definitions, RULES) == [
            'filter rule "nort" of table "t" does not exist',
            'table "public.w" is in no publication of subscription "s"',
        ]

    def test_they_are_refused_where_filters_have_no_names(self) -> None:
        """PostgreSQL would not know which rule holds."""
        assert messages(project(table("t"), table("u"), self.publication())) == [
            "named filter rules exist under semantics: xdb only"
        ]


def test_the_flag_is_wrong_usage_without_publications() -> None:
    """Decision 2: exit code 2."""
    definitions = project(table("t"))
    with pytest.raises(Mistakes) as caught:
        publications.resolve(
            definitions.subscriptions["s"],
            definitions,
            semantics=SETS,
            via_partition_root_flag=True,
        )

    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("written_in", "default", "target"),
    [
        ("sql", True, "public.child"),
        ("yaml", True, "public.parent"),
        ("yaml", False, "public.child"),
    ],
)
def test_what_ddl_leaves_out_is_false(written_in: str, default: bool, target: str) -> None:
    """Decision 2: the project's default is for YAML alone."""
    definitions = project(
        table("parent", partition_by=("range", ("a",))),
        table("child", partition_of=public("parent")),
        Publication("p", SPAN, (entry("parent"),), written_in=written_in),
    )
    found = publications.resolve(
        definitions.subscriptions["s"],
        definitions,
        semantics=POSTGRES,
        default_via_partition_root=default,
    )

    assert [str(each.table.name) for each in found] == [target]


def test_a_mistake_of_a_publication_is_one_for_all_its_subscriptions() -> None:
    """Reported together, it is reported once."""
    definitions = project(table("t"), Publication("p", SPAN, (entry("nope"),)))
    found = []
    for _ in range(2):
        with pytest.raises(Mistakes) as caught:
            resolve(definitions)
        found += caught.value.mistakes

    assert len(Mistakes(found).mistakes) == 1


def test_two_aliases_of_one_table_conflict() -> None:
    """One target has one name."""
    made = [Publication(each, SPAN, (entry("t", alias=each),)) for each in ("p", "q")]

    assert messages(project(table("t"), *made)) == ['table "t" has two aliases: "p" and "q"']
    assert resolve(project(table("t"), made[0]))["public.t"].alias == "p"


def test_resolution_is_fast() -> None:
    """1,000 tables in 50 publications of mixed kinds: the goal is 0.3 s, a slip is a scan."""
    tables = []
    for tree in range(4):
        tables.append(table(f"root{tree}", partition_by=("range", ("a",))))
        tables += [table(f"leaf{tree}_{n}", partition_of=public(f"root{tree}")) for n in range(100)]
    tables += [table(f"t{number}", schema=f"s{number % 10}") for number in range(596)]
    made = []
    for number in range(50):
        settings: dict[str, object] = {"via_partition_root": number % 2 == 0}
        if number % 4 == 0:
            settings["all_tables"] = True
        elif number % 4 == 1:
            settings["schemas"] = (f"s{number % 10}", "public")
        elif number % 4 == 2:
            settings["tables"] = tuple(entry(f"root{tree}", "a < 5") for tree in range(4))
        else:
            settings["tables"] = tuple(
                PublishedTable(each.name, SPAN) for each in tables[number::3]
            )
        made.append(Publication(f"p{number}", SPAN, **settings))  # type: ignore[arg-type]
    definitions = project(*tables, *made)
    begun = time.process_time()
    found = resolve(definitions)

    assert len(found) == 600
    assert time.process_time() - begun < 1.5
