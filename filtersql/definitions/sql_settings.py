"""SET, RESET, DISCARD, set_config(): what names and literals mean behind them.

Example
    ===================================== ==================================================
    said before                           in CREATE PUBLICATION … WHERE (…)
    ===================================== ==================================================
    `SET search_path = sales`             `t` is sales.t
    `SET datestyle = 'ISO, DMY'`          `d > '01/02/2026'` means 1 February
    `SET TIME ZONE 'Europe/Berlin'`       `tz > '2026-01-01'` means 23:00 UTC of 31 December
    `SET intervalstyle = sql_standard`    `i > '-1 2:00'` means minus one day and two hours
    `SET ROLE app`                        the publication is app's
    ===================================== ==================================================

    A setting that filtersql cannot follow is refused where its value is not PostgreSQL's default.

PostgreSQL
    guc_tables.c, variable.c: check_datestyle(), check_timezone(); guc.c: ResetAllOptions()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from zoneinfo import available_timezones

from filtersql.definitions.sql_arguments import constant
from filtersql.definitions.sql_names import Script, Settings, place_of
from filtersql.errors.definitions import (
    IN_TRANSACTION,
    INVALID_SETTING,
    NO_BOOLEAN_SETTING,
    ONE_TIME_ZONE,
    UnsupportedStatement,
)
from filtersql.grammar import Node, Statement, enum_name
from filtersql.source import Span

__all__ = ["FOLLOWED", "as_begun", "checked", "discard", "set_config", "set_variable"]

#: of a parameter: its texts, or None where it is to have its default
_Values = Sequence[str] | None

#: since when messages name a parameter as its documentation does
_SPELLED_SINCE = 18
_STYLES = ("iso", "sql", "german")
_INTERVAL_STYLES = ("postgres", "postgres_verbose", "sql_standard", "iso_8601")
_BOOLEANS = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
#: values that mean what PostgreSQL's default does, of what a text's meaning would else hang on
_AS_EVER = {
    "standard_conforming_strings": re.compile(r"on|true|tru|tr|t|yes|ye|y|1"),
    "client_encoding": re.compile(r"utf-?8|unicode|sql_ascii"),
    "timezone_abbreviations": re.compile(r"default"),
    "lc_monetary": re.compile(r"|c|posix|c\.utf-?8|en_us(\..*)?"),
}
_HOURS = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)\s*", re.ASCII)
_INTERVAL = re.compile(r"([-+]?)(\d+)(?::(\d\d))?", re.ASCII)
_POSIX = re.compile(r"(<[-+\w]{3,}>|[a-z]{3,})[-+]?\d.*", re.IGNORECASE | re.ASCII)
_UTC = {f"{area}{name}" for area in ("", "etc/") for name in ("utc", "uct", "zulu", "universal")}


def set_variable(script: Script, statement: Statement) -> None:
    """SET and RESET."""
    node = statement.node
    name, kind = node.name.lower(), enum_name(node, "kind")
    span = place_of(script, statement, "")
    if kind == "VAR_RESET_ALL":
        now, begun = script.settings, as_begun(script, Settings())
        _put(script, replace(now, path=begun.path, session=begun.session), local=False)
    elif kind == "VAR_SET_VALUE":
        _assign(script, name, _values(node), span, local=node.is_local)
    elif kind in ("VAR_SET_DEFAULT", "VAR_RESET"):
        _assign(script, name, None, span, local=node.is_local)


def discard(script: Script, statement: Statement) -> None:
    """DISCARD ALL and TEMP; plans and sequences say nothing of replication."""
    target = enum_name(statement.node, "target")
    if target == "DISCARD_ALL":
        if script.outer is not None:
            raise IN_TRANSACTION(place_of(script, statement, ""), what="DISCARD ALL")
        script.begin_session()
        script.settings = as_begun(script, script.settings)
    if target == "DISCARD_TEMP":
        script.forget_temporary([*script.temporary])


def as_begun(script: Script, settings: Settings) -> Settings:
    """Settings with what holds from the beginning of the session."""
    for name, values in script.begun.items():
        settings = _RULES[name](settings, values, script.span(0), script.drafts.postgres_version)
    return settings


def checked(script: Script, node: Node, span: Span) -> dict[str, list[str] | None] | None:
    """What a SET that is part of another statement sets; None where it is all that is reset."""
    name, kind = node.name.lower(), enum_name(node, "kind")
    if kind == "VAR_RESET_ALL":
        return None
    if name not in FOLLOWED or name == "client_encoding":
        return {}
    if kind == "VAR_SET_CURRENT":
        raise UnsupportedStatement(f"SET {name} FROM CURRENT", span, _PLAIN)
    values = _values(node) if kind == "VAR_SET_VALUE" else None
    if values is not None and name in _AS_EVER:
        value = ", ".join(values)
        if not _AS_EVER[name].fullmatch(value.lower()):
            raise UnsupportedStatement(f"SET {name} = '{value}'", span, _PLAIN)
        return {}
    if name in _RULES:
        _RULES[name](script.settings, values, span, script.drafts.postgres_version)
    return {name: values} if name in _RULES else {}


def set_config(script: Script, node: Node) -> None:
    """The call of the function, as SET; NULL is the parameter's default."""
    span = script.span(node.location, len("set_config"))
    found = [constant(script, one, span) for one in node.args]
    known = str(found[0].value).lower() if found and found[0] is not None else ""
    if known and known not in _RULES and known not in _AS_EVER:
        return
    if len(found) != 3 or None in found:
        raise UnsupportedStatement("set_config() of what is no constant", span)
    _, value, local = filter(None, found)
    said = None if value.value is None else [str(value.value)]
    if known == "search_path" and said is not None:
        said = [part.strip().strip('"') for part in said[0].split(",")]
    _assign(script, known, said, span, local=local.value is True)


