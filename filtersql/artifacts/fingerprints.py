"""What a target means, whatever engine and schema it lands in.

A node's fingerprint is what it means wherever it runs: its filters, columns, key, settings and
the macros that print it. A changed comment, description or blank of a definition file leaves it as
it is; another target of the profile does too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from filtersql.compile import Node
from filtersql.definitions.model import Feed, SourceOfTables
from filtersql.pgtypes import format_type
from filtersql.project.secrets import is_secret

__all__ = ["Fingerprints", "config_of", "types_of"]

#: made once: json.dumps() makes one for each call
_SORTED = json.JSONEncoder(sort_keys=True, default=str, check_circular=False)
_ELSEWHERE = re.compile(r"\{%-?\s*(?:import|include|extends|from)\b")


class Fingerprints:
    """What targets mean, whatever engine and schema they land in."""

    def __init__(self, macro_folders: tuple[Path, ...]) -> None:
        self._macros = _MacroTexts(macro_folders)

    def of(self, node: Node) -> str:
        """A target's fingerprint."""
        compiled, resolved = node.compiled, node.resolved
        content = [
            compiled.filter_hash,
            [[column.name, column.not_null] for column in compiled.columns],
            types_of(node),
            compiled.form,
            resolved.subscription.target,
            resolved.alias,
            {key: value for key, value in config_of(node).items() if key != "tags"},
        ]
        # as if the macros' hashes, the same for all targets, were encoded with the rest
        text = f"{_SORTED.encode(content)[:-1]}, {self._macros.of_all}]"
        return sha256(text.encode()).hexdigest()


class _MacroTexts:
    """The hashes of macros' texts, each read once."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._folders = folders

    @cached_property
    def of_all(self) -> str:
        """Of the macros that print a table's statements, as JSON."""
        names = sorted(path.stem for path in self._folders[-1].glob("*.sql"))
        return json.dumps([self._hash(name) for name in names])

    def _hash(self, name: str) -> str:
        file = next(
            path for path in (one / f"{name}.sql" for one in self._folders) if path.is_file()
        )
        text = file.read_text(encoding="utf-8")
        if _ELSEWHERE.search(text):
            text += "".join(
                path.read_text(encoding="utf-8") for path in sorted(file.parent.rglob("*.sql"))
            )
        return sha256(text.encode()).hexdigest()


def types_of(node: Node) -> dict[str, str]:
    """The columns of the published table, also those that are only judged, as PostgreSQL says."""
    return {column.name: format_type(column.type) for column in node.resolved.table.columns}


def config_of(node: Node) -> dict[str, object]:
    """What a target's subscription says beyond its SQL."""
    subscription = node.resolved.subscription
    return {
        "copy_data": subscription.copy_data,
        "on_conflict": subscription.on_conflict,
        "on_filter_error": subscription.on_filter_error,
        "source": _source(subscription.source),
        "changes": _feed(subscription.changes),
        "target_config": _shown(subscription.target_config),
        "tags": list(subscription.tags),
    }


def _source(source: SourceOfTables | None) -> dict[str, object] | None:
    if source is None:
        return None
    return {
        "table": source.table,
        "path": source.path,
        "format": source.format,
        "seq": source.seq,
    }


def _feed(feed: Feed | None) -> dict[str, object] | None:
    if feed is None:
        return None
    return {
        "format": feed.format,
        "path": feed.path,
        "table": feed.table,
        "before": "complete" if feed.before_complete else "logged",
    }


def _shown(value: object) -> object:
    """Settings without secrets."""
    if isinstance(value, Mapping):
        return {
            str(key): "*" if is_secret(str(key)) else _shown(item) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_shown(item) for item in value]
    return value if isinstance(value, str | bool | int | None) else str(value)
