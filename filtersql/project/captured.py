"""Where `capture` leaves what it records of a live source, and where a run finds it.

The layout, below the project's folder
    ```
    captured/erp/                                   path_name() of the source's name
      rows/public.orders/00000000000000000041/      RelationName.path, and the seq that they hold
        *.jsonl                                     the table's rows, a JSON object each
      changes/00000000000000000097.jsonl            closed files of the native feed
    ```
    `rows/` holds a folder for each table that a target is copied from (a published partition root
    has one, with the rows of its whole tree). It appears with all its files (written beside it,
    then renamed: a name that is no number is not looked at). Of several the greatest seq counts,
    so the rows of a table may be captured anew, and those of a table that comes later begin at a
    seq of their own. An empty table has an empty file.

    `changes/` is read in the order of its names, so they have twenty digits: the last seq within.
    Files below another name than `*.jsonl` are not looked at. There is one, perhaps empty, as
    soon as the slot is there.

    `joined.json` tells of tables that left the publication and came back: the seq of the rows that
    were copied then, or null as long as that is not known. Of one that left a partition tree it
    tells, by the names of both, the last seq that may be from before. `trees.json` has the names of
    those that are in one.

Example
    `source: {postgres: erp}` is `{path: "captured/erp/rows/{schema}.{table}/*/*.jsonl"}` with the
    seq of each table, and `changes: {postgres: erp}` is `{path: "captured/erp/changes/*.jsonl"}`.
"""

from __future__ import annotations

import glob
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from msgspec import json
from msgspec.structs import replace

from filtersql.catalog import Catalog
from filtersql.definitions.model import Definitions, Feed, SourceOfTables, Subscription
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.live import NOTHING_CAPTURED, ROWS_NOT_CAPTURED, unknown_source
from filtersql.names import RelationName, path_name

__all__ = [
    "JOINED",
    "TREES",
    "captured_trees",
    "changes_folder",
    "in_tree",
    "joined_tables",
    "newest_rows",
    "number_name",
    "rows_folder",
    "rows_pattern",
    "trees_of",
    "with_captured",
]

JOINED, TREES = "joined.json", "trees.json"
_DIGITS = 20


def number_name(seq: int) -> str:
    """A seq as names of files and folders have it: their order is that of the numbers.

    >>> number_name(41)
    '00000000000000000041'
    """
    return f"{seq:0{_DIGITS}}"


def changes_folder(root: Path, source: str) -> Path:
    """The folder of the closed files of changes."""
    return _folder(root, source) / "changes"


def rows_folder(root: Path, source: str, relation: RelationName) -> Path:
    """The folder of a table, which holds a folder for each seq at which its rows were captured."""
    return _folder(root, source) / "rows" / relation.path


def newest_rows(root: Path, source: str, relation: RelationName) -> int | None:
    """The seq of the newest rows of a table; None where none were captured."""
    return _newest_of(rows_folder(root, source, relation))


def joined_tables(folder: Path) -> dict[str, int | None]:
    """What joined.json says in a source's folder, by `RelationName.path` and `in_tree`."""
    path = folder / JOINED
    return json.decode(path.read_bytes(), type=dict[str, int | None]) if path.exists() else {}


def captured_trees(folder: Path) -> frozenset[str]:
    """Which tables were captured below which ones, by `in_tree`."""
    path = folder / TREES
    return frozenset(json.decode(path.read_bytes(), type=list[str]) if path.exists() else ())


def trees_of(catalog: Catalog, tables: Iterable[RelationName]) -> frozenset[str]:
    """The same of what is defined."""
    pairs = ((above.name, one) for one in tables for above in catalog.ancestors(one))
    return frozenset(in_tree(*pair) for pair in pairs)


def in_tree(above: RelationName, table: RelationName) -> str:
    """By what joined.json tells of a table that left a partition tree."""
    return f"{above.path}/{table.path}"


def rows_pattern(source: SourceOfTables, relation: RelationName) -> str:
    """A glob, relative to the project, of the files with the newest rows of a table.

    Raises Mistakes where none were captured.
    """
    assert source.postgres is not None
    seq = source.seq_of(relation)
    if seq is None:
        if source.captured:
            raise Mistakes([ROWS_NOT_CAPTURED(source.span, table=relation, source=source.postgres)])
        raise Mistakes(
            [NOTHING_CAPTURED(source.span, what=f"rows of {relation}", source=source.postgres)]
        )
    folder = rows_folder(Path(), source.postgres, relation) / number_name(seq)
    return f"{glob.escape(folder.as_posix())}/*.jsonl"


def with_captured(
    found: Definitions, root: Path, known: Collection[str] | None, mistakes: list[Mistake]
) -> Definitions:
    """The definitions, with the files of subscriptions that name a live source.

    `known` are the profile's sources, where it is known.
    """
    subscriptions = {}
    for name, each in found.subscriptions.items():
        mistakes += _unknown(each, known)
        subscriptions[name] = replace(
            each, source=_source(root, each.source), changes=_changes(each.changes)
        )
    return replace(found, subscriptions=subscriptions)


def _folder(root: Path, source: str) -> Path:
    return root / "captured" / path_name(source)


def _source(root: Path, source: SourceOfTables | None) -> SourceOfTables | None:
    if source is None or source.postgres is None:
        return source
    rows = _folder(root, source.postgres) / "rows"
    path = (_folder(Path(), source.postgres) / "rows").as_posix() + "/{schema}.{table}/*/*.jsonl"
    return replace(source, path=path, captured=dict(_newest(rows)))


def _newest(rows: Path) -> Iterator[tuple[str, int]]:
    """The newest seq of each table's rows, by the name of its folder."""
    for table in rows.iterdir() if rows.is_dir() else ():
        if (seq := _newest_of(table)) is not None:
            yield table.name, seq


def _newest_of(table: Path) -> int | None:
    """The newest seq in the folder of a table; None: there is none."""
    found = table.iterdir() if table.is_dir() else ()
    return max((int(each.name) for each in found if each.name.isdecimal()), default=None)


def _changes(feed: Feed | None) -> Feed | None:
    if feed is None or feed.postgres is None:
        return feed
    folder = changes_folder(Path(), feed.postgres).as_posix()
    return replace(feed, path=f"{glob.escape(folder)}/*.jsonl")


def _unknown(subscription: Subscription, known: Collection[str] | None) -> Iterator[Mistake]:
    for each in (subscription.source, subscription.changes):
        if known is None or each is None or each.postgres is None or each.postgres in known:
            continue
        yield unknown_source(each.postgres, known, each.span)