def _assign(script: Script, name: str, values: _Values, span: Span, *, local: bool) -> None:
    """A parameter gets values; None is its default. Raises what is wrong with them."""
    rule = _RULES.get(name)
    values = script.begun.get(name) if values is None else values
    if rule is not None:
        version = script.drafts.postgres_version
        _put(script, rule(script.settings, values, span, version), local=local)
    elif name in _AS_EVER and values is not None:
        _check_as_ever(script, name, ", ".join(values), span)


def _put(script: Script, settings: Settings, *, local: bool) -> None:
    if local and script.outer is None:
        return  # PostgreSQL warns: SET LOCAL can only be used in transaction blocks
    script.settings = settings
    if not local and script.outer is not None:
        script.outer = settings


def _values(node: Node) -> list[str]:
    """The values as texts; the interval of SET TIME ZONE as set_config() takes it."""
    found = []
    for wrapped in node.args:
        if wrapped.WhichOneof("node") == "type_cast":
            found.append(f"INTERVAL '{wrapped.type_cast.arg.a_const.sval.sval}'")
            continue
        value = wrapped.a_const
        found.append(
            {"sval": value.sval.sval, "fval": value.fval.fval, "ival": str(value.ival.ival)}[
                value.WhichOneof("val")
            ]
        )
    return found


def _check_as_ever(script: Script, name: str, value: str, span: Span) -> None:
    """Raises for a value that would give what follows another meaning than it has here."""
    if _AS_EVER[name].fullmatch(value.lower()):
        return
    text = script.text.text[script.at :]
    if name == "client_encoding" and text.isascii():
        return
    if name == "standard_conforming_strings" and "\\" not in text:
        return
    raise UnsupportedStatement(f"SET {name} = '{value}'", span, _HINTS.get(name, _PLAIN))


_PLAIN = "Write what follows as it is written where nothing is set."
_HINTS = {"client_encoding": "Write the file in UTF-8."}


def _path(now: Settings, values: _Values, span: Span, version: int) -> Settings:
    """The schemas of search_path; `"$user"` has no schema here."""
    path = Settings().path if values is None else values
    path = [value for value in path if value not in ("", "$user")]
    # named behind others, pg_catalog stays: what they hold is found before it
    return replace(now, path=path[1:] if path[:1] == ["pg_catalog"] else path)


def _date_style(now: Settings, values: _Values, span: Span, version: int) -> Settings:
    """check_datestyle(): the order of numbers is all that reads a literal."""
    if values is None:
        return _read_with(now, date_order="MDY")
    value = ", ".join(values)
    words = [word.strip().strip('"').lower() for word in value.split(",")] if value.strip() else []
    style, order = "", ""

    def said(found: str, so_far: str) -> str:
        if so_far not in ("", found):
            detail = f'Conflicting "{_spelled("DateStyle", version)}" specifications.'
            raise INVALID_SETTING(span, name="DateStyle", value=value, detail=detail)
        return found

    implied = now.session.date_order
    for word in words:
        if word in _STYLES or word.startswith("postgres"):
            style = said(word[:8], style)
            implied = "DMY" if word == "german" and not order else implied
        elif word in ("dmy", "ymd", "mdy", "us") or word.startswith(("euro", "noneuro")):
            order = said("MDY" if word == "us" else _order(word), order)
        elif word == "default":
            implied = implied if order else "MDY"
        else:
            detail = f'Unrecognized key word: "{word}".' if word else "List syntax is invalid."
            raise INVALID_SETTING(span, name="DateStyle", value=value, detail=detail)
    return _read_with(now, date_order=order or implied)


