r"""psql's \connect: another session begins, and what follows may be of another database.

Example
    What follows `\connect shop` is made in shop; `\c - app` and `\c` leave the database as it was.

    Where a file names none, it is about the project's database, whichever that is; of another one
    a project has nothing, as a publication there has tables of that one only.

psql
    command.c: exec_command_connect(), do_connect()
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.set_calls import may_call
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_settings import LATER, begin
from filtersql.definitions.sql_text import psql_commands
from filtersql.definitions.sql_transactions import check_ended
from filtersql.errors.definitions import SECOND_DATABASE, UnsupportedStatement
from filtersql.grammar import Statement
from filtersql.source import Passage

__all__ = ["Connections", "connections"]

_CONNECT = re.compile(r"\\c(?:onnect)?(?![a-z_])\s*(?:-reuse-previous=\S+\s*)?")
#: as pg_dump writes it, of a name that is no plain word, too
_NAMED = re.compile(
    r"""(?:-(?!\S)|(?P<plain>[\w.$-]+)|"(?P<quoted>[^"=:]+)"|"dbname='(?P<odd>[^'\\"]+)'")(?:\s.*)?"""
)
_HINT = r"Name the database alone: \connect shop."

#: what is no database's own: it says only how the rest is read
_OF_SESSION = ("variable_set_stmt", "discard_stmt", "transaction_stmt", "createdb_stmt", *LATER)


@dataclass(slots=True)
class Connections:
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
            begin(script, self.named)

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
    found = psql_commands(text) if _CONNECT.search(text.text) else ()
    return Connections(drafts, [one for one in found if _CONNECT.match(one.text)])


def _database(command: Passage, drafts: Drafts) -> str | None:
    """The name in a connect command; None is the database as before."""
    start = _CONNECT.match(command.text)
    argument = command.text[start.end() if start else 0 :].strip()
    if not argument:
        return None
    named = _NAMED.fullmatch(argument)
    if named is None:
        what = r"\connect with a connection string"
        drafts.mistakes.append(UnsupportedStatement(what, command.span(), _HINT))
        return None
    return named["plain"] or named["quoted"] or named["odd"]
