"""A plan and a macro give a statement: Jinja prints, nothing is decided here.

A project's `macros/` folder comes first in the search path, so a macro there replaces the
package's macro of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from traceback import walk_tb

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateSyntaxError
from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Getattr
from jinja2.sandbox import SandboxedEnvironment

from filtersql.errors import Mistake
from filtersql.errors.compiling import MACRO_FAILED
from filtersql.errors.project import TEMPLATE_MISTAKE
from filtersql.rendering.macro_bytecode import MacroBytecode
from filtersql.rendering.plan_records import MergePlan
from filtersql.rendering.template_cache import Own, Skeleton, Structure, marked, skeleton_of
from filtersql.source import Source

__all__ = ["environment", "forget_own", "has_own", "render"]


def environment(folders: tuple[Path, ...], *, trusted: bool) -> Environment:
    """Jinja over folders of macros: the sandbox, or a faster one for the package's own."""

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
        bytecode_cache=MacroBytecode() if trusted else None,
    )
    if trusted:
        made.code_generator_class = PlainAttributes
        # Jinja's own asks each time whether to escape, and whether to wait.
        made.filters["join"] = _joined
    return made


def _joined(lines: Sequence[str], between: str) -> str:
    return between.join(lines)


@lru_cache(maxsize=8)
def _packaged(folders: tuple[Path, ...]) -> Environment:
    return environment(folders, trusted=True)


@lru_cache(maxsize=8)
def _own(folders: tuple[Path, ...]) -> Environment:
    """The macro of the first folder that has one, also within another; the package's is last."""
    return environment(folders, trusted=False)


@lru_cache(maxsize=8)
def has_own(folders: tuple[Path, ...]) -> bool:
    """Whether a project has macros of its own."""
    return any(any(folder.glob("*.sql")) for folder in folders[:-1])


def forget_own() -> None:
    """Makes the macros of projects be read again: one process may load a project twice."""
    has_own.cache_clear()
    _own.cache_clear()


def render(macro: str, shape: MergePlan, own: Own, folders: tuple[Path, ...]) -> str:
    """The text of one macro (`merge` is `merge.sql`) for a target."""
    if not has_own(folders):
        return _skeleton(macro, folders[-1:], shape, own.structure).filled(own.strings)
    try:
        text = _printed(macro, own.plan(shape), folders)
        text.encode()  # a text with half a character could not be written to a file
    except TemplateSyntaxError as error:
        raise _misspelled(error, folders) from None
    except Exception as error:
        name, line = _where(macro, error)
        place = f"macros/{name}.sql" + (f":{line}" if line else "")
        raise MACRO_FAILED(place=place, reason=_why(error)) from None
    return text


@lru_cache(maxsize=512)
def _skeleton(
    macro: str, folders: tuple[Path, ...], shape: MergePlan, structure: Structure
) -> Skeleton:
    return skeleton_of(_printed(macro, marked(structure).plan(shape), folders))


def _printed(macro: str, plan: MergePlan, folders: tuple[Path, ...]) -> str:
    macros = (_own if has_own(folders) else _packaged)(folders)
    return macros.get_template(f"{macro}.sql").render(plan=plan).strip()


def _misspelled(error: TemplateSyntaxError, folders: tuple[Path, ...]) -> Mistake:
    """What Jinja cannot read in a project's file: it names the line."""
    name = error.name or ""
    source = Source(f"macros/{name}", error.source or "")
    lines = source.text.splitlines(keepends=True)
    line = lines[error.lineno - 1] if error.lineno <= len(lines) else ""
    begin = sum(map(len, lines[: error.lineno - 1])) + len(line) - len(line.lstrip())
    span = source.span(begin, begin + len(line.strip()))
    replaces = "It stands in place of filtersql's own macro of that name."
    own = (folders[-1] / name).is_file()
    return TEMPLATE_MISTAKE(span, problem=error.message, hint=replaces if own else None)


def _where(macro: str, error: Exception) -> tuple[str, int | None]:
    """The macro and its line that an error comes from, as deep as it tells."""
    if line := getattr(error, "lineno", None):
        return (getattr(error, "name", None) or macro).removesuffix(".sql"), line
    place: tuple[str, int | None] = (macro, None)
    for frame, line in walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if file.suffix == ".sql":
            place = (file.stem, line)
    return place


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "it prints half of a surrogate pair"
    text = str(error) or type(error).__name__
    return text.splitlines()[0]
