"""The files of a project that is started from a dump.

Example
    `project_files("shop", dump)` is {"filtersql_project.yml": "name: shop\\n…",
    "tables/schema.sql": the dump itself, "subscriptions/shop.yml": …}: each publication of the dump
    has a subscription. A dump without one gets a publication of every table of which rows can be
    found again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import yaml

from filtersql.catalog import Table
from filtersql.errors.wording import shown
from filtersql.project import package_folder
from filtersql.project.dumps import Dump

__all__ = ["project_files"]


def project_files(name: str, dump: Dump) -> Mapping[str, str]:
    """Texts by path within the project of this name, which is a plain identifier."""
    publications = list(dump.definitions.publications)
    files = {
        "filtersql_project.yml": _settings(name, dump.postgres_version),
        "profiles.yml": _profiles(name),
        "tables/schema.sql": dump.text,
    }
    if not publications:
        publications = [name]
        files[f"publications/{name}.yml"] = _publication(
            name, dump.definitions.catalog.tables.values()
        )
    files[f"subscriptions/{name}.yml"] = _subscriptions(publications)
    return files


def _schema(file: str) -> str:
    above = "" if file in ("project", "profiles") else "../"
    return f"# yaml-language-server: $schema={above}.vscode/filtersql/{file}.json\n"


def _settings(name: str, version: int) -> str:
    return f"""\
{_schema("project")}name: {_yaml(name)}
version: 1
profile: {_yaml(name)}
semantics: postgres
postgres_version: {version}
"""


def _profiles(name: str) -> str:
    """The template's outputs, for another name."""
    text = (package_folder("project_template") / "profiles.yml").read_text(encoding="utf-8")
    # DuckDB does not tell a schema, which a subscription has, from a database of that name.
    text = text.replace("shop.duckdb", f"{name}_targets.duckdb")
    return text.replace("\nshop:\n", f"\n{_yaml(name)}:\n")


def _publication(name: str, tables: Iterable[Table]) -> str:
    published = [table for table in tables if _may_be_published(table)]
    lines = [
        "publications:",
        f"  - name: {_yaml(name)}",
        "    # A row filter is what PostgreSQL takes in WHERE ():",
        "    #   - {name: orders, where: region = 'eu', columns: [id, region, total]}",
    ]
    if any(table.partition_by is not None for table in published):
        lines.append("    publish_via_partition_root: true    # one target for all partitions")
    lines.append("    tables:")
    for table in published:
        if table.identity_columns:
            lines.append(f"      - {_yaml(shown(table.name))}")
        else:
            lines.append(f"      # {shown(table.name)}: a row without a key is not found again;")
            lines.append("      #   ALTER TABLE … REPLICA IDENTITY FULL, or publish: [insert]")
    return _schema("publications") + "\n".join(lines) + "\n"


def _may_be_published(table: Table) -> bool:
    """Whether a table is one that PostgreSQL publishes, and no partition, which its root brings."""
    return not (table.partition_of or table.unlogged or table.view or table.foreign)


def _subscriptions(publications: Iterable[str]) -> str:
    lines = ["subscriptions:"]
    for publication in publications:
        lines.append(f"  - name: {_yaml(publication)}")
        lines.append(f"    publications: [{_yaml(publication)}]")
        lines.append('    changes: {path: "changes/*.jsonl"}')
    return _schema("subscriptions") + "\n".join(lines) + "\n"


def _yaml(name: str) -> str:
    """A name as YAML holds it, quoted only where it must be."""
    listed: str = yaml.safe_dump([name], default_flow_style=True, allow_unicode=True, width=1000)
    return listed.strip()[1:-1]
