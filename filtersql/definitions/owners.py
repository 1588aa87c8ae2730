"""ALTER PUBLICATION … OWNER TO: whom `show publication` names, as psql does.

Example
    `ALTER PUBLICATION p OWNER TO app` makes app the owner. Which roles there are, and what each may
    own, a project does not say.

PostgreSQL
    publicationcmds.c: AlterPublicationOwner()
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.definitions.sql_names import AlreadyTold, Script, place_of
from filtersql.errors.definitions import Unknown, UnsupportedStatement
from filtersql.grammar import Node, Statement, enum_name

__all__ = ["change_owner", "refuse_owned"]


def refuse_owned(script: Script, statement: Statement) -> None:
    """REASSIGN and DROP OWNED: raises, for the owners of tables are not known."""
    construct = "DROP OWNED" if statement.kind == "drop_owned_stmt" else "REASSIGN OWNED"
    hint = "Name what is dropped or gets another owner."
    raise UnsupportedStatement(construct, place_of(script, statement, ""), hint)


def _role(script: Script, node: Node) -> str | None:
    """The role that is meant; None is who carries the definitions out."""
    match enum_name(node, "roletype"):
        case "ROLESPEC_CSTRING":
            return str(node.rolename)
        case "ROLESPEC_SESSION_USER":
            return script.settings.session_user
        case _:
            return script.settings.owner


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
    owner = _role(script, node.newowner)
    drafts.publications[name] = replace(drafts.publications[name], owner=owner)
