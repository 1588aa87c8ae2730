"""Publications and replication sets written in YAML: `publications:`, `replication_sets:`.

Example
    `- {name: p1, publish: [insert], tables: [{name: t1, where: a > 5}, t2]}` is
    `CREATE PUBLICATION p1 FOR TABLE t1 WHERE (a > 5), t2 WITH (publish = 'insert')`, except that
    it leaves publish_via_partition_root to the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.model import Action, Publication, ReplicationSet
from filtersql.definitions.sql_parameters import published_actions, published_generated
from filtersql.definitions.yaml_document import Document, Node
from filtersql.definitions.yaml_names import name_of, named_entry, names_of, relation_of
from filtersql.definitions.yaml_published_tables import IN_SET, PUBLISHED, published_tables
from filtersql.errors import Mistake
from filtersql.errors.definitions import TOGETHER
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["read_publication", "read_replication_set", "tags_of"]

_PUBLICATION = frozenset(
    "name description tags publish publish_via_partition_root publish_generated_columns created"
    " tables all_tables except tables_in_schema".split()
)
_SET = frozenset(
    "name description tags tables autoadd_tables replicate_insert replicate_update"
    " replicate_delete replicate_truncate".split()
)


def read_publication(document: Document, node: Node, drafts: Drafts) -> None:
    """Adds the publication of one entry of `publications:` to the drafts."""
    named = named_entry(document, node, "publication", _PUBLICATION, drafts.publications)
    if named is None:
        return
    name, entry = named
    before = len(drafts.mistakes)
    where = f'publication "{name}"'
    all_tables = bool(document.boolean(entry.get("all_tables"), f"all_tables of {where}"))
    for key in ("tables", "tables_in_schema") if all_tables else ():
        if key in entry:
            at = document.span(entry[key])
            drafts.mistakes.append(TOGETHER(at, first="all_tables", second=key, where=where))
    if "except" in entry and not all_tables:
        document.missing("all_tables", f"{where} with except", entry["except"])
    schemas: dict[str, Span] = {}
    for schema, place in names_of(document, entry.get("tables_in_schema"), "tables_in_schema"):
        schemas.setdefault(schema, place)
    root = entry.get("publish_via_partition_root")
    drafts.publications[name] = Publication(
        name=name,
        span=document.span(entry["name"]),
        tables=published_tables(document, entry.get("tables"), where, PUBLISHED),
        schemas=tuple(schemas),
        schema_places=schemas,
        all_tables=all_tables,
        except_tables=_excepted(document, entry.get("except")),
        publish=_actions(document, entry.get("publish")),
        via_partition_root=document.boolean(root, "publish_via_partition_root"),
        generated_columns=_generated(document, entry.get("publish_generated_columns")),
        created=_created(document, entry.get("created")),
        description=document.string(entry.get("description"), "description"),
        tags=tags_of(document, entry),
    )
    if len(drafts.mistakes) > before:
        drafts.broken_publications.add(name)


def read_replication_set(document: Document, node: Node, drafts: Drafts) -> None:
    """Adds the replication set of one entry of `replication_sets:` to the drafts."""
    named = named_entry(document, node, "replication set", _SET, drafts.replication_sets)
    if named is None:
        return
    name, entry = named
    before = len(drafts.mistakes)
    replicate = {
        action
        for action in Action
        if document.boolean(entry.get(f"replicate_{action}"), f"replicate_{action}") is not False
    }
    drafts.replication_sets[name] = ReplicationSet(
        name=name,
        span=document.span(entry["name"]),
        tables=published_tables(document, entry.get("tables"), f'replication set "{name}"', IN_SET),
        replicate=frozenset(replicate),
        autoadd_tables=_autoadd(document, entry.get("autoadd_tables")),
        description=document.string(entry.get("description"), "description"),
        tags=tags_of(document, entry),
    )
    if len(drafts.mistakes) > before:
        drafts.broken_publications.add(name)


def tags_of(document: Document, entry: Mapping[str, Node]) -> tuple[str, ...]:
    """The list under `tags`."""
    return tuple(tag.text for tag in document.texts(entry.get("tags"), "tags"))


def _excepted(document: Document, node: Node | None) -> tuple[RelationName, ...]:
    found = [relation_of(document, item, "except") for item in document.items(node, "except")]
    return tuple(dict.fromkeys(name for name in found if name is not None))


def _actions(document: Document, node: Node | None) -> frozenset[Action]:
    if node is None:
        return frozenset(Action)
    if isinstance(node.value, str):  # PostgreSQL's own spelling: 'insert, update'
        text = document.text(node, "publish")
        texts = [] if text is None else [text]
    else:
        texts = document.texts(node, "publish")
    said = frozenset[Action]()
    for one in texts:
        try:
            said |= published_actions(one.text, one.span())
        except Mistake as mistake:
            document.mistakes.append(mistake)
    return said


def _generated(document: Document, node: Node | None) -> str:
    text = None if node is None else document.text(node, "publish_generated_columns")
    try:
        return "none" if text is None else published_generated(text.text, text.span())
    except Mistake as mistake:
        document.mistakes.append(mistake)
        return "none"


def _created(document: Document, node: Node | None) -> datetime | None:
    text = document.string(node, "created")
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        expected = "a time with its zone, such as 2026-11-20T00:00:00Z"
        document.wrong_kind(node, "created", expected, f'"{text}"')
        return None
    return moment.astimezone(UTC)


def _autoadd(document: Document, node: Node | None) -> bool | tuple[str, ...]:
    """true, false, or `{schema: config}` with one schema or several."""
    if node is None:
        return False
    if not isinstance(node.value, list):
        return bool(document.boolean(node, "autoadd_tables"))
    entry = document.mapping(node, "autoadd_tables", ("schema",))
    if "schema" not in entry:
        return False
    schema = entry["schema"]
    if isinstance(schema.value, list):
        return tuple(dict(names_of(document, schema, "autoadd_tables")))
    name = name_of(document, schema, "autoadd_tables")
    return False if name is None else (name,)
