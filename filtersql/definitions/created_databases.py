"""CREATE DATABASE: its encoding and locale, where filters would be read for others.

Example
    `CREATE DATABASE shop ENCODING = 'LATIN1'` is refused: length() and the order of bytes are those
    of UTF8 here. So is LOCALE = 'tr_TR.UTF-8' where the project does not say `database_locale`,
    and a locale that is not the one that it says.

PostgreSQL
    dbcommands.c: createdb()
"""

from __future__ import annotations

import re

from filtersql.definitions.sql_names import Script, place_of
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Statement

__all__ = ["OF_ITS_OWN", "create_database"]

#: languages with letters of ASCII, or accents, whose other case is their own
OF_ITS_OWN = {"tr", "az", "lt", "el", "hy"}
_UNICODE = re.compile(r"utf-?8|unicode|default|-1|6", re.IGNORECASE)
_LANGUAGE = re.compile(r"[a-z]+", re.IGNORECASE)
_UNKNOWN = "default"
_PLAIN = "Leave the statement out where no filter depends on it: filters are read as in UTF8."
_SAY = "Say it as database_locale in filtersql_project.yml, or leave the statement out."
#: by provider, what says the order of texts, and what their letters
_SAID = {
    "libc": (("lc_collate", "locale"), ("lc_ctype", "locale")),
    "icu": (("icu_locale", "locale"), ("icu_locale", "locale")),
    "builtin": (("builtin_locale", "locale"), ("builtin_locale", "locale")),
}


def create_database(script: Script, statement: Statement) -> None:
    """Raises where it says of the database what is not so for the project."""
    said = {}
    for wrapped in statement.node.options:
        option = wrapped.def_elem
        value = option.arg.string.sval or str(option.arg.integer.ival)
        said[option.defname] = value
    place = place_of(script, statement, statement.node.dbname)
    encoding = said.get("encoding", _UNKNOWN)
    if not _UNICODE.fullmatch(encoding):
        what = f"CREATE DATABASE with ENCODING '{encoding}'"
        raise UnsupportedStatement(what, place, _PLAIN)
    known = script.drafts.database_locale
    collate, _, ctype = known.partition("|")
    names = _SAID.get(said.get("locale_provider", "libc"), ())
    for keys, ours in zip(names, (collate, ctype or collate), strict=False):
        name = next((said[key] for key in keys if key in said), None)
        if name is not None and _differs(name, ours.removeprefix("icu:")):
            raise UnsupportedStatement(f"CREATE DATABASE with LOCALE '{name}'", place, _SAY)


def _differs(name: str, ours: str) -> bool:
    """Whether a locale is another one than the project's; where that says none, than most."""
    if ours == _UNKNOWN:
        language = _LANGUAGE.match(name)
        return language is not None and language[0].lower() in OF_ITS_OWN
    return _plain(name) != _plain(ours)


def _plain(name: str) -> str:
    """Spellings of one locale: en_US.UTF-8, en_US.utf8; POSIX is C."""
    plain = name.lower().replace("-", "").replace("_", "")
    return "c" if plain == "posix" else plain
