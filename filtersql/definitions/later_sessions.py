r"""ALTER DATABASE and ROLE ALL … SET, which hold in sessions that begin later.

Example
    `ALTER DATABASE shop SET datestyle = 'ISO, DMY'`, then `\connect shop`, or the next file:
    '01/02/2026' is 1 February, behind RESET datestyle, too. The session that says it goes on.

    What a single role is given counts for its sessions: a file does not say whose they are. What
    ALTER SYSTEM sets holds when somebody reloads the server: it is refused.

PostgreSQL
    pg_db_role_setting.c: AlterSetting(); postinit.c: process_settings(), the database's settings
    before those of all roles
"""

from __future__ import annotations

from filtersql.definitions.sql_names import Script, place_of
from filtersql.definitions.sql_settings import as_begun, checked
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Statement

__all__ = ["LATER", "begin", "set_for_later"]

LATER = ("alter_database_set_stmt", "alter_role_set_stmt", "alter_system_stmt")
_ALL, _DATABASE = "all", "database"
_RELOADED = "Write SET where the statements begin that it is for."
_HINT = "Keep each database in a project of its own, or SET it where its statements begin."


def begin(script: Script, database: str | None) -> None:
    """A session begins, in a database that is known or not: what was said for it holds."""
    said = script.drafts.session_settings
    script.begin_session()
    script.begun = {}
    for kind in (_ALL, _DATABASE):
        for (of, name), settings in said.items():
            if of == kind and (of != _DATABASE or database in (None, name)):
                script.begun |= settings
    script.settings = as_begun(script, script.settings)


def set_for_later(script: Script, statement: Statement) -> None:
    """ALTER … SET and RESET."""
    node, said = statement.node, script.drafts.session_settings
    if statement.kind == "alter_role_set_stmt" and (node.HasField("role") or node.database):
        if node.HasField("role"):
            return
        key = _DATABASE, node.database
    elif statement.kind == "alter_database_set_stmt":
        key = _DATABASE, node.dbname
    else:
        key = _ALL, ""
    place = place_of(script, statement, "")
    changed = checked(script, node.setstmt, place)
    if statement.kind == "alter_system_stmt":
        for name in [name for name, values in (changed or {}).items() if values is not None]:
            raise UnsupportedStatement(f"ALTER SYSTEM SET {name}", place, _RELOADED)
        return
    if changed is None:
        said.pop(key, None)
        return
    others = [name for of, name in said if of == _DATABASE and name != key[1]]
    if key[0] == _DATABASE and others and any(value is not None for value in changed.values()):
        raise UnsupportedStatement("ALTER DATABASE … SET of a second database", place, _HINT)
    for name, values in changed.items():
        settings = said.setdefault(key, {})
        if values is None:
            settings.pop(name, None)
        else:
            settings[name] = values
