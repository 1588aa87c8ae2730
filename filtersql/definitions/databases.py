r"""CREATE DATABASE and psql's \connect: which database the statements are of, and its locale.

Example
    What follows `\connect shop` is made in shop; `\c - app` and `\c` leave the database as it was.

    Where a file names none, it is about the project's database, whichever that is; of another one
    a project has nothing, as a publication there has tables of that one only.

    `CREATE DATABASE shop ENCODING = 'LATIN1'` is refused: length() and the order of bytes are those
    of UTF8 here. So is a locale that is not the one that the project says as `database_locale`.

PostgreSQL
    dbcommands.c: createdb()

psql
    command.c: exec_command_connect(), do_connect()
"""

from __future__ import annotations

import re

from msgspec import Struct

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.collations import OF_ITS_OWN
from filtersql.definitions.set_calls import may_call
from filtersql.definitions.sql_names import Script, Settings, place_of
from filtersql.definitions.sql_settings import LATER
from filtersql.definitions.sql_text import psql_commands
from filtersql.definitions.sql_transactions import check_ended
from filtersql.errors.definitions import SECOND_DATABASE, UnsupportedStatement
from filtersql.grammar import Statement
from filtersql.source import Passage

__all__ = ["Connections", "connections", "create_database"]

_CONNECT = re.compile(r"\\c(?:onnect)?(?![a-z_])\s*(?:-reuse-previous=\S+\s*)?")
#: as pg_dump writes it, of a name that is no plain word, too
_NAMED = re.compile(
    r"""(?:-(?!\S)|(?P<plain>[\w.$-]+)|"(?P<quoted>[^"=:]+)"|"dbname='(?P<odd>[^'\\"]+)'")(?:\s.*)?"""
)
_HINT = r"Name the database alone: \connect shop."

#: what is no database's own: it says only how the rest is read
_OF_SESSION = ("variable_set_stmt", "discard_stmt", "transaction_stmt", "createdb_stmt", *LATER)


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


class Connections(Struct):
    """The sessions of one file while it is carried out."""

    drafts: Drafts
    #: psql's commands that are ahead, and the last one that was reached
    ahead: list[Passage]
    last: Passage | None = None
    #: the database that a command named; whether anything was made before one did
    named: str | None = None
    made_unnamed: bool = False
    #: whether the database was told to be another one
    told: bool = False

    def reach(self, script: Script, place: int) -> None:
        """The commands before a place in the source begin their sessions."""
        while self.ahead and self.ahead[0].span().start < place:
            self.last = self.ahead.pop(0)
            check_ended(script)
            name = _database(self.last, self.drafts)
            if name is not None and name != self.named:
                self.named, self.told = name, False
            script.settings, script.began = Settings(), None

    def is_ours(self, script: Script, statement: Statement) -> bool:
        """Whether a statement is of the project's database; notes once where another begins."""
        text = script.text.text[statement.start : statement.end]
        if statement.kind in _OF_SESSION or (
            statement.kind == "select_stmt" and not may_call(text)
        ):
            return True
        if self.last is None or self.named is None:
            self.made_unnamed = True
            return True
        if not self.made_unnamed and self.drafts.database in (None, self.named):
            self.drafts.database = self.named
            return True
        if not self.told:
            self.told = self.drafts.incomplete = True
            self.drafts.mistakes.append(SECOND_DATABASE(self.last.span(), name=self.named))
        return False


def connections(text: Passage, drafts: Drafts) -> Connections:
    """The sessions that psql's commands begin in a file."""
    commands = psql_commands(text) if _CONNECT.search(text.text) else ()
    return Connections(drafts, [one for one in commands if _CONNECT.match(one.text)])


def _database(command: Passage, drafts: Drafts) -> str | None:
    """The name in a connect command; None is the database as before."""
    start = _CONNECT.match(command.text)
    argument = command.text[start.end() if start else 0 :].strip()
    if not argument:
        return None
    named = _NAMED.fullmatch(argument)
    if named is None:
        construct = r"\connect with a connection string"
        drafts.mistakes.append(UnsupportedStatement(construct, command.span(), _HINT))
        return None
    return named["plain"] or named["quoted"] or named["odd"]


def create_database(script: Script, statement: Statement) -> None:
    """Raises where it says of the database what is not so for the project."""
    values = {}
    for wrapped in statement.node.options:
        option = wrapped.def_elem
        value = option.arg.string.sval or str(option.arg.integer.ival)
        values[option.defname] = value
    place = place_of(script, statement, statement.node.dbname)
    encoding = values.get("encoding", _UNKNOWN)
    if not _UNICODE.fullmatch(encoding):
        construct = f"CREATE DATABASE with ENCODING '{encoding}'"
        raise UnsupportedStatement(construct, place, _PLAIN)
    known = script.drafts.database_locale
    collate, _, ctype = known.partition("|")
    names = _SAID.get(values.get("locale_provider", "libc"), ())
    for keys, ours in zip(names, (collate, ctype or collate), strict=False):
        name = next((values[key] for key in keys if key in values), None)
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
