"""Whether a server's publications are still what `import` wrote: `published_otherwise(…)`.

Example
    publications/erp.sql          the server now                        the path, for
    … TABLE a WHERE (id > 10);    … TABLE a WHERE (id <= 10);           the statement is another
    … TABLE a;                    … TABLE a; … TABLE b;                 a table joined

    A file without import's head is the project's own: the server may say what it likes.
"""

from __future__ import annotations

from pathlib import Path

from filtersql.postgres.catalogs import publications_of
from filtersql.postgres.connection import Connection
from filtersql.postgres.imported import head_of, path_of

__all__ = ["published_otherwise"]

_CREATE = "\nCREATE PUBLICATION {} "
_STATEMENTS = ("CREATE PUBLICATION ", "ALTER PUBLICATION ")


def published_otherwise(connection: Connection, root: Path, source: str) -> str | None:
    """The file below the project's folder that publications of the server are not as in.

    Those that the file does not have were left out.
    """
    path = path_of("publications", source)
    try:
        text = (root / path).read_text(encoding="utf-8")
    except OSError:
        return None
    if not text.startswith(head_of(source)):
        return None
    left = text
    for one in publications_of(connection):
        name = one.name if one.kind == "publication" else one.needs[-1].removeprefix("publication ")
        if _CREATE.format(name) not in text:
            continue
        if one.text not in left:
            return path
        left = left.replace(one.text, "", 1)
    return path if any(line.startswith(_STATEMENTS) for line in left.splitlines()) else None
