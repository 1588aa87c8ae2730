"""filtersql_project.yml: names, the source system's rules, variables and defaults.

Example
    `semantics: {profile: postgres, null_policy: keep}` is PostgreSQL's profile with one switch
    turned. Everything but `name` may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args, get_type_hints

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql import semantics as profiles
from filtersql.definitions.yaml_document import Document, Node
from filtersql.definitions.yaml_subscriptions import DEFAULTS, read_defaults
from filtersql.errors.definitions import MISSING_KEY, InvalidValue, Unknown
from filtersql.errors.project import BEYOND_SEMANTICS
from filtersql.errors.silencing import WARNINGS
from filtersql.semantics import POSTGRES, Semantics
from filtersql.source import Span

__all__ = ["VERSIONS", "Settings", "read_settings"]

_KEYS = frozenset(
    "name version profile semantics postgres_version publish_via_partition_root identity_check vars"
    " defaults compiled_path description silence database_locale".split()
)
_SYSTEMS = ("postgres", "xdb", "pglogical", "bdr")
#: of PostgreSQL, whose publications have row filters
VERSIONS = (15, 16, 17, 18)


class Settings(Struct, frozen=True):
    """What the project file says, defaults filled in."""

    name: str
    #: None where the file names none: it is a mistake already
    profile: str | None
    profile_span: Span
    semantics: Semantics = POSTGRES
    postgres_version: int = 18
    #: `collate|ctype` of the source's database, or "default" where nothing is said
    database_locale: str = "default"
    publish_via_partition_root: bool = False
    identity_check: str = "compile"
    compiled_path: str = "target/compiled"
    variables: Mapping[str, object] = field(default_factory=dict)
    #: names of warnings that are not shown
    silence: tuple[str, ...] = ()
    #: settings of every subscription that does not say them itself
    defaults: Mapping[str, object] = field(default_factory=dict)


def read_settings(document: Document) -> Settings:
    """The settings; what is wrong is added to the document's mistakes."""
    root = document.root()
    entry = document.mapping(root, "filtersql_project.yml", _KEYS)
    start = document.passage.span(0, 0)
    name = document.string(entry.get("name"), "name")
    if "name" not in entry and (entry or not document.mistakes):
        at = document.span(root) if root is not None else start
        document.mistakes.append(MISSING_KEY(at, key="name", where="filtersql_project.yml"))
    profile = document.string(entry.get("profile"), "profile")
    named = entry.get("profile") or entry.get("name")
    if "version" in entry:
        document.choice(entry["version"], "version", ("1",))
    document.string(entry.get("description"), "description")
    identity_check = document.choice(
        entry.get("identity_check"), "identity_check", ("compile", "run")
    )
    root_flag = entry.get("publish_via_partition_root")
    return Settings(
        name=name or "project",
        profile=profile or name,
        profile_span=document.span(named) if named is not None else start,
        semantics=_semantics(document, entry.get("semantics")),
        postgres_version=_version(document, entry.get("postgres_version")),
        database_locale=_locale(document, entry.get("database_locale")),
        publish_via_partition_root=bool(document.boolean(root_flag, "publish_via_partition_root")),
        identity_check=identity_check or "compile",
        compiled_path=document.string(entry.get("compiled_path"), "compiled_path")
        or "target/compiled",
        variables={
            key.value: document.plain(value)
            for key, value in document.pairs(entry.get("vars"), "vars")
        },
        silence=_silenced(document, entry.get("silence")),
        defaults=_defaults(document, entry.get("defaults")),
    )


def _silenced(document: Document, node: Node | None) -> tuple[str, ...]:
    """Names of warnings."""
    names = document.texts(node, "silence")
    for name in names:
        if name.text not in WARNINGS:
            document.mistakes.append(Unknown("warning", name.text, name.span(), WARNINGS))
    return tuple(name.text for name in names)


def _version(document: Document, node: Node | None) -> int:
    version = document.integer(node, "postgres_version")
    if version is not None and version not in VERSIONS:
        document.mistakes.append(BEYOND_SEMANTICS(document.span(node), version=version))
        return 18
    return version or 18


def _locale(document: Document, node: Node | None) -> str:
    """A locale's name, or what CREATE DATABASE was told."""
    if node is None:
        return "default"
    if not isinstance(node.value, list):
        name = document.string(node, "database_locale") or "default"
        return f"{name}|{name}" if name != "default" else name
    entry = document.mapping(node, "database_locale", ["provider", "collate", "ctype"])
    provider = document.choice(entry.get("provider"), "provider", ("libc", "builtin", "icu"))
    collate = document.string(entry.get("collate"), "collate")
    if "collate" not in entry:
        document.mistakes.append(
            MISSING_KEY(document.span(node), key="collate", where="database_locale")
        )
    ctype = document.string(entry.get("ctype"), "ctype")
    parts = (collate or "default", (provider != "icu" and ctype) or collate or "default")
    return "|".join(f"icu:{part}" if provider == "icu" else part for part in parts)


def _defaults(document: Document, node: Node | None) -> Mapping[str, object]:
    entry = document.mapping(node, "defaults", DEFAULTS)
    return read_defaults(document, entry, "defaults")


def _semantics(document: Document, node: Node | None) -> Semantics:
    """A profile's name, or a profile with switches turned."""
    if node is None:
        return POSTGRES
    if not isinstance(node.value, list):
        return _profile(document, node)
    switches = [name for name in Semantics.__struct_fields__ if name not in ("name", "unstated")]
    entry = document.mapping(node, "semantics", ["profile", *switches])
    base = _profile(document, entry["profile"]) if "profile" in entry else POSTGRES
    kinds = get_type_hints(Semantics)
    turned: dict[str, object] = {}
    for key in switches:
        if key not in entry:
            continue
        if kinds[key] is bool:
            turned[key] = document.boolean(entry[key], key)
        else:
            turned[key] = document.choice(entry[key], key, get_args(kinds[key]))
    turned = {key: value for key, value in turned.items() if value is not None}
    if "combine" in turned and "unfiltered_cancels" not in turned:
        # What a union takes, no filter of another set can take away.
        turned["unfiltered_cancels"] = turned["combine"] == "or_per_action"
    unstated = base.unstated.difference(turned)
    return replace(base, unstated=unstated, **turned)


def _profile(document: Document, node: Node) -> Semantics:
    known = {value.name: value for value in vars(profiles).values() if isinstance(value, Semantics)}
    name = document.string(node, "semantics")
    if name is not None and name not in known:
        document.mistakes.append(InvalidValue("semantics", name, _SYSTEMS, document.span(node)))
    return known.get(name or "postgres", POSTGRES)
