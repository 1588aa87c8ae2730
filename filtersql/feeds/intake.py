"""The blocks of a feed on their way into the files of the targets: judged, buffered, written.

Example
    intake = Intake.opened(share, TransactionOrder(share.start), lambda index: folder / ...)
    intake.take(block)
    intake.close()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow

from filtersql.feeds.blocks import Block
from filtersql.feeds.column_blocks import ColumnBlock
from filtersql.feeds.column_dispatch import take_columns
from filtersql.feeds.dispatch import AnyOrder, Taker, Tally
from filtersql.feeds.landings import Share
from filtersql.feeds.places import MOST_MISTAKES
from filtersql.feeds.staging import ChangeStage, distinct
from filtersql.rendering.compiled import CompiledTable

__all__ = ["Intake", "stages_of"]

#: what is buffered before it is written: so many changes, or so many bytes of lines
_BATCH = 50_000
_BATCH_BYTES = 16 * 2**20


@dataclass(slots=True)
class Intake:
    """Takes blocks, one after the other."""

    taker: Taker
    buffered: int = 0
    size: int = 0

    @classmethod
    def opened(cls, share: Share, order: AnyOrder, path_of: Callable[[int], Path]) -> Intake:
        """An intake that has taken nothing; `path_of` names the file of the target of a number."""
        count = len(share.landings)
        tally = Tally(read=[0] * count, skipped=[0] * count)
        stages = stages_of(share, path_of, tally)
        return cls(Taker(share.catalog, share.landings, stages, order, tally))

    @property
    def tally(self) -> Tally:
        """What was counted so far."""
        return self.taker.tally

    @property
    def stages(self) -> Sequence[ChangeStage]:
        """The files of the targets, one for each."""
        return self.taker.stages

    @property
    def truncates(self) -> list[bool]:
        """Of each target whether a TRUNCATE is among what was written: asked behind `close`."""
        return [stage.truncates for stage in self.stages]

    def take(self, whole: Block | ColumnBlock) -> None:
        """Judge a block and keep what is pending. Raises Unordered."""
        if isinstance(whole, ColumnBlock):
            self._make_room(whole.size)
            taken = take_columns(self.taker, whole)
            if taken is not None:
                whole.taken()
                self._keep(taken, whole.size)
                return
            for block in whole.each(self.tally.mistakes):
                if len(self.tally.mistakes) < MOST_MISTAKES:
                    self.take(block)
            return
        for block in whole.parts(_BATCH_BYTES):
            self._make_room(block.size)
            self._keep(self.taker.take_all(block), block.size)

    def close(self, *, rows_only: bool = False) -> None:
        """Write the rest; the files exist afterwards, as `StagedFile.close` says."""
        for stage in distinct(self.stages):
            stage.close(rows_only=rows_only)
        # Arrow keeps what it used: an engine in this process needs it next.
        pyarrow.default_memory_pool().release_unused()

    def _make_room(self, size: int) -> None:
        if self.size and self.size + size > _BATCH_BYTES:
            self._flush()

    def _keep(self, taken: int, size: int) -> None:
        if taken:
            self.buffered += taken
            self.size += size
        if self.buffered >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        for stage in distinct(self.stages):
            stage.flush()
        self.buffered = self.size = 0


def stages_of(share: Share, path_of: Callable[[int], Path], tally: Tally) -> list[ChangeStage]:
    """The file of each target; those that take the same changes in the same columns share one."""
    files: dict[object, ChangeStage] = {}
    for index, landing in enumerate(share.landings):
        shape = _shape(landing.compiled)
        if shape not in files:
            path = path_of(index)
            files[shape] = ChangeStage(landing.compiled, share.engine, path, tally.mistakes)
    return [files[_shape(landing.compiled)] for landing in share.landings]


def _shape(compiled: CompiledTable) -> object:
    only_from = tuple(sorted(compiled.only_from.items()))
    taken = (compiled.relation, compiled.sources, compiled.truncates, compiled.truncated_by)
    return (*taken, only_from, compiled.feed_columns)
