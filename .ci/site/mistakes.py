"""The page of mistakes, read from filtersql/errors: what is said, why, and what to do.

Example
    # The table was there, and is not any more.
    TABLE_GONE = Wording('table "{name}" is gone', hint="Name another.")

    is the row  | `table "…" is gone` | The table was there, and is not any more. | Name another. |
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from string import Formatter
from types import ModuleType

from filtersql import errors
from filtersql.errors.wording import Wording

__all__ = ["page"]

_HEAD = """# Mistakes: cause and remedy

Written when the site is built, from the words in `filtersql/errors/`. `…` stands for names and
values. A mistake shows its file, line and place, and all mistakes of a command are reported
together. The exit code is 1 where none is named here. Where PostgreSQL has words for it, they are
PostgreSQL's, and their remedy is what PostgreSQL's manual says of them."""


def page() -> str:
    """The page as Markdown."""
    names = sorted(path.stem for path in Path(errors.__file__).parent.glob("[a-z]*.py"))
    modules = [importlib.import_module(f"filtersql.errors.{name}") for name in names]
    # What filtersql itself has to say comes first.
    modules.sort(key=lambda module: "PostgreSQL" in _title(module))
    return "\n".join([_HEAD, *(line for module in modules for line in _section(module))])


def _section(module: ModuleType) -> Iterator[str]:
    rows = dict.fromkeys(_rows(module))
    if rows:
        yield from ("", f"## {_title(module)}", "", "| message | cause | remedy |", "|---|---|---|")
        yield from rows


def _title(module: ModuleType) -> str:
    return str(module.__doc__).partition("\n")[0].rstrip(".")


def _rows(module: ModuleType) -> Iterator[str]:
    text = inspect.getsource(module)
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            row = getattr(module, ast.unparse(node.targets[0]), None)
            if isinstance(row, Wording):
                why = _comment(text.splitlines()[: node.lineno - 1])
                message, detail, hint = map(_filled, (row.message, row.detail, row.hint))
                yield _row(message, f"{why} {detail}", hint, row.exit_code)
        elif isinstance(node, ast.ClassDef):
            yield from _rows_of_class(getattr(module, node.name), node, module)


def _rows_of_class(
    kind: type[errors.Mistake], node: ast.ClassDef, module: ModuleType
) -> Iterator[str]:
    why = str(kind.__doc__).partition("\n")[0]
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or ast.unparse(call.func) not in _MADE_BY:
            continue
        made = kind if ast.unparse(call.func) == "cls" else kind.__mro__[1]
        names = list(inspect.signature(made).parameters)
        words = _Words(node, module)
        said = {name: words.of(arg) for name, arg in zip(names, call.args, strict=False)}
        said |= {str(word.arg): words.of(word.value) for word in call.keywords}
        if re.search(r"\w", said.get("message", "")):
            cause = f"{why} {said.get('detail', '')}"
            yield _row(said["message"], cause, said.get("hint", ""), kind.exit_code)


_MADE_BY = ("super().__init__", "cls")


class _Words:
    """The sentences that an expression of a class may be, with `…` for what only a call knows."""

    def __init__(self, node: ast.ClassDef, module: ModuleType) -> None:
        self._module = module
        self._local: dict[str, list[ast.expr]] = defaultdict(list)
        for each in ast.walk(node):
            if isinstance(each, ast.Assign):
                target, value = each.targets[0], each.value
                if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                    for name, one in zip(target.elts, value.elts, strict=True):
                        self._local[ast.unparse(name)].append(one)
                else:
                    self._local[ast.unparse(target)].append(value)

    def of(self, node: ast.expr) -> str:
        """Several are told one after the other, with `or:` between them."""
        match node:
            case ast.Constant():
                return str(node.value or "")
            case ast.JoinedStr():
                return "".join(
                    self.of(part) if isinstance(part, ast.Constant) else "…" for part in node.values
                )
            case ast.BinOp():
                return self.of(node.left) + self.of(node.right)
            case ast.IfExp():
                return self._either([node.body, node.orelse])
            case ast.Name() if node.id in self._local:
                return self._either(self._local.pop(node.id))
            case ast.Name() if isinstance(known := getattr(self._module, node.id, None), str):
                return known
            case ast.Call() if ast.unparse(node.func) in ("meant", "perhaps"):
                return 'Perhaps "…" was meant.'
        return "…"

    def _either(self, nodes: Sequence[ast.expr]) -> str:
        said = [text for text in map(self.of, nodes) if re.search(r"\w", text)]
        return " or: ".join(dict.fromkeys(said)) or "…"


def _comment(lines: Sequence[str]) -> str:
    """The sentences right above; those that name a variable are the programmer's."""
    found = list(takewhile(lambda line: line.startswith("# "), reversed(lines)))
    text = " ".join(line.removeprefix("# ") for line in reversed(found))
    return text if text.endswith(".") and "`" not in text else ""


def _filled(sentence: str | None) -> str:
    """With `…` for the names; of the endings of a count, that of many."""
    parts = Formatter().parse(sentence or "")
    return "".join(
        text if name is None else f"{text}… {(spelling or '').partition('|')[2]}".rstrip()
        for text, name, spelling, _ in parts
    )


def _row(message: str, cause: str, hint: str, exit_code: int) -> str:
    code = f" (exit code {exit_code})" if exit_code != 1 else ""
    shown = message.replace("`", "'")
    return f"| `{shown}`{code} | {_sentences(cause)} | {_sentences(hint)} |"


def _sentences(text: str) -> str:
    """Nothing where there are names alone; `<` is no tag."""
    shown = text.replace("<", "&lt;").replace("\n", " ").strip()
    return shown if re.search(r"\w", shown) else ""
