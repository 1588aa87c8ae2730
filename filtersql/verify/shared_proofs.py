"""Proofs of many targets: files with one outline are tried together, each on its own cases.

Example
    for outcome in proofs(asked, bench): outcome.proof or outcome.mistakes

Files of one outline differ in their names and filters alone: one statement is tried on the cases of
all (`shared_statements`). What does not end as it should in such a statement is tried file by file,
so that the counterexample is the file's own. A file that is the same statement on the same cases as
one that was proved is proved with it (`sameness`).
"""

from __future__ import annotations

import time
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from filtersql.changes import stopping
from filtersql.compile import Node
from filtersql.errors import Mistake, Mistakes
from filtersql.filters.resolve.lookups import looked_up
from filtersql.storage import column_type
from filtersql.verify.attempts import BATCH
from filtersql.verify.check import (
    Bench,
    Cases,
    Proof,
    answers_of,
    cases_of,
    configure,
    read_statements,
    tried,
)
from filtersql.verify.clock import show_trial
from filtersql.verify.equal_proofs import sameness
from filtersql.verify.shared_statements import all_right
from filtersql.verify.statement import Statement
from filtersql.verify.values import Answers, Image, ask_together, tried_images

__all__ = ["Asked", "Outcome", "proofs"]

#: files whose statements are compared, and of these the most in one MERGE
_WINDOW = 64
_MOST = 16


class Asked(Struct, frozen=True):
    """A target, the folder of its files and how that is called."""

    node: Node
    folder: Path
    shown: str


class Outcome(Struct, frozen=True):
    """A proof, or why there is none; `statement` numbers the statements it was tried in."""

    seconds: float
    statement: int
    proof: Proof | None = None
    mistakes: Mistakes | None = None

    @property
    def right(self) -> bool:
        """Whether nothing was found wrong."""
        return self.proof is not None and self.proof.counterexample is None


class _Ready(Struct, frozen=True):
    """Files that were read; what has to be equal for them to be tried with others.

    `same`: what has to be equal for another's proof to be its own; None: no other's is.
    """

    asked: Asked
    statements: tuple[Statement, ...]
    alike: tuple[object, ...]
    same: Hashable | None


class _Prepared(Struct, frozen=True):
    """A file and what it is tried on."""

    ready: _Ready
    cases: Cases

    @property
    def most(self) -> int:
        """The cases that share one statement, of the statement that has the most."""
        return max(len(tried.together) for tried in self.cases.shared.values())


def proofs(asked: Sequence[Asked], bench: Bench) -> Iterator[Outcome]:
    """What comes of each file, in their order."""
    configure(bench)
    show_trial([one.node for one in asked], bench.engine.engine)
    #: by what is the same; only what is right, as a counterexample is the file's own
    known: dict[Hashable, Outcome] = {}
    for begin in range(0, len(asked), _WINDOW):
        some = asked[begin : begin + _WINDOW]
        read = {begin + place: _read(one, bench) for place, one in enumerate(some)}
        done: dict[int, Outcome] = {}
        answers: dict[int, Answers] = {}
        for place, ready in read.items():
            if isinstance(ready, Mistakes):
                yield Outcome(0.0, place, mistakes=ready)
                continue
            if place not in done and ready.same in known:
                done[place] = replace(known[ready.same], seconds=0.0)
            if place not in done:
                answers = answers or _answers(read, known, bench)
                done |= _proved(dict(_alike(read, place, done, known)), answers, bench)
            outcome = done[place]
            if ready.same is not None and outcome.right:
                known.setdefault(ready.same, outcome)
            yield outcome


