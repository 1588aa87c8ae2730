"""Jinja: what a file says once `var`, `env_var`, `target` and macros are filled in, with places.

Example
    `where: "c = '{{ var("state") }}'"` renders to `where: "c = 'NSW'"`; the three characters of
    NSW stand at the whole `{{ … }}`, every other one at itself. A file without a tag is not
    rendered at all, and a dump never is.

How places survive
    Before rendering, each piece of plain text and each `{{ … }}` gets a mark in front of it, unless
    it stands where its text is captured (a macro, a set or filter block), where a mark could change
    the meaning. After rendering, the marks say where each character came from and are removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2 import StrictUndefined, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from filtersql.errors import Mistake
from filtersql.errors.project import UNSET_ENVIRONMENT, UNSET_VARIABLE
from filtersql.errors.wording import meant
from filtersql.project.template_mistakes import located, template_mistake
from filtersql.project.template_places import Marks, carriages_kept
from filtersql.source import Passage, Source

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import SandboxedEnvironment

__all__ = ["Templates", "Unset", "is_raw"]

_TAG = re.compile(r"\{[{%#]")
_WHOLE_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_ESCAPED = re.compile(r"""[^'"]*\\\"""")
_RAW = re.compile(r"\s*--[ \t]*filtersql:[ \t]*raw\b", re.IGNORECASE)
_DUMP = re.compile(r"\A\s*(?:--[^\n]*\n\s*)*--[^\n]*PostgreSQL database dump", re.IGNORECASE)


class Unset(Exception):
    """`var` or `env_var` found no value; becomes a mistake at the place of the call."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(name)
        self.kind = kind
        self.name = name


def is_raw(source: Source) -> bool:
    """Whether a `.sql` file is no template: a dump, or one that says `-- filtersql: raw`."""
    return bool(_RAW.match(source.text) or _DUMP.match(source.text[:2000]))


class Templates:
    """Renders the files of one project. Jinja is loaded when the first file needs it."""

    def __init__(
        self,
        functions: Mapping[str, Any],
        macros: Callable[[], Iterable[Source]] = tuple,
        variables: Mapping[str, object] | None = None,
    ) -> None:
        self._functions = functions
        self._macros: Callable[[], Iterable[Source]] | None = macros
        self._variables = variables or {}
        self._environment: SandboxedEnvironment | None = None
        self._sources: dict[str, Source] = {}

    def render(self, source: Source) -> Passage:
        """The rendered text; raises one mistake with the place of what is wrong."""
        if not _TAG.search(source.text):
            return source.passage()
        self._sources[source.path] = source
        environment = self._ready()
        kept, removed = carriages_kept(environment, source.text)
        normal = _unescaped(kept)
        try:
            tree = environment.parse(normal, source.path, source.path)
            self._load_macros(environment, tree)
            marks = Marks(environment, normal, removed, source)
            marks.put(tree)
            return marks.passage(_template(environment, tree, source).render())
        except RecursionError as error:
            raise template_mistake(error, source, self._sources, self._names()) from None
        except (jinja2.TemplateError, Unset) as error:
            raise self._mistake(error, source) from None
        except Mistake:
            raise
        except Exception as error:  # whatever an expression of the user raises: 1/0, "a" + 1
            raise self._mistake(error, source) from None

    def _ready(self) -> SandboxedEnvironment:
        if self._environment is None:
            self._environment = ImmutableSandboxedEnvironment(
                undefined=StrictUndefined, keep_trailing_newline=True, finalize=_printable
            )
            self._environment.globals.update(self._functions)
        return self._environment

    def _names(self) -> list[str]:
        return [*(self._environment.globals if self._environment else ()), *self._functions]

    def _load_macros(self, environment: SandboxedEnvironment, tree: nodes.Template) -> None:
        """Makes the project's macros known, once a template uses a name that is not."""
        if self._macros is None:
            return
        if not meta.find_undeclared_variables(tree) - set(environment.globals):
            return
        sources, self._macros = self._macros(), None
        for source in sources:
            self._sources[source.path] = source
            text, _ = carriages_kept(environment, source.text)
            try:
                whole = environment.parse(text, source.path, source.path)
                # A file of macros may hold a statement's skeleton too, which is not for here.
                whole.body = [node for node in whole.body if isinstance(node, nodes.Macro)]
                module = _template(environment, whole, source).module
            except Exception as error:
                raise self._mistake(error, source) from None
            names = [node.name for node in whole.body if isinstance(node, nodes.Macro)]
            environment.globals.update({name: getattr(module, name) for name in names})

    def _mistake(self, error: Exception, source: Source) -> Mistake:
        if isinstance(error, Unset):
            span = located(error, source, self._sources, [error.kind, f'"{error.name}"'])
            if error.kind == "var":
                hint = meant(error.name, self._variables)
                return UNSET_VARIABLE(span, name=error.name, hint=hint)
            return UNSET_ENVIRONMENT(span, name=error.name)
        return template_mistake(error, source, self._sources, self._names())


def _template(environment: SandboxedEnvironment, tree: nodes.Template, source: Source) -> Template:
    """The template of a tree, whose errors name the file."""
    code = environment.compile(tree, source.path, source.path)
    return environment.template_class.from_code(environment, code, environment.make_globals(None))


def _unescaped(text: str) -> str:
    """Tags inside a double-quoted YAML text, whose quotes are escaped there: \\" is \" to Jinja.

    A tag's first quote tells: outside of its own strings Jinja has no backslash.
    """
    if '\\"' not in text:
        return text

    def quoted(tag: re.Match[str]) -> str:
        if not _ESCAPED.match(tag[0]):
            return tag[0]
        # The blank stands outside of the string on both sides, and every place stays.
        sides = cycle((' "', '" '))
        return re.sub(r'\\"', lambda _: next(sides), tag[0])

    return _WHOLE_TAG.sub(quoted, text)


def _printable(value: object) -> object:
    if isinstance(value, str) and "\0" in value:
        raise ValueError("a value holds the character NUL")
    if value is None:
        raise ValueError("a value is null, and would be written as None")
    return value
