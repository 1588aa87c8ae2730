"""BEGIN, COMMIT and ROLLBACK: what is rolled back was never said.

Example
    `BEGIN; CREATE PUBLICATION p; ROLLBACK;` makes no publication, and says nothing of what is wrong
    with it; ROLLBACK TO SAVEPOINT takes back what follows the savepoint. What a file begins and
    does not end is refused: PostgreSQL takes it back when the session ends.

PostgreSQL
    xact.c: BeginTransactionBlock(), UserAbortTransactionBlock(), RollbackToSavepoint()
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.sql_names import Script, place_of
from filtersql.errors.definitions import IN_TRANSACTION, UnsupportedStatement
from filtersql.grammar import Statement, enum_name
from filtersql.source import Passage

__all__ = ["check_alone", "lasting", "transaction"]

#: a statement and the text that its places count in
_Placed = tuple[Passage, Statement]


@dataclass(slots=True)
class _Session:
    """What lasts so far."""

    kept: list[_Placed] = field(default_factory=list)
    #: the statement that began the transaction, and how much lasted then
    begun: tuple[_Placed, int] | None = None
    #: savepoints of the transaction, the latest last
    savepoints: list[tuple[str, int]] = field(default_factory=list)

    def begin(self, placed: _Placed) -> None:
        if self.begun is None:
            self.begun = placed, len(self.kept)
            self.kept.append(placed)

    def end(self, placed: _Placed, *, keep: bool) -> None:
        if self.begun is not None and not keep:
            del self.kept[self.begun[1] :]
        if self.begun is not None:
            self.kept.append(placed)
            again = (placed, len(self.kept)) if placed[1].node.chain else None
            self.begun, self.savepoints = again, []

    def saved(self, name: str) -> int | None:
        """Where a savepoint stands among the others."""
        names = [one for one, _ in self.savepoints]
        return len(names) - 1 - names[::-1].index(name) if name in names else None


def lasting(placed: Iterable[_Placed], drafts: Drafts) -> list[_Placed]:
    """The statements that no ROLLBACK takes back, with where transactions begin and end."""
    session = _Session()
    for one in placed:
        statement = one[1]
        if statement.kind != "transaction_stmt":
            session.kept.append(one)
            continue
        at = session.saved(statement.node.savepoint_name)
        match enum_name(statement.node, "kind").removeprefix("TRANS_STMT_"):
            case "BEGIN" | "START":
                session.begin(one)
            case "COMMIT" | "PREPARE":
                session.end(one, keep=True)
            case "ROLLBACK":
                session.end(one, keep=False)
            case "SAVEPOINT" if session.begun is not None:
                session.savepoints.append((statement.node.savepoint_name, len(session.kept)))
            case "ROLLBACK_TO" if at is not None:
                del session.kept[session.savepoints[at][1] :]
                del session.savepoints[at + 1 :]
            case "RELEASE" if at is not None:
                del session.savepoints[at:]
            case "ROLLBACK_PREPARED":
                drafts.mistakes.append(_unsupported(one, drafts, "ROLLBACK PREPARED"))
    if session.begun is not None:
        hint = "PostgreSQL rolls back what a session leaves open: say COMMIT."
        drafts.mistakes.append(_unsupported(session.begun[0], drafts, "BEGIN without COMMIT", hint))
    return session.kept


def transaction(script: Script, statement: Statement) -> None:
    """SET LOCAL lasts as long as its transaction."""
    node = statement.node
    begins = enum_name(node, "kind") in ("TRANS_STMT_BEGIN", "TRANS_STMT_START")
    if script.outer is not None:
        script.settings = script.outer
    script.forget_temporary(script.dropped_at_commit)
    script.dropped_at_commit.clear()
    script.outer = script.settings if begins or node.chain else None


def _unsupported(
    placed: _Placed, drafts: Drafts, what: str, hint: str | None = None
) -> UnsupportedStatement:
    text, statement = placed
    return UnsupportedStatement(what, place_of(Script(text, drafts), statement, ""), hint)


def check_alone(script: Script, statement: Statement) -> None:
    """Raises where DETACH PARTITION … CONCURRENTLY stands between BEGIN and COMMIT."""
    if script.outer is None:
        return
    for wrapped in statement.node.cmds:
        definition = getattr(wrapped.alter_table_cmd, "def")
        if definition.WhichOneof("node") == "partition_cmd" and definition.partition_cmd.concurrent:
            span = place_of(script, statement, definition.partition_cmd.name.relname)
            raise IN_TRANSACTION(span, what="ALTER TABLE ... DETACH CONCURRENTLY")