def _alike(
    read: Mapping[int, _Ready | Mistakes],
    place: int,
    done: Mapping[int, Outcome],
    known: Container[Hashable],
) -> Iterator[tuple[int, _Ready]]:
    """A file and those that are tried with it: of files that are the same, one."""
    first = read[place]
    assert isinstance(first, _Ready)
    met: set[Hashable] = set()
    count = 0
    for other, ready in read.items():
        if isinstance(ready, Mistakes) or other < place or other in done:
            continue
        if ready.alike != first.alike or ready.same in met or ready.same in known:
            continue
        yield other, ready
        count += 1
        if count == _MOST:
            return
        if ready.same is not None:
            met.add(ready.same)


def _read(asked: Asked, bench: Bench) -> _Ready | Mistakes:
    node = asked.node
    try:
        written = read_statements(node, asked.folder, asked.shown, bench)
    except Mistakes as found:
        return found
    # What is looked up is one view for all files.
    looks = any(looked_up(each.tree) for each in node.filters.values())
    key = (
        asked.node.compiled.unique_id if looks or bench.deep else None,
        [statement.outline.text for statement in written],
        [
            (one.name, one.type, column_type(one, bench.engine.engine.dialect))
            for one in node.resolved.table.columns
        ],
        node.compiled.columns,
        node.compiled.feed_columns,
        node.compiled.column_definitions_sql,
    )
    return _Ready(asked, written, key, None if looks else sameness(node, written))


def _answers(
    read: Mapping[int, _Ready | Mistakes], known: Container[Hashable], bench: Bench
) -> dict[int, Answers]:
    """What the filters of all files that will be tried say of their boundaries, asked at once."""
    found: dict[int, Answers] = {}
    asked: list[tuple[Answers, Sequence[Image]]] = []
    met: set[Hashable] = set()
    for place, ready in read.items():
        if isinstance(ready, Mistakes) or ready.same is None:
            continue
        if ready.same in met or ready.same in known:
            continue
        met.add(ready.same)
        found[place] = answers_of(ready.asked.node, bench)
        # What cannot be tried says so when its turn comes.
        with suppress(Mistake, Mistakes):
            asked.append((found[place], tried_images(found[place])))
    ask_together(asked)
    return found


def _proved(
    files: Mapping[int, _Ready], answers: Mapping[int, Answers], bench: Bench
) -> dict[int, Outcome]:
    """The outcomes of files that are alike."""
    began = time.perf_counter()
    done: dict[int, Outcome] = {}
    groups: list[dict[int, _Prepared]] = [{}]
    count = 0
    for place, ready in files.items():
        try:
            kinds = [statement.kind for statement in ready.statements]
            cases = cases_of(ready.asked.node, bench, answers.get(place), kinds)
            one = _Prepared(ready, cases)
        except (Mistakes, Mistake) as found:
            mistakes = found if isinstance(found, Mistakes) else Mistakes([found])
            done[place] = Outcome(0.0, place, mistakes=mistakes)
            continue
        count += one.most
        if count > BATCH:
            groups.append({})
            count = one.most
        groups[-1][place] = one
    shared = (time.perf_counter() - began) / len(files)
    for group in groups:
        done |= _group(group, bench, shared)
    return done


def _group(files: Mapping[int, _Prepared], bench: Bench, spent: float) -> dict[int, Outcome]:
    """The outcomes of files in one MERGE, or in one each."""
    began = time.perf_counter()
    right = len(files) > 1 and all_right(
        [one.ready.statements for one in files.values()],
        [one.cases for one in files.values()],
        bench,
    )
    spent += (time.perf_counter() - began) / max(len(files), 1)
    done: dict[int, Outcome] = {}
    for place, one in files.items():
        began = time.perf_counter()
        outcome = Outcome(0.0, min(files) if right else place)
        # What stops a statement is in its outline, unless it stands in a filter's place.
        stopped = right and place != min(files) and not stopping(one.ready.asked.node.resolved)
        try:
            proof = tried(one.ready.statements, bench, one.cases, merged=right, stopped=stopped)
            outcome = replace(outcome, proof=proof)
        except Mistakes as found:
            outcome = replace(outcome, mistakes=found)
        done[place] = replace(outcome, seconds=spent + time.perf_counter() - began)
    return done
