"""filtersql/docs/files.md, written from the JSON schemas: each key of each file of a project.

Example
    ### publications: tables                        a heading for each mapping
    | `where` | text | The row filter, … |          a row for each of its keys

A key of several kinds of outputs stands in one table, with the kinds that have it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import filtersql

__all__ = ["Key", "keys", "page"]

_SCHEMAS = Path(filtersql.__file__).parent / "schemas"
_FILES = {
    "filtersql_project.yml": ("project", ""),
    "profiles.yml": ("profiles", ""),
    "tables/*.yml": ("definitions", "tables"),
    "publications/*.yml": ("definitions", "publications replication_sets"),
    "subscriptions/*.yml": ("definitions", "subscriptions"),
    "tests/*.yml": ("definitions", "tests"),
}
_WORDS = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "boolean": "true, false",
    "array": "list",
    "object": "mapping",
    "null": "",
}
_HEAD = """# The files of a project

Written from the JSON schemas by `pytest tests/project/test_schemas.py --update`;
`filtersql schema --write` gives them to an editor.
Tables and publications may be PostgreSQL's own statements in `.sql` files
instead. Definitions of any kind may stand in any of these folders, and templates
(`{{ var('state') }}`, `{{ env_var('HOME') }}`) in any value. What stands below a key has a
heading of its own: `publications: tables` tells of each table of a publication. The switches of
`semantics` are in [switches](switches.md), the formats of `changes` in [feeds](feeds.md), the
outputs in [targets](targets.md), the names for `silence` in [warnings](warnings.md).
"""


class Key(NamedTuple):
    """One key of a mapping: where the mapping stands, the key, what it takes, what it means."""

    place: str
    name: str
    kind: str
    means: str


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for file, (schema, roots) in _FILES.items():
        parts.append(f"\n## {file}\n")
        found: dict[str, dict[str, Key]] = {}
        for key in keys(schema):
            if not roots or key.place.split("[")[0] in roots.split():
                rows = found.setdefault(key.place, {})
                known = rows.get(key.name, key)
                kinds = dict.fromkeys((*known.kind.split(", "), *key.kind.split(", ")))
                rows[key.name] = known._replace(kind=", ".join(kinds))
        for place, rows in found.items():
            if place:
                parts.append(f"\n### {_heading(place, '' if roots else file)}\n")
            parts.append("\n| key | takes | means |\n|---|---|---|\n")
            parts += (f"| `{each.name}` | {each.kind} | {each.means} |\n" for each in rows.values())
    return "".join(parts)


def _heading(place: str, file: str) -> str:
    """`publications[].tables[]` for a reader: the file, if it is one, and the keys on the way.

    A name that a person gives is no key: `{}.outputs{}` is `profiles.yml: outputs`.
    """
    keys_above = [each.strip("[]{}") for each in place.replace("{}.", "").split(".")]
    return ": ".join(filter(None, [file, *(each or "a profile" for each in keys_above)]))


def keys(schema: str) -> Iterator[Key]:
    """Every key that a file of that schema may hold, mapping by mapping."""
    content = json.loads((_SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
    waiting: list[tuple[str, Mapping[str, Any]]] = [("", content)]
    while waiting:
        place, node = waiting.pop(0)
        for variant in _variants(node, content):
            for name, value in variant.get("properties", {}).items():
                if place or schema != "definitions":
                    means = value.get("description", "").replace("|", "\\|")
                    yield Key(place, name, _kind(value, content), means)
                if name not in ("semantics", "defaults"):  # a page of its own; a subscription's
                    waiting.append((f"{place}.{name}".strip("."), value))
            if "items" in variant:
                waiting.append((f"{place}[]", variant["items"]))
            if isinstance(variant.get("additionalProperties"), dict):
                waiting.append((f"{place}{{}}", variant["additionalProperties"]))


def _variants(node: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "$ref" in node:
        yield from _variants(root["$defs"][node["$ref"].rpartition("/")[2]], root)
    inner = [each for word in ("anyOf", "oneOf") for each in node.get(word, ())]
    if any(set(each) - {"required"} for each in inner):
        for each in inner:
            yield from _variants(each, root)
    yield node


def _kind(node: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """What a key takes, in a word or two."""
    said: list[str] = []
    for each in _variants(node, root):
        said += (f"`{value}`" for value in each.get("enum", ()))
        kinds = each.get("type", [])
        words = [_WORDS[one] for one in ([kinds] if isinstance(kinds, str) else kinds)]
        if (
            len(words) > 1 and "text" in words
        ):  # a text may look like a number; a flag be a template
            words = ["text"] if len(words) > 2 else [one for one in words if one != "text"]
        said += words
    return ", ".join(dict.fromkeys(filter(None, said))) or "anything"
