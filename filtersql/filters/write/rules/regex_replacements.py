r"""What takes the place of a match: texts, and groups of the match.

Example
    ============== ===================== ============= ==============
    PostgreSQL     `parts_of`            for DuckDB    Spark, for all
    ============== ===================== ============= ==============
    `<\1>`         ['<', 1, '>']         `<\1>`        `<$1>`
    `$\&`          ['$', 0]              `$\0`         `\$$0`
    ============== ===================== ============= ==============

PostgreSQL
    varlena.c: check_replace_text_has_escape(), appendStringInfoRegexpSubstr().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.write.writer import Writer

__all__ = ["parts_of", "put_back", "replaced"]


def replaced(
    writer: Writer,
    subject: exp.Expr,
    pattern: str,
    parts: Sequence[str | int],
    everywhere: bool,
    groups: int,
) -> exp.Expr:
    """The text with its first match replaced, or with all of them."""
    known = [part for part in parts if isinstance(part, str) or part <= groups]
    if writer.engine == "duckdb":
        shown = put_back(known, spark=False)
        piece = ".regex_replace_all" if everywhere else ".regex_replace"
        return writer.piece(piece, subject, f"(?s){pattern}", shown)
    # Spark replaces every match: the first one is what follows a shortest beginning.
    shift = 0 if everywhere else 2
    text = "" if everywhere else "$1"
    for part in known:
        if isinstance(part, int):
            text += f"${part + shift}"
            continue
        quoted = part.replace("\\", "\\\\").replace("$", "\\$")
        text += f"\\{quoted}" if quoted[:1].isdigit() and text[-2:-1] == "$" else quoted
    whole = f"(?s){pattern}" if everywhere else f"(?s)\\A(.*?)({pattern})"
    return writer.piece(".regex_replace", subject, whole, text)


def parts_of(replacement: str) -> list[str | int]:
    r"""Literal texts and numbers of groups; 0 is `\&`, the whole match."""
    found: list[str | int] = []
    text, place = "", 0
    while place < len(replacement):
        sign, following = replacement[place], replacement[place + 1 : place + 2]
        if sign == "\\" and following and following in "123456789&":
            found += [text] if text else []
            found.append(0 if following == "&" else int(following))
            text = ""
        else:
            text += sign
        # `\\` is one backslash; before anything else a backslash stands for itself.
        place += 2 if sign == "\\" and following and following in "123456789&\\" else 1
    return [*found, text] if text else found


def put_back(parts: Sequence[str | int], *, spark: bool) -> str:
    """A replacement of texts and groups; a digit behind a group is not of its number."""
    text, group = "", False
    for part in parts:
        if isinstance(part, int):
            text, group = f"{text}{'$' if spark else chr(92)}{part}", True
            continue
        quoted = part.replace("\\", "\\\\")
        if spark:
            quoted = quoted.replace("$", "\\$")
            quoted = f"\\{quoted}" if group and quoted[:1].isdigit() else quoted
        text, group = text + quoted, False
    return text
