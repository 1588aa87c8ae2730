r"""psql's \connect: another session begins, and what follows may be of another database.

Example
    ================================== =======================================================
    command                            what follows
    ================================== =======================================================
    `\connect shop`                    is made in shop
    `\c - app`, `\c`                   in the same database as before
    `\connect "dbname='shop' port=1"`  in shop
    ================================== =======================================================

    Where a file names none, it is about the project's database, whichever that is; of another one
    a project has nothing, as a publication there has tables of that one only.

psql
    command.c: exec_command_connect(), do_connect()
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.later_sessions import LATER, begin
from filtersql.definitions.set_calls import may_call
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_text import psql_commands
from filtersql.errors.definitions import SECOND_DATABASE
from filtersql.grammar import Statement
from filtersql.source import Passage

__all__ = ["Connections", "connections"]

_CONNECT = re.compile(r"\\c(?:onnect)?(?![a-z_])\s*(?:-reuse-previous=\S+\s*)?")
_ARGUMENT = re.compile(r"""(?:"(?:[^"]|"")*"|'(?:[^'\\]|''|\\.)*'|[^\s"'])+""")
_QUOTED = re.compile(r""""((?:[^"]|"")*)"|'((?:[^'\\]|''|\\.)*)'|([^\s"']+)""")
_DBNAME = re.compile(r"(?:^|\s)dbname\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(\S+))")
_URI = re.compile(r"postgres(?:ql)?://[^/?]*/?([^/?]*)")

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
            name = _database(self.last.text)
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


def _database(command: str) -> str | None:
    """The name in a connect command; None is the database as before."""
    start = _CONNECT.match(command)
    argument = _ARGUMENT.match(command, start.end() if start else 0)
    if argument is None or argument[0] == "-":
        return None
    name = "".join(_unquoted(piece) for piece in _QUOTED.finditer(argument[0]))
    if uri := _URI.match(name):
        return unquote(uri[1]) or None
    if "=" not in name:
        return name
    dbname = _DBNAME.search(name)
    if dbname is None:
        return None
    return re.sub(r"\\(.)", r"\1", dbname[1]) if dbname[1] is not None else dbname[2]


def _unquoted(piece: re.Match[str]) -> str:
    if piece[1] is not None:
        return piece[1].replace('""', '"')
    return re.sub(r"''|\\(.)", lambda one: one[1] or "'", piece[2]) if piece[2] else piece[0]
