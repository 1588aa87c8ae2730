"""SET, RESET, set_config(): where names are looked up; what would change literals is refused.

Example
    ================================== =====================================================
    said before                        in CREATE PUBLICATION … WHERE (…)
    ================================== =====================================================
    `SET search_path = sales`          `t` is sales.t
    `SET ROLE app`                     the publication is app's
    `SET statement_timeout = 0`        nothing
    `SET datestyle = 'ISO, DMY'`       refused: `d > '01/02/2026'` would mean 1 February
    ================================== =====================================================

    `ALTER DATABASE shop SET search_path = sales` is refused. What a single role is given counts for
    its sessions: a file does not say whose they are.

PostgreSQL
    guc_tables.c, variable.c; pg_db_role_setting.c: AlterSetting()
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from filtersql.definitions.sql_arguments import constant
from filtersql.definitions.sql_names import Script, Settings, place_of
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement, enum_name
from filtersql.source import Span

__all__ = ["FOLLOWED", "LATER", "discard", "set_config", "set_for_later", "set_variable"]

#: of a parameter: its texts, or None where it is to have its default
_Values = Sequence[str] | None

LATER = ("alter_database_set_stmt", "alter_role_set_stmt", "alter_system_stmt")
_TO_DEFAULT = ("VAR_RESET_ALL", "VAR_RESET", "VAR_SET_DEFAULT")
_TRUE = r"on|true|yes|1"
#: values that mean what PostgreSQL's default does, of what a text's meaning would else hang on
_AS_EVER = {
    "datestyle": re.compile(r"(iso|sql|postgres)(, ?(mdy|us))?|mdy|us"),
    "timezone": re.compile(r"(etc/)?(utc|uct|zulu|universal|gmt)"),
    "intervalstyle": re.compile(r"postgres|postgres_verbose|iso_8601"),
    "array_nulls": re.compile(_TRUE),
    "transform_null_equals": re.compile(r"off|false|no|0"),
    "standard_conforming_strings": re.compile(_TRUE),
    "client_encoding": re.compile(r"utf-?8|unicode|sql_ascii"),
    "timezone_abbreviations": re.compile(r"default"),
    "lc_monetary": re.compile(r"|c|posix|c\.utf-?8|en_us(\..*)?"),
}
#: parameters that say what texts mean, or whose it is
FOLLOWED = frozenset((*_AS_EVER, "search_path", "role", "session_authorization"))


def set_variable(script: Script, statement: Statement) -> None:
    """SET and RESET."""
    node = statement.node
    name, kind = node.name.lower(), enum_name(node, "kind")
    span = place_of(script, statement, "")
    if kind == "VAR_RESET_ALL":
        raise UnsupportedStatement.dumped("RESET ALL", span)
    if kind == "VAR_SET_VALUE":
        _assign(script, name, _values(node), span, local=node.is_local)
    elif kind in ("VAR_SET_DEFAULT", "VAR_RESET"):
        _assign(script, name, None, span, local=node.is_local)


def discard(script: Script, statement: Statement) -> None:
    """DISCARD ALL is refused; the rest says nothing of replication."""
    if enum_name(statement.node, "target") == "DISCARD_ALL":
        raise UnsupportedStatement.dumped("DISCARD ALL", place_of(script, statement, ""))


def set_config(script: Script, node: Node) -> None:
    """The call of the function, as SET; NULL is the parameter's default."""
    span = script.span(node.location, len("set_config"))
    arguments = [constant(script, argument, span) for argument in node.args]
    known = str(arguments[0].value).lower() if arguments and arguments[0] is not None else ""
    if known and known not in FOLLOWED:
        return
    if len(arguments) != 3 or None in arguments:
        raise UnsupportedStatement("set_config() of what is no constant", span)
    _, value, local = filter(None, arguments)
    values = None if value.value is None else [str(value.value)]
    if known == "search_path" and values is not None:
        values = [part.strip().strip('"') for part in values[0].split(",")]
    _assign(script, known, values, span, local=local.value is True)


def set_for_later(script: Script, statement: Statement) -> None:
    """ALTER DATABASE, ROLE ALL and SYSTEM … SET: raises where a session would differ by it."""
    node = statement.node
    if statement.kind == "alter_role_set_stmt" and node.HasField("role"):
        return
    name, values = node.setstmt.name.lower(), _values(node.setstmt)
    harmless = enum_name(node.setstmt, "kind") in _TO_DEFAULT
    if name in _AS_EVER and values:
        harmless |= _is_as_ever(name, values)
    if name in FOLLOWED and not harmless and name != "client_encoding":
        words = " ".join(statement.kind.split("_")[:2]).upper()
        hint = f"Leave it out, and say SET {name} where the definitions begin."
        at = place_of(script, statement, "")
        raise UnsupportedStatement(f"{words} … SET {name}", at, hint)


def _assign(script: Script, name: str, values: _Values, span: Span, *, local: bool) -> None:
    """A parameter gets values; None is its default. Raises for what would change a text."""
    if (
        local
        and name in FOLLOWED
        and not (name in _AS_EVER and values and _is_as_ever(name, values))
    ):
        raise UnsupportedStatement.dumped(f"SET LOCAL {name}", span)
    settings = script.settings
    if name == "search_path":
        path = Settings().path if values is None else _path(values)
        script.settings = replace(settings, path=path)
    elif name == "role":  # NONE is who the session is
        role = values[0] if values and values[0].lower() != "none" else None
        script.settings = replace(settings, role=role)
    elif name == "session_authorization":  # which ends SET ROLE
        user = values[0] if values else None
        script.settings = replace(settings, session_user=user, role=None)
    elif name in _AS_EVER and values is not None:
        _check_as_ever(script, name, values, span)


def _values(node: Node) -> list[str]:
    """The values as texts; the interval of SET TIME ZONE as set_config() takes it."""
    values = []
    for wrapped in node.args:
        if wrapped.WhichOneof("node") == "type_cast":
            values.append(f"INTERVAL '{wrapped.type_cast.arg.a_const.sval.sval}'")
            continue
        value = wrapped.a_const
        values.append(
            {"sval": value.sval.sval, "fval": value.fval.fval, "ival": str(value.ival.ival)}[
                value.WhichOneof("val")
            ]
        )
    return values


def _is_as_ever(name: str, values: Sequence[str]) -> bool:
    return _AS_EVER[name].fullmatch(", ".join(values).lower()) is not None


def _check_as_ever(script: Script, name: str, values: Sequence[str], span: Span) -> None:
    """Raises for a value that would give what follows another meaning than it has here."""
    if _is_as_ever(name, values):
        return
    text = script.text.text[script.at :]
    if name == "client_encoding" and text.isascii():
        return
    if name == "standard_conforming_strings" and "\\" not in text:
        return
    construct = f"SET {name} = '{', '.join(values)}'"
    if name == "client_encoding":
        raise UnsupportedStatement(construct, span, "Write the file in UTF-8.")
    raise UnsupportedStatement.dumped(construct, span)


def _path(values: Sequence[str]) -> Sequence[str]:
    """The schemas of search_path; `"$user"` has no schema here."""
    path = [value for value in values if value not in ("", "$user")]
    # named behind others, pg_catalog stays: what they hold is found before it
    return path[1:] if path[:1] == ["pg_catalog"] else path
