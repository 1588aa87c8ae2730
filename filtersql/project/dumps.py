"""A dump that a project is started from: what `init --from-dump` needs to know of it.

Example
    read_dump(Path("schema.sql")).postgres_version    # 16, where its head says "version 16.4"

PostgreSQL
    pg_dump.c: main() prints "Dumped from database version"
"""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.finish import finish
from filtersql.definitions.model import Definitions
from filtersql.definitions.sql_file import read_sql
from filtersql.definitions.sql_text import without_secrets
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.project import DUMP_NOT_TEXT
from filtersql.project.files import read_text, shown
from filtersql.project.settings import VERSIONS
from filtersql.project.templates import is_raw
from filtersql.source import Source

__all__ = ["Dump", "read_dump"]

_VERSION = re.compile(r"^-- Dumped from database version (\d+)", re.MULTILINE)
_CUSTOM_FORMAT = b"PGDMP"


class Dump(Struct, frozen=True):
    """What a dump says. `text` can stand in a project: no template, without passwords."""

    text: str
    postgres_version: int
    definitions: Definitions


def read_dump(path: Path) -> Dump:
    """The dump in a file, by pg_dump or by hand. Raises Mistakes with all that is wrong in it."""
    mistakes: list[Mistake] = []
    source = read_text(path, Path.cwd(), mistakes)
    if path.is_file() and path.read_bytes()[:5] == _CUSTOM_FORMAT:
        raise DUMP_NOT_TEXT(path=shown(path, Path.cwd()))
    source = Source(source.path, without_secrets(source.text))
    found = _VERSION.search(source.text)
    version = min(max(int(found[1]), VERSIONS[0]), VERSIONS[-1]) if found else VERSIONS[-1]
    drafts = Drafts(mistakes=mistakes, postgres_version=version)
    read_sql(source.passage(), drafts)
    definitions = finish(drafts)
    if mistakes:
        raise Mistakes(mistakes)
    text = source.text if is_raw(source) else f"-- filtersql: raw\n{source.text}"
    return Dump(text, version, definitions)
