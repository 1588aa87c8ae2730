"""What a run asks beside the statements that change rows: printed when it is asked for.

Example
    `looks["judged"]` is a query that fails where a row filter raises an error.

A compile writes none of these, so of 1,000 tables only those that run cost it. A project's own
macros are printed at once: what is wrong with one is a mistake of the compile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from filtersql.changes import Form
from filtersql.rendering.counting import counting
from filtersql.rendering.macros import MACROS
from filtersql.rendering.plan_records import MergePlan
from filtersql.rendering.render import has_own, render
from filtersql.rendering.template_cache import Own

__all__ = ["Looks"]


class Looks(Mapping[str, str]):
    """The queries of one target by the names of their macros."""

    __slots__ = ("_folders", "_macros", "_own", "_printed", "packaged")

    def __init__(
        self,
        shape: MergePlan,
        own: Own,
        form: Form,
        folders: tuple[Path, ...],
        *,
        complete: bool,
    ) -> None:
        """`complete`: a change that lacks an unchanged value stops the run."""
        names = ("conflicts", "conflict_sample", "judged")
        more = ("contested",) if shape.unique_columns else ()
        lacking = ("unsent",) if complete and shape.keepable_columns else ()
        self._own = own
        self._macros = {name: (name, shape) for name in (*names, *more, *lacking)}
        if (counted := counting(shape, form)) is not None:
            self._macros["counting"] = (MACROS[form].source, counted)
        self._folders = folders
        self._printed: dict[str, str] = {}
        #: whether filtersql's own macros alone print this target's statements
        self.packaged = not has_own(folders)
        if not self.packaged:
            self._printed = dict(self)

    def __getitem__(self, name: str) -> str:
        if name not in self._printed:
            macro, shape = self._macros[name]
            self._printed[name] = render(macro, shape, self._own, self._folders)
        return self._printed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._macros)

    def __len__(self) -> int:
        return len(self._macros)
