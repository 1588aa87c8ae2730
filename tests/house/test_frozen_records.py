"""Records are frozen; a record that is not holds the state of a file, a run or a session."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import filtersql

PACKAGE = Path(filtersql.__file__).parent
#: each record that is not frozen, by its room and name, and what changes in it
STATE = {
    "definitions.DraftTable": "what statements made of a table so far",
    "definitions.Drafts": "what statements made of all so far",
    "definitions.Connections": "the session that psql's commands are in",
    "definitions.Script": "the settings, the transaction and the place in a file",
    "definitions.Family": "the names that were put together so far",
    "feeds.Record": "what an adapter finds out after it is read",
    "feeds.Event": "its transaction, known after others are read",
    "feeds.Commit": "the changes of a commit that were read so far",
    "feeds.Index": "the order of changes, known after the first reading",
    "feeds.Tally": "what was counted so far",
    "feeds.Dms": "the order of changes, known after the first reading",
    "feeds.Order": "the numbers of changes that were read so far",
    "feeds._Stage": "what is not written yet",
    "feeds.ChangeStage": "the changes that are not written yet",
    "feeds.RowStage": "the rows that are not written yet",
    "feeds.ColumnTries": "how many blocks in a row were not usual",
    "feeds.ColumnReader": "how many blocks in a row were not usual",
    "feeds.TransactionOrder": "the transactions that were read so far",
    "feeds.Intake": "what is buffered, and the order of the file that is read",
    "feeds.Numbers": "the numbers in memory, and the file of the others",
    "feeds.StagedFile": "the writer, opened with the first rows",
    "feeds.RowFile": "the rows that are not written yet",
    "feeds.LastPlace": "what was read of a file so far",
    "feeds.PlacedOrder": "the changes that were read so far",
    "feeds.Places": "the changes that were placed so far",
    "feeds.OpenTransaction": "how many changes it has so far",
    "feeds.Reader": "the transaction that is open",
    "filters.Scope": "the columns that an expression named so far",
    "filters.Moment": "the fields of a date that were read so far",
    "filters._State": "the ways out of a state, known after it is made",
    "postgres._Spool": "the parts of a transaction that were aborted so far",
    "run._Holder": "the ledger's last number",
    "run._Trial": "the ledger's last number",
    "run.TargetRun": "how far a target has come",
    "run.RunContext": "how far a subscription has come",
    "run.Lease": "since when it is held",
    "run.Lanes": "the sessions that were opened so far",
    "run.LedgerCache": "the rows of the ledger that were read last",
    "run.SharedFeeds": "the feeds that were read so far",
    "run.Spent": "the seconds so far",
    "targets.ConnectLine": "whether the connection was lost",
    "targets.ThriftLine": "whether the connection was lost",
    "targets.ServerTables": "what was made on the server, to be removed",
    "targets.ServerSettings": "what is in force in the session",
    "targets.SessionTables": "what was made in the session, to be removed",
    "verify.Lifting": "the names in sight so far",
    "verify.Outline": "the tree, given away once",
    "verify.Answers": "the answers so far",
}


def unfrozen(text: str) -> Iterator[str]:
    """The records of a module that can be changed: structs and dataclasses."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ClassDef):
            continue
        bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        options = [ast.unparse(option) for option in node.keywords]
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        if ("Struct" in bases and "frozen=True" not in options) or any(
            one.partition("(")[0].rpartition(".")[2] == "dataclass" and "frozen=True" not in one
            for one in decorators
        ):
            yield node.name


def test_records_are_frozen() -> None:
    """Only the named records can be changed after they are made."""
    found = {
        f"{path.relative_to(PACKAGE).parts[0].removesuffix('.py')}.{name}"
        for path in PACKAGE.rglob("*.py")
        for name in unfrozen(path.read_text(encoding="utf-8"))
    }

    assert found - STATE.keys() == set()


def test_an_unfrozen_record_is_found() -> None:
    """The test above sees every way to write one, and no frozen one."""
    text = (
        "@dataclass\nclass A: ...\n@dataclass(slots=True)\nclass B: ...\n"
        "@dataclasses.dataclass(frozen=False)\nclass C: ...\n"
        "@dataclass(frozen=True, slots=True)\nclass D: ...\nclass E: ...\n"
        "class F(Struct): ...\nclass G(msgspec.Struct, Named): ...\n"
        "class H(Struct, frozen=True): ...\n"
    )

    assert list(unfrozen(text)) == ["A", "B", "C", "F", "G"]
