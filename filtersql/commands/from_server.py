"""The files of a project that are read from a live source.

Example
    `server_files(found, folder_name, ("tables", "publications", "subscriptions"))` has
    tables/erp.sql and publications/erp.sql as `defined`; a project that begins here gets
    filtersql_project.yml, too, and a subscription to each publication that reads what
    `filtersql capture erp` writes.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import to_builtins

from filtersql.commands.from_dump import (
    ProjectFiles,
    in_yaml,
    publication_file,
    settings_file,
    subscriptions_file,
)
from filtersql.definitions.model import Definitions
from filtersql.errors import Notice
from filtersql.names import path_name
from filtersql.postgres.catalogs import Catalogs, read_catalogs
from filtersql.postgres.connection import newer_than_known, read_only
from filtersql.postgres.imported import imported
from filtersql.project import SourceOfProject
from filtersql.project.settings import VERSIONS

__all__ = ["server_files"]


def server_files(found: SourceOfProject, name: str, parts: Sequence[str]) -> ProjectFiles:
    """What a live source defines, for a project of this name. Raises Mistakes."""
    source, settings = found.source, found.settings
    with read_only(source) as connection:
        notices = list(newer_than_known(source, connection))
        catalogs = read_catalogs(connection)
    version = min(catalogs.server.version, VERSIONS[-1])
    system = _system(catalogs) if settings is None else settings.semantics.name
    system = system if system in ("pglogical", "bdr") else "postgres"
    read = imported(source.name, catalogs, system, parts)
    begun = {}
    if settings is None:
        more = {
            "semantics": system,
            "postgres_version": version,
            "database_locale": dict(catalogs.server.locale),
            # As the server: a row that no filter can judge is refused when it is changed.
            "identity_check": "run",
        }
        begun["filtersql_project.yml"] = settings_file(name, found.profile, more)
    elif settings.postgres_version != version:
        notices.append(_other_version(source.name, version, settings.postgres_version))
    if "tables" in parts and "table" not in read.counts:
        notices.append(_no_table(source.name))
    if "publications" in parts:
        begun |= _subscribed(read.definitions, source.name, name, system)
    left_out, never_sent = to_builtins((read.left_out, read.never_sent))
    return ProjectFiles(read.files, begun, read.empty, left_out, never_sent, read.counts, notices)


def _system(catalogs: Catalogs) -> str:
    """What a project is that begins here: PostgreSQL's, where it publishes anything."""
    sets = catalogs.parts["sets"] and not catalogs.parts["publications"]
    return next(iter(catalogs.server.others)) if sets else "postgres"


def _other_version(source: str, version: int, written: int) -> Notice:
    return Notice(
        "other-postgresql-version",
        f'source "{source}" is PostgreSQL {version}, and the project says {written}',
        hint=f"postgres_version: {version} in filtersql_project.yml gives the server's rules.",
    )


def _no_table(source: str) -> Notice:
    return Notice(
        "no-table",
        f'source "{source}" defines no table that its user may see',
        hint="Is it the right database? A dbname that is not said is named as the user.",
    )


def _subscribed(definitions: Definitions, source: str, name: str, system: str) -> dict[str, str]:
    """A subscription to all that is published; if nothing is, a publication of what has a key."""
    begun = {}
    if system == "postgres":
        key, published = "publications", list(definitions.publications)
        if not published:
            published = [name]
            tables = definitions.catalog.tables.values()
            begun[f"publications/{name}.yml"] = publication_file(name, tables)
    else:
        key, published = "replication_sets", list(definitions.replication_sets)
    if published and not definitions.subscriptions:
        place = f"{{postgres: {in_yaml(source)}}}"
        more = [f"source: {place}", f"changes: {place}"]
        names = [each.name.casefold() for each in definitions.catalog.tables]
        if len(names) > len(set(names)):  # tables of one name in several schemas
            more.append('target: "{subscription}_{schema}.{table}"')
        begun[f"subscriptions/{path_name(source)}.yml"] = subscriptions_file(key, published, more)
    return begun
