"""BEGIN and COMMIT: a transaction that is taken back is refused.

Example
    `BEGIN; CREATE PUBLICATION p; COMMIT;` makes p. ROLLBACK, SAVEPOINT and PREPARE TRANSACTION are
    refused, and so is what a file begins and does not end: PostgreSQL takes it back.

PostgreSQL
    xact.c: BeginTransactionBlock(), EndTransactionBlock()
"""

from __future__ import annotations

from filtersql.definitions.sql_names import Script, place_of
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Statement, enum_name

__all__ = ["check_ended", "transaction"]

_OPEN = "PostgreSQL rolls back what a session leaves open: say COMMIT."


def transaction(script: Script, statement: Statement) -> None:
    """BEGIN, COMMIT and the like."""
    node, place = statement.node, place_of(script, statement, "")
    kind = enum_name(node, "kind").removeprefix("TRANS_STMT_")
    if kind in ("BEGIN", "START"):
        script.began = script.began or place  # PostgreSQL warns where there is one already
        return
    if kind in ("COMMIT", "ROLLBACK"):
        script.began = None
    if kind != "COMMIT" or node.chain:
        words = {"PREPARE": "PREPARE TRANSACTION", "COMMIT": "COMMIT AND CHAIN"}
        construct = words.get(kind) or kind.replace("_", " ")
        raise UnsupportedStatement.dumped(construct, place)


def check_ended(script: Script) -> None:
    """Notes a transaction that is open where its session ends."""
    if script.began is not None:
        mistake = UnsupportedStatement("BEGIN without COMMIT", script.began, _OPEN)
        script.drafts.mistakes.append(mistake)
