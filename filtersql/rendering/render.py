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
from filtersql.errors.compiling import MacroFailed
from filtersql.rendering.planned import MergePlan

if TYPE_CHECKING:
    from jinja2 import Environment, Template

__all__ = ["COSTLY_PARTS", "MACROS", "Macros", "environment", "render", "with_source"]


class Macros(NamedTuple):
    """The macros of one form of table."""

    source: str
    merge: str
    met: str
    audit: str
    #: the source where a change of a key left a value out
    completing: str | None = None


MACROS = {
    Form.KEYED: Macros("merge_source", "merge", "met", "audit"),
    Form.KEYED_UNCHANGED: Macros(
        "merge_source_unchanged", "merge", "met", "audit", "completing_source"
    ),
    Form.KEYED_SKIPPING: Macros("merge_source_skipping", "merge", "met_skipping", "audit"),
    Form.KEYED_KEEPING: Macros(
        "merge_source_keeping", "merge", "met_keeping", "audit", "completing_source_keeping"
    ),
    Form.KEYLESS: Macros("merge_source_keyless", "merge_keyless", "met_keyless", "audit_keyless"),
    Form.KEYLESS_SKIPPING: Macros(
        "merge_source_keyless_skipping", "merge_keyless", "met_keyless_skipping", "audit_keyless"
    ),
    Form.APPEND: Macros("merge_source_append", "merge_keyless", "met_append", "audit_keyless"),
}

#: parts (WITH) of `source` that it names more than once and `met` names, too
COSTLY_PARTS = {
    Form.KEYED_SKIPPING: ("changed", "applied"),
    Form.KEYED_KEEPING: ("changed", "found_under_key"),
}


@lru_cache(maxsize=8)
def environment(folders: tuple[Path, ...], *, trusted: bool) -> Environment:
    """Jinja over folders of macros: the sandbox, or a faster one for the package's own."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from jinja2.compiler import CodeGenerator, Frame
    from jinja2.nodes import Getattr
    from jinja2.sandbox import SandboxedEnvironment

    class PlainAttributes(CodeGenerator):
        """Reads attributes as Python does: the package's macros name only what is there."""

        def visit_Getattr(self, node: Getattr, frame: Frame) -> None:  # noqa: N802 (Jinja's name)
            self.visit(node.node, frame)
            self.write(f".{node.attr}")

    made = (Environment if trusted else SandboxedEnvironment)(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        autoescape=False,
        auto_reload=False,
    )
    if trusted:
        made.code_generator_class = PlainAttributes
    return made


@lru_cache(maxsize=64)
def _template(macro: str, folders: tuple[Path, ...]) -> Template:
    """The macro of the first folder that has one, also within another; the package's is last."""
    own = any(any(folder.glob("*.sql")) for folder in folders[:-1])
    searched = folders if own else folders[-1:]
    return environment(searched, trusted=not own).get_template(f"{macro}.sql")


def render(macro: str, plan: MergePlan, folders: Sequence[Path]) -> str:
    """The text of one macro (`merge` is `merge.sql`) for a plan. Raises MacroFailed."""
    from jinja2 import TemplateError

    try:
        return _template(macro, tuple(folders)).render(plan=plan).strip()
    except TemplateError as error:
        raise MacroFailed(macro, getattr(error, "lineno", None), str(error)) from None


def with_source(plan: MergePlan, form: Form, folders: Sequence[Path]) -> MergePlan:
    """The plan with the query that the MERGE reads, and what the changes meet in the target."""
    macros = MACROS[form]
    plan = replace(plan, changes_sql=render("changes", plan, folders))
    plan = replace(plan, met_sql=render(macros.met, plan, folders))
    if plan.unique_columns:
        taken = "taken_keeping" if form is Form.KEYED_KEEPING else "taken"
        plan = replace(plan, taken_sql=render(taken, plan, folders))
    return replace(plan, source_sql=render(macros.source, plan, folders))
