"""The source of a target without any filter, as it was at the target's position.

Example
    source.bring_forward(17, entry)      makes the view that audit.sql reads

    The source's rows are copied; the feed's changes above its `seq` and up to the position are
    applied to the copy, as a run applies them to a target. An action that is not published is not
    applied to the copy either: such rows are meant to differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from sqlglot import exp, select

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.errors.auditing import (
    LOOKED_UP_MISSING,
    NOTHING_TO_COMPARE,
    SOURCE_AHEAD,
    SOURCE_LEFT_OUT,
)
from filtersql.feeds.formats import own_position
from filtersql.feeds.landings import Landing
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import ledger
from filtersql.run.applied_cuts import copied_rows, since_filled
from filtersql.run.clock import show_clock
from filtersql.run.feed_reach import Holding, check_reach
from filtersql.run.feed_reading import read_feed
from filtersql.run.ledger_entry import Entry
from filtersql.run.lookups import show_held
from filtersql.run.model import Inputs
from filtersql.run.sources import check_source_keys, stage_source
from filtersql.run.stage_and_judge import judge_changes
from filtersql.run.target_landings import copied_to
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_rows

__all__ = ["SourceAtPosition", "SourcedTarget"]


class SourcedTarget(Struct, frozen=True):
    """A target, and the statements that bring an unfiltered copy of its source forward."""

    compiled: CompiledTable
    copy: CompiledTable
    #: the subscription's targets that its filters look up
    looked_up: Mapping[RelationName, CompiledTable] = field(default_factory=dict)


class SourceAtPosition(Struct, frozen=True):
    """What is needed to read a target's source; `folder` takes what is staged."""

    inputs: Inputs
    subscription: Subscription
    sourced: SourcedTarget
    engine: Engine
    folder: Path
    #: what brings a target to where its source is
    way: str = "filtersql run"

    @property
    def holds(self) -> int | None:
        """The last change that the source's rows hold; None: they are from before the first."""
        return copied_to(self.sourced.copy, self.subscription)

    def bring_forward(
        self, position: int | None, entry: Entry | None, *, checks_keys: bool = True
    ) -> None:
        """Make the view that audit.sql reads; the feed was read to `position`. Raises Mistakes.

        Without `checks_keys` a key of the source may come twice, unless it is copied.
        """
        copy, holds = self.sourced.copy, self.holds
        if holds is not None and (position is None or position < holds):
            stands = "before the first change" if position is None else f"at seq {position}"
            name, table = self.sourced.compiled.unique_id, str(self.sourced.compiled.relation)
            ahead = SOURCE_AHEAD(name=name, holds=holds, stands=stands, way=self.way, table=table)
            raise Mistakes([ahead])
        has_source = stage_source(
            self.inputs,
            self.engine,
            self.subscription,
            copy,
            self.folder / "source.parquet",
            checks_keys=checks_keys,
        )
        if not has_source and entry is not None:
            self._check_never_copied(entry)
        own = position
        if entry is not None:
            own = own_position(self.subscription.changes, entry.stands, position)
        changes = self._changes(holds, own, entry) if position is not None else None
        # Before the first change there was no row.
        if not has_source and changes is None and position is not None:
            raise Mistakes([NOTHING_TO_COMPARE(name=self.sourced.compiled.unique_id)])
        if has_source and not changes:
            return
        self.engine.create(copy.target, copy.column_definitions_sql, {})
        if has_source:
            if not checks_keys:
                check_source_keys(self.engine, copy)
            self.engine.execute(copy.initial_copy_sql)
        if changes:
            self._apply()
        rows = select("*").from_(exp.to_table(copy.target_sql, dialect=self.engine.dialect))
        self.engine.define(copy.source_view, rows.sql(self.engine.dialect))

    def show_beside(self, clock: str | None) -> None:
        """Make the views that the target's filters read beside a row: the clock, lookups.

        Raises Mistakes where a table that is looked up was not filled yet.
        """
        compiled = self.sourced.compiled
        show_clock(self.engine, compiled, clock)
        for looked in compiled.lookups:
            other = self.sourced.looked_up[looked.relation]
            if not self.engine.exists(other.target):
                name, relation = compiled.unique_id, str(looked.relation)
                selector = f"{compiled.subscription}:{relation}"
                missing = LOOKED_UP_MISSING(name=name, looked_up=relation, selector=selector)
                raise Mistakes([missing])
            show_held(self.engine, looked, other)

    def check_keys(self) -> None:
        """Raises Mistakes where a key comes twice."""
        check_source_keys(self.engine, self.sourced.copy)

    def since_filled(self, entry: Entry) -> Sequence[Entry]:
        """The target's rows of the ledger since it was filled, the oldest first."""
        rows = ledger.history(self.engine, self.inputs.state_schema)
        return since_filled([row for row in rows if row.key == entry.key])

    def forget(self) -> None:
        """Remove the copy: what reads the view was staged."""
        if not self.engine.atomic:
            self.engine.discard(self.sourced.copy.target)

    def _check_never_copied(self, entry: Entry) -> None:
        """Raises Mistakes where the target holds rows of a source that is not named any more."""
        if copied_rows(self.since_filled(entry)):
            name, table = self.sourced.compiled.unique_id, str(entry.relation)
            raise Mistakes([SOURCE_LEFT_OUT(name=name, table=table)])

    def _changes(self, above: int | None, upto: int | None, entry: Entry | None) -> int | None:
        """Make the view of the changes that the source lacks; how many the feed has of them."""
        copy = self.sourced.copy
        landing = Landing(copy, above)
        feed = read_feed(
            self.inputs, self.engine, self.subscription, [landing], {}, self.folder, None
        )
        if feed is None:
            return None
        (staged,) = feed.reading.staged
        # What came late to the target is not its own yet.
        last = -1 if upto is None else upto
        self.engine.view(copy.changes_view, staged.path, staged.columns, above=above, upto=last)
        if entry is not None:
            rows = ledger.history(self.engine, self.inputs.state_schema)
            said = self.subscription.changes
            needed = feed.needed_above(copy, above, said)
            holding = Holding(self.engine, self.inputs.state_schema, said, feed.records)
            check_reach(holding, copy, self.sourced.compiled.unique_id, rows, needed)
        return staged.read

    def _apply(self) -> None:
        copy = self.sourced.copy
        completing = copy.completing_source_sql is not None and self._leaves_out()
        judgement, mistakes = judge_changes(
            self.engine, copy, "filtersql_audit_stage", completing=completing
        )
        if mistakes:
            raise Mistakes(mistakes)
        if judgement.staged:
            self.engine.execute(judgement.merge)

    def _leaves_out(self) -> bool:
        """Whether a change left out a value, which stands under another key where it moves."""
        unsent = exp.ArraySize(this=exp.column("unchanged")) > exp.Literal.number(0)
        changes = named_rows(self.sourced.copy.changes_view)
        query = select("seq").from_(changes).where(unsent).limit(1)
        return bool(self.engine.rows(query.sql(self.engine.dialect)))
