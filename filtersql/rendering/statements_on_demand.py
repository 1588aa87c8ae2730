"""What a run asks beside the statements that change rows: printed when it is asked for.

Example
    `on_demand["judged"]` is a query that fails where a row filter raises an error.

A compile writes none of these, so of 1,000 tables only those that run cost it. A project's own
macros are printed at once: what is wrong with one is a mistake of the compile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from filtersql.rendering.counting import counting
from filtersql.rendering.merges import Merge, changing_merge, rebuilding
from filtersql.rendering.plan_records import MergePlan, PlannedCriterion
from filtersql.rendering.render import has_own, render
from filtersql.rendering.template_cache import Own

__all__ = ["StatementsOnDemand"]


#: the statements of a changed definition -> the flags of their plans
_CHANGES = {"narrowing": ("narrows",), "deleting": ("narrows", "by_delete"), "moving": ()}


class StatementsOnDemand(Mapping[str, str]):
    """The queries of one target by the names of their macros."""

    __slots__ = ("_folders", "_macros", "_own", "_printed", "_shape", "packaged")

    def __init__(
        self,
        shape: MergePlan,
        own: Own,
        folders: tuple[Path, ...],
        *,
        complete: bool,
    ) -> None:
        """`complete`: a change that lacks an unchanged value stops the run."""
        names = ("conflicts", "conflict_sample", "judged")
        self._own, self._shape = own, shape
        self._macros = {name: (name, shape) for name in names}
        if shape.unique_columns:
            self._macros["contested"] = ("contested", _held_first(shape))
        if complete and shape.lacks_values:
            self._macros["unsent"] = ("unsent", shape)
        if (counted := counting(shape)) is not None:
            self._macros["counting"] = ("merge_source", counted)
            if counted.truncates:
                self._macros["untruncated"] = ("merge_source", _untruncated(counted))
        for name in _CHANGES:
            self._macros |= dict.fromkeys((name, f"{name}_source"), ("change", shape))
        self._macros["rebuilding"] = ("change", rebuilding(shape))
        self._folders = folders
        self._printed: dict[str, str] = {}
        #: whether filtersql's own macros alone print this target's statements
        self.packaged = not has_own(folders)
        if not self.packaged:
            self._printed = dict(self)

    def __getitem__(self, name: str) -> str:
        if name not in self._printed:
            macro, shape = self._macros[name]
            if (statement := name.removesuffix("_source")) in _CHANGES:
                merge = changing_merge(shape, self._own, self._folders, _CHANGES[statement])
                self._printed |= {statement: merge.text, f"{statement}_source": merge.source}
            else:
                self._printed[name] = render(macro, shape, self._own, self._folders)
        return self._printed[name]

    def comparing(self, earlier: tuple[PlannedCriterion, ...]) -> Merge:
        """What moves rows where the target holds what these filters take of the source."""
        own = replace(self._own, earlier_criteria=earlier)
        return changing_merge(self._shape, own, self._folders, ("compares",))

    @property
    def rebuilding_header(self) -> str:
        """The comment at the head of what builds the target anew, for a changed definition."""
        lines = (*self._own.header, "Of a changed definition: the table is built anew")
        return "".join(f"-- {line}\n" for line in lines)

    def __iter__(self) -> Iterator[str]:
        return iter(self._macros)

    def __len__(self) -> int:
        return len(self._macros)


@lru_cache(maxsize=256)
def _untruncated(shape: MergePlan) -> MergePlan:
    """The plan of a query over changes among which is no TRUNCATE."""
    return replace(shape, truncates=False)


@lru_cache(maxsize=256)
def _held_first(shape: MergePlan) -> MergePlan:
    """The plan of a query that follows the target's rows, too."""
    return replace(shape, held_first=True)
