"""The files of a project that is started from a dump, or from a live source.

Example
    `project_files("shop", dump)` is {"filtersql_project.yml": "name: shop\\n…",
    "tables/schema.sql": the dump itself, "subscriptions/shop.yml": …}: each publication of the dump
    has a subscription. A dump without one gets a publication of every table of which rows can be
    found again.
"""

from __future__ import annotations

import glob
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import yaml
from msgspec import Struct

from filtersql.catalog import Table
from filtersql.errors import Notice
from filtersql.errors.wording import shown
from filtersql.names import quote_identifier
from filtersql.project import package_folder
from filtersql.project.dumps import Dump

__all__ = [
    "ProjectFiles",
    "copy_frame",
    "dump_files",
    "in_yaml",
    "project_files",
    "publication_file",
    "settings_file",
    "subscriptions_file",
]


class ProjectFiles(Struct, frozen=True):
    """Texts by path: `begun` files are the user's afterwards, `defined` ones come from elsewhere.

    `empty` are those that define nothing. `left_out` is what they lack, `never_sent` of what they
    have no change ever comes, each as `--format json` has it.
    """

    defined: Mapping[str, str]
    begun: Mapping[str, str]
    empty: frozenset[str] = frozenset()
    left_out: Sequence[Mapping[str, str]] = ()
    never_sent: Sequence[Mapping[str, str]] = ()
    counts: Mapping[str, int] = {}
    notices: Sequence[Notice] = ()


def dump_files(name: str, dump: Dump) -> ProjectFiles:
    """The files of `project_files`: what the dump itself says can be read from it anew."""
    files = dict(project_files(name, dump))
    return ProjectFiles({_SCHEMA: files.pop(_SCHEMA)}, files)


def copy_frame(folder: Path) -> None:
    """What every project has, whatever it defines; what is there is left alone."""
    present = [path.name for path in folder.glob("*")]
    defined = shutil.ignore_patterns(*_DEFINED_BY_EACH, *map(glob.escape, present))
    template = package_folder("project_template")
    shutil.copytree(template, folder, ignore=defined, dirs_exist_ok=True)


def project_files(name: str, dump: Dump) -> Mapping[str, str]:
    """Texts by path within the project of this name, which is a plain identifier."""
    publications = list(dump.definitions.publications)
    files = {
        "filtersql_project.yml": settings_file(
            name, name, {"semantics": "postgres", "postgres_version": dump.postgres_version}
        ),
        "profiles.yml": _profiles(name),
        _SCHEMA: dump.text,
    }
    if not publications:
        publications = [name]
        files[f"publications/{name}.yml"] = publication_file(
            name, dump.definitions.catalog.tables.values()
        )
    files[f"subscriptions/{name}.yml"] = subscriptions_file("publications", publications, _FILES)
    return files


_SCHEMA = "tables/schema.sql"
_DEFINED_BY_EACH = (
    *("tables", "publications", "subscriptions", "changes", "tests"),
    *("filtersql_project.yml", "profiles.yml"),
)
#: where a subscription reads, until somebody says otherwise
_FILES = ('changes: {path: "changes/*.jsonl"}',)


def _schema(file: str) -> str:
    above = "" if file in ("project", "profiles") else "../"
    return f"# yaml-language-server: $schema={above}.vscode/filtersql/{file}.json\n"


def settings_file(name: str, profile: str, more: Mapping[str, object]) -> str:
    """filtersql_project.yml of a project of this name."""
    said = {"name": name, "version": 1, "profile": profile, **more}
    return _schema("project") + "".join(f"{key}: {in_yaml(value)}\n" for key, value in said.items())


def _profiles(name: str) -> str:
    """The template's outputs, for another name."""
    text = (package_folder("project_template") / "profiles.yml").read_text(encoding="utf-8")
    # DuckDB does not tell a schema, which a subscription has, from a database of that name.
    text = text.replace("shop.duckdb", f"{name}_targets.duckdb")
    return text.replace("\nshop:\n", f"\n{in_yaml(name)}:\n")


def publication_file(name: str, tables: Iterable[Table]) -> str:
    """A publication of all tables of which rows can be found again."""
    published = [table for table in tables if _may_be_published(table)]
    lines = [
        "publications:",
        f"  - name: {in_yaml(name)}",
        "    # A row filter is what PostgreSQL takes in WHERE ():",
        "    #   - {name: orders, where: region = 'eu', columns: [id, region, total]}",
    ]
    if any(table.partition_by is not None for table in published):
        lines.append("    publish_via_partition_root: true    # one target for all partitions")
    lines.append("    tables:")
    for table in published:
        if table.identity_columns:
            lines.append(f"      - {in_yaml(shown(table.name))}")
        else:
            lines.append(f"      # {shown(table.name)}: a row without a key is not found again;")
            lines.append("      #   ALTER TABLE … REPLICA IDENTITY FULL, or publish: [insert]")
    return _schema("publications") + _literal("\n".join(lines)) + "\n"


def _may_be_published(table: Table) -> bool:
    """Whether a table is one that PostgreSQL publishes, and no partition, which its root brings."""
    return not (table.partition_of or table.unlogged or table.view or table.foreign)


def subscriptions_file(key: str, names: Iterable[str], more: Iterable[str]) -> str:
    """A subscription to each of some `publications`, or `replication_sets`; `more` for each."""
    lines = ["subscriptions:"]
    for name in map(quote_identifier, names):
        lines += [f"  - name: {in_yaml(name)}", f"    {key}: [{in_yaml(name)}]"]
        lines += [f"    {line}" for line in more]
    return _schema("subscriptions") + _literal("\n".join(lines)) + "\n"


def _literal(text: str) -> str:
    """The text, of which a template is to leave each character alone."""
    marked = any(mark in text for mark in ("{{", "{%", "{#"))
    return f"{{% raw %}}{text}{{% endraw %}}" if marked else text


def in_yaml(value: object) -> str:
    """A value as YAML holds it, quoted only where it must be."""
    listed: str = yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=1000)
    return listed.strip()[1:-1]
