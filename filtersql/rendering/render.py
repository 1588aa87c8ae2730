"""A plan and a macro give a statement: Jinja prints, nothing is decided here.

A project's `macros/` folder comes first in the search path, so a macro there replaces the
package's macro of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from filtersql.rendering.plan import MergePlan

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

__all__ = ["environment", "render", "with_source"]


@lru_cache(maxsize=8)
def environment(folders: tuple[Path, ...]) -> SandboxedEnvironment:
    """Jinja's sandbox over the macro folders, first one first."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=False,
        auto_reload=False,
    )


def render(macro: str, plan: MergePlan, folders: Sequence[Path]) -> str:
    """The text of one macro (`merge` is `merge.sql`) for a plan."""
    template = environment(tuple(folders)).get_template(f"{macro}.sql")
    return template.render(plan=plan).strip()


def with_source(plan: MergePlan, folders: Sequence[Path]) -> MergePlan:
    """The plan with the query that the MERGE reads."""
    plan = replace(plan, changes_sql=render("changes", plan, folders))
    source = "merge_source_unchanged" if plan.keepable_columns else "merge_source"
    return replace(plan, source_sql=render(source, plan, folders))
