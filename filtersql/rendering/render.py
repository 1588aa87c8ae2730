"""A plan and a macro give a statement: Jinja prints, nothing is decided here.

A project's `macros/` folder comes first in the search path, so a macro there replaces the
package's macro of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from filtersql.changes import Form
from filtersql.rendering.plan import PLAN_RECORDS, MergePlan

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

__all__ = ["MACROS", "Macros", "environment", "render", "with_source"]


class Macros(NamedTuple):
    """The macros of one form of table."""

    source: str
    merge: str
    conflicts: str
    audit: str


MACROS = {
    Form.KEYED: Macros("merge_source", "merge", "conflicts", "audit"),
    Form.KEYED_UNCHANGED: Macros("merge_source_unchanged", "merge", "conflicts", "audit"),
    Form.KEYLESS: Macros(
        "merge_source_keyless", "merge_keyless", "conflicts_keyless", "audit_keyless"
    ),
    Form.APPEND: Macros(
        "merge_source_append", "merge_keyless", "conflicts_append", "audit_keyless"
    ),
}


@lru_cache(maxsize=8)
def environment(folders: tuple[Path, ...]) -> SandboxedEnvironment:
    """Jinja's sandbox over the macro folders, first one first."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    class PlanEnvironment(SandboxedEnvironment):
        """The sandbox, with a short way for the plan's own records: strings and tuples of them."""

        def getattr(self, obj: object, attribute: str) -> object:
            if type(obj) in PLAN_RECORDS and not attribute.startswith("_"):
                return getattr(obj, attribute)
            return super().getattr(obj, attribute)

    return PlanEnvironment(
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


def with_source(plan: MergePlan, form: Form, folders: Sequence[Path]) -> MergePlan:
    """The plan with the query that the MERGE reads."""
    plan = replace(plan, changes_sql=render("changes", plan, folders))
    return replace(plan, source_sql=render(MACROS[form].source, plan, folders))