def _spelled(name: str, version: int) -> str:
    """How a message names a parameter."""
    return name if version >= _SPELLED_SINCE else name.lower()


def _order(word: str) -> str:
    if word.startswith("noneuro"):
        return "MDY"
    return "DMY" if word.startswith("euro") else word.upper()


def _time_zone(now: Settings, values: _Values, span: Span, version: int) -> Settings:
    """check_timezone(): hours, an interval or a zone's name."""
    if values is None:
        return _read_with(now, time_zone=0)
    if len(values) > 1:
        raise ONE_TIME_ZONE(span)
    written = values[0]
    if _HOURS.fullmatch(written):
        return _read_with(now, time_zone=int(float(written) * 3600))
    inside = re.fullmatch(r"interval\s*'(.*)'", written, re.IGNORECASE)
    if inside is not None:
        found = _INTERVAL.fullmatch(inside[1].strip())
        if found is None:
            raise UnsupportedStatement(f"SET TIME ZONE {written}", span, "Name the zone.")
        seconds = int(found[2]) * 3600 + int(found[3] or 0) * 60
        return _read_with(now, time_zone=-seconds if found[1] == "-" else seconds)
    if written.lower() in _UTC:
        return _read_with(now, time_zone=0)
    named = {zone.lower() for zone in available_timezones()}
    if written.lower() not in named:
        if _POSIX.fullmatch(written) or re.fullmatch(r"[-+]\d.*", written):
            raise UnsupportedStatement(f"SET timezone = '{written}'", span, "Name a zone.")
        raise INVALID_SETTING(span, name="TimeZone", value=written)
    return _read_with(now, time_zone=written.lower())


def _interval_style(now: Settings, values: _Values, span: Span, version: int) -> Settings:
    value = ", ".join(values or ["postgres"])
    if value.lower() not in _INTERVAL_STYLES:
        hint = f"Available values: {', '.join(_INTERVAL_STYLES)}."
        name = _spelled("IntervalStyle", version)
        raise INVALID_SETTING(span, name=name, value=value, hint=hint)
    return _read_with(now, sql_standard_intervals=value.lower() == "sql_standard")


def _boolean(name: str, default: bool) -> _Rule:
    def rule(now: Settings, values: _Values, span: Span, version: int) -> Settings:
        if values is None:
            return _read_with(now, **{name: default})
        value = ", ".join(values).lower()
        yes, no = (
            any(word.startswith(value) for word in words) and value not in ("", "o")
            for words in _BOOLEANS
        )
        if yes == no:
            raise NO_BOOLEAN_SETTING(span, name=name)
        return _read_with(now, **{name: yes})

    return rule


def _read_with(now: Settings, **changes: object) -> Settings:
    return replace(now, session=replace(now.session, **changes))  # type: ignore[arg-type]


def _role(now: Settings, values: _Values, span: Span, version: int) -> Settings:
    """SET ROLE; NONE is who the session is."""
    role = values[0] if values else "none"
    return replace(now, role=None if role.lower() == "none" else role)


def _session_user(now: Settings, values: _Values, span: Span, version: int) -> Settings:
    """SET SESSION AUTHORIZATION, which ends SET ROLE."""
    return replace(now, session_user=values[0] if values else None, role=None)


_Rule = Callable[[Settings, _Values, Span, int], Settings]
_RULES: dict[str, _Rule] = {
    "search_path": _path,
    "datestyle": _date_style,
    "timezone": _time_zone,
    "intervalstyle": _interval_style,
    "array_nulls": _boolean("array_nulls", True),
    "transform_null_equals": _boolean("transform_null_equals", False),
    "role": _role,
    "session_authorization": _session_user,
}
#: parameters by which texts are read
FOLLOWED = frozenset((*_RULES, *_AS_EVER))
