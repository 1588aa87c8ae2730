"""ALTER PUBLICATION … OWNER TO: whom `show publication` names, as psql does.

Example
    `ALTER PUBLICATION p OWNER TO app` makes app the owner. Which roles there are, and what each may
    own, a project does not say.

PostgreSQL
    publicationcmds.c: AlterPublicationOwner()
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.definitions.sql_names import AlreadyTold, Script, place_of
from filtersql.errors.definitions import Unknown
from filtersql.grammar import Statement, enum_name

__all__ = ["change_owner"]


def change_owner(script: Script, statement: Statement) -> None:
    """Of a publication; the owner of anything else says nothing about replication."""
    node, drafts = statement.node, script.drafts
    if enum_name(node, "object_type") != "OBJECT_PUBLICATION":
        return
    name = node.object.string.sval
    if name in drafts.broken_publications:
        raise AlreadyTold
    if name not in drafts.publications:
        span = place_of(script, statement, name)
        raise Unknown("publication", name, span, drafts.publications)
    match enum_name(node.newowner, "roletype"):
        case "ROLESPEC_CSTRING":
            owner = node.newowner.rolename
        case "ROLESPEC_SESSION_USER":
            owner = script.settings.session_user
        case _:
            owner = script.settings.owner
    drafts.publications[name] = replace(drafts.publications[name], owner=owner)
