"""One script of DDL, asked of a server and of filtersql: what each says of the last statement."""

from __future__ import annotations

from pathlib import Path

import psycopg

from filtersql.compile import compile_project, mistakes_in
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.project import load

__all__ = [
    "OWN",
    "Words",
    "agree",
    "is_own",
    "of_filtersql",
    "of_server",
    "of_server_now",
    "words_of",
]

#: message, detail and hint
Words = tuple[str | None, str | None, str | None]
#: in their place: filtersql does not carry out what a dump does not write
OWN: list[Words] = [("own", None, None)]
_NOT_CARRIED_OUT = " is not supported"
#: of what depends on something, only what does so itself is told
_DEPENDED = "because other objects depend on"


def of_server(connection: psycopg.Connection[object], script: str) -> Words | None:
    """What the server says of the last statement; nothing is kept."""
    *before, last = [line for line in script.splitlines() if not line.startswith("--")]
    with connection.transaction(force_rollback=True):
        for statement in before:
            connection.execute(statement.encode())
        return of_server_now(connection, last)


def of_server_now(connection: psycopg.Connection[object], statement: str) -> Words | None:
    """What the server says of one statement; it is kept where it is accepted."""
    try:
        with connection.transaction():
            connection.execute(statement.encode())
    except psycopg.Error as error:
        said = error.diag
        return said.message_primary, said.message_detail, said.message_hint
    return None


def of_filtersql(folder: Path, script: str, version: int, semantics: str) -> list[Words]:
    """Everything that filtersql says of the whole script."""
    (folder / "tables" / "t.sql").write_text(f"-- filtersql: raw\n{script}", encoding="utf-8")
    settings = f"name: shop\nversion: 1\nsemantics: {semantics}\npostgres_version: {version}\n"
    (folder / "filtersql_project.yml").write_text(settings, encoding="utf-8")
    try:
        compile_project(load(folder, judge=mistakes_in))
    except (Mistake, Mistakes) as mistake:
        return words_of(mistake)
    return []


def is_own(mistake: Mistake | Mistakes) -> bool:
    """Whether all of it is what filtersql does not carry out."""
    found = mistake.mistakes if isinstance(mistake, Mistakes) else (mistake,)
    return all(isinstance(one, UnsupportedStatement) for one in found)


def words_of(mistake: Mistake | Mistakes) -> list[Words]:
    """Of one or of several."""
    found = mistake.mistakes if isinstance(mistake, Mistakes) else (mistake,)
    return [(one.message, one.detail, one.hint) for one in found]


def agree(theirs: Words | None, ours: list[Words]) -> bool:
    """Both accept, or one of ours has their words or says that it does not carry that out."""
    if theirs is None:
        return not ours
    return any(_told(theirs, one) or str(one[0]).endswith(_NOT_CARRIED_OUT) for one in ours)


def _told(theirs: Words, ours: Words) -> bool:
    in_use = "cannot alter type of a column used"  # by several: which is told first is not kept
    if str(theirs[0]).startswith(in_use) and str(ours[0]).startswith(in_use):
        return True
    return theirs[0] == ours[0] and _within(theirs, ours)


def _within(theirs: Words, ours: Words) -> bool:
    if _DEPENDED in str(theirs[0]):
        return True
    return all(one in (None, other) for one, other in zip(theirs[1:], ours[1:], strict=True))
