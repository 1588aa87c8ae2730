"""Work that is sent to processes of a server, without one; see server_reads for a real one."""

from __future__ import annotations

import io
import json
import pickle
from functools import partial
from pathlib import Path

import pytest

from filtersql.targets import server_work
from filtersql.targets.script_work import answer_lines, answers_of
from filtersql.targets.server_work import Sent, answer_rows, answer_tasks, read_answers, sent


def test_answers_come_in_the_order_of_their_tasks(tmp_path: Path) -> None:
    """Whichever process gave them; the file is gone afterwards."""
    with sent(tmp_path, partial(answer_tasks, str.upper, ["a", "b", "c"])) as work:
        told = [*work.answers(iter([(2,)])), *work.answers(iter([(0,), (1,)]))]
    assert (read_answers(told), [*tmp_path.iterdir()]) == (["A", "B", "C"], [])


def test_a_script_gives_what_its_rows_hold(tmp_path: Path) -> None:
    """NULLs, numbers beyond a double's, ends of lines and tabs, in the order of the columns."""
    rows = [[7, 2**63 - 1, None, "a\tb\nc"], [7, 0, True, "\\N é"]]
    with sent(tmp_path, partial(answer_rows, _listed)) as work:
        output = io.BytesIO()
        lines = [json.dumps({f"c{n}": each for n, each in enumerate(row)}).encode() for row in rows]
        answer_lines(work, lines, output)
    told = answers_of([line.split("\t") for line in output.getvalue().decode().splitlines()])
    assert told is not None
    assert read_answers(told) == [[7, [row[1:] for row in rows]]]


def _listed(number, rows):
    return [number, [list(row) for row in rows]]


def test_what_is_no_answer_is_none() -> None:
    """A line that some other program printed, and bytes that were cut off."""
    assert answers_of([("Activating the environment", None)]) is None
    assert read_answers([(0, pickle.dumps(["a"])[:-3])]) is None
    assert read_answers([(0, pickle.dumps(Path("a")))]) is None


def test_work_of_another_version_or_content_is_not_called(tmp_path: Path, monkeypatch) -> None:
    """Nothing of the file is unpickled then."""
    with sent(tmp_path, partial(answer_tasks, str.upper, ["a"])) as work:
        with pytest.raises(RuntimeError):
            list(Sent(work.path, "0" * 64).answers(iter([(0,)])))
        monkeypatch.setattr(server_work, "__version__", "0.0.1")
        with pytest.raises(RuntimeError):
            list(work.answers(iter([(0,)])))
