"""Subscriptions and unit tests written in YAML: `subscriptions:`, `tests:`.

Example
    `- {name: s1, publications: [p1], changes: {format: filtersql, path: "changes/*.jsonl"}}`
    subscribes to p1 and says where its changes are recorded. `defaults:` of the project file holds
    what a subscription does not say itself, also for those that CREATE SUBSCRIPTION makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.model import SourceOfTables, Subscription, UnitTest
from filtersql.definitions.yaml_document import Document, Node, is_null, kind, number
from filtersql.definitions.yaml_feeds import one_of, read_feed
from filtersql.definitions.yaml_names import name_in, named_entry, names_of, relation_of
from filtersql.definitions.yaml_publications import tags_of
from filtersql.errors import Mistake
from filtersql.errors.definitions import LISTED_TWICE, TOGETHER, UnsupportedStatement
from filtersql.errors.publications import PUBLICATION_TWICE
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["DEFAULTS", "read_defaults", "read_subscription", "read_unit_test", "with_settings"]

#: what `defaults:` of the project file may say for all subscriptions
DEFAULTS = frozenset(
    "copy_data source changes target target_config on_conflict on_filter_error"
    " on_schema_change".split()
)
_SUBSCRIPTION = DEFAULTS | frozenset(
    "name publications replication_sets filters superset_of for_each tags description".split()
)
_TEST = frozenset("name subscription given changes expect expect_error description".split())
_CONFIG = frozenset("cluster_by table_properties".split())
_ON_CONFLICT = ("apply", "skip", "error")
_ON_FILTER_ERROR = ("stop", "quarantine")
_SOURCE = frozenset("table path postgres format seq".split())
_SOURCE_FORMATS = ("filtersql",)

Row = Mapping[str, object]


def read_subscription(document: Document, node: Node, drafts: Drafts) -> None:
    """Adds the subscription of one entry of `subscriptions:` to the drafts."""
    named = named_entry(document, node, "subscription", _SUBSCRIPTION, drafts.subscriptions)
    if named is None:
        return
    name, entry = named
    where = f'subscription "{name}"'
    if "for_each" in entry:
        drafts.mistakes.append(UnsupportedStatement("for_each", document.span(entry["for_each"])))
    subscribed = Subscription(
        name=name,
        span=document.span(entry["name"]),
        publications=_subscribed(document, entry, "publications", where),
        replication_sets=_subscribed(document, entry, "replication_sets", where),
        filters=_enabled(document, entry.get("filters"), where),
        superset_of=_each(names_of(document, entry.get("superset_of"), f"superset_of of {where}")),
        tags=tags_of(document, entry),
        description=document.string(entry.get("description"), "description"),
    )
    said = [key for key in ("publications", "replication_sets") if key in entry]
    if len(said) == 2:
        at = document.span(entry["replication_sets"])
        drafts.mistakes.append(
            TOGETHER(at, first="publications", second="replication_sets", where=where)
        )
    elif not said:
        document.missing("publications", where, entry["name"])
    elif is_null(listed := entry[said[0]]) or (kind(listed) == "a list" and not listed.value):
        document.missing(said[0], where, listed)
    settings_of_entry = read_defaults(document, entry, where)
    drafts.subscriptions[name] = with_settings(subscribed, drafts.defaults, settings_of_entry)


def read_defaults(document: Document, entry: Mapping[str, Node], where: str) -> dict[str, object]:
    """What is said of the keys in `DEFAULTS`, as attributes of a Subscription."""
    settings: dict[str, object] = {
        "copy_data": document.boolean(entry.get("copy_data"), f"copy_data of {where}"),
        "source": _source(document, entry.get("source"), where),
        "changes": read_feed(document, entry.get("changes"), where),
        "target": document.string(entry.get("target"), f"target of {where}"),
        "on_conflict": document.choice(entry.get("on_conflict"), "on_conflict", _ON_CONFLICT),
        "on_filter_error": document.choice(
            entry.get("on_filter_error"), "on_filter_error", _ON_FILTER_ERROR
        ),
    }
    # `fail` is what every run does: there is nothing to keep of it.
    document.choice(entry.get("on_schema_change"), f"on_schema_change of {where}", ("fail",))
    if "target_config" in entry:
        settings["target_config"] = _config(document, entry["target_config"], where)
    return {key: value for key, value in settings.items() if value is not None}


def with_settings(subscription: Subscription, *said: Mapping[str, object]) -> Subscription:
    """The subscription with settings of `DEFAULTS`, the later ones before the earlier."""
    settings = {key: value for settings in said for key, value in settings.items()}
    return replace(subscription, **settings)


def read_unit_test(document: Document, node: Node, drafts: Drafts) -> None:
    """Adds one entry of `tests:` to the drafts."""
    entry = document.mapping(node, "a test", _TEST, ("name", "subscription"))
    if not entry:
        return
    title = document.string(entry["name"], "the name of a test")
    subscription = document.text(entry["subscription"], "subscription")
    if title is None or subscription is None:
        return
    document.string(entry.get("description"), "description")
    expect = entry.get("expect")
    subscribed = name_in(document, subscription)
    if subscribed is None:
        return
    if expect is None and "expect_error" not in entry:
        document.missing("expect", f'test "{title}"', entry["name"])
    drafts.unit_tests.append(
        UnitTest(
            name=title,
            span=document.span(entry["name"]),
            subscription=subscribed,
            given=_tables(document, entry.get("given"), "given"),
            changes=tuple(_rows(document, entry.get("changes"), "changes")),
            expect=None if expect is None else _tables(document, expect, "expect"),
            expect_error=document.string(entry.get("expect_error"), "expect_error"),
        )
    )
    drafts.test_subscriptions.append((subscribed, subscription.span()))


def _config(document: Document, node: Node, where: str) -> dict[str, object]:
    """How target tables are made: a word that none of the engines is told is a mistake."""
    entry = document.mapping(node, f"target_config of {where}", _CONFIG)
    config: dict[str, object] = {}
    if "cluster_by" in entry:
        named = document.texts(entry["cluster_by"], f"cluster_by of {where}")
        config["cluster_by"] = [column.text for column in named]
    if "table_properties" in entry:
        pairs = document.pairs(entry["table_properties"], f"table_properties of {where}")
        config["table_properties"] = {key.value: document.plain(value) for key, value in pairs}
    return config


def _subscribed(
    document: Document, entry: Mapping[str, Node], key: str, where: str
) -> tuple[tuple[str, Span], ...]:
    def twice(span: Span, name: str) -> Mistake:
        return PUBLICATION_TWICE(span, kind="publication", name=name)

    return _each(names_of(document, entry.get(key), f"{key} of {where}", twice))


def _each(names: Iterable[tuple[str, Span]]) -> tuple[tuple[str, Span], ...]:
    """Every name once, at its last place."""
    return tuple(dict(names).items())


def _enabled(document: Document, node: Node | None, where: str) -> dict[str, str]:
    """xdb: which rule is enabled on which table, by the table's full name."""
    enabled: dict[str, str] = {}
    for key, value in document.pairs(node, f"filters of {where}"):
        table = relation_of(document, key, "filters")
        rule = document.string(value, f"filters of {where}")
        if str(table) in enabled:  # `t` and `public.t`: a subscription enables one at most
            document.mistakes.append(
                LISTED_TWICE(document.span(key), name=str(table), owner=where, first=None)
            )
        elif table is not None and rule is not None:
            enabled[str(table)] = rule
    return enabled


def _source(document: Document, node: Node | None, where: str) -> SourceOfTables | None:
    if node is None or is_null(node):
        return None
    span = document.span(node)
    if not isinstance(node.value, list):
        return SourceOfTables(span, table=document.string(node, f"source of {where}"))
    entry = document.mapping(node, f"source of {where}", _SOURCE)
    one_of(document, entry, node, f"source of {where}")
    return SourceOfTables(
        span,
        table=document.string(entry.get("table"), "table"),
        path=document.string(entry.get("path"), "path"),
        format=document.choice(entry.get("format"), "format", _SOURCE_FORMATS) or "filtersql",
        seq=document.integer(entry.get("seq"), "seq"),
        postgres=document.string(entry.get("postgres"), "postgres"),
    )


def _tables(
    document: Document, node: Node | None, where: str
) -> dict[RelationName, tuple[Row, ...]]:
    tables = {}
    for key, value in document.pairs(node, where):
        name = relation_of(document, key, where)
        if name is not None:
            tables[name] = tuple(_rows(document, value, f"{where} of {name}"))
    return tables


def _rows(document: Document, node: Node | None, where: str) -> list[Row]:
    rows: list[Row] = []
    for item in document.items(node, where):
        pairs = document.pairs(item, f"a row of {where}")
        # Numbers stay as they are written: 1.50 is not 1.5 to a type that keeps its scale.
        rows.append({key.value: document.plain(value, number) for key, value in pairs})
    return rows
