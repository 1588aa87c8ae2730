"""The script that a Spark server runs where it has no other way to Python.

    SELECT TRANSFORM(line) … USING 'python3 -P -m filtersql.targets.script_work FILE DIGEST' …

    Each line of its input is a row as a JSON object, in the order of the columns; each line of its
    output the number of an answer, a tab, and the answer in base64.

Spark
    Spark SQL, TRANSFORM
"""

from __future__ import annotations

import shlex
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec
from sqlglot import exp, select

from filtersql.targets.server_work import Sent
from filtersql.targets.statements import in_parentheses

__all__ = ["answer_lines", "answers_of", "is_plain", "script_query"]

#: the Python of PySpark's workers; texts have the same numbers in all processes
_COMMAND = 'PYTHONHASHSEED=0 exec "$(printenv PYSPARK_PYTHON || echo python3)" -P -m {}'
#: types whose values are the same out of JSON
_PLAIN = {"bigint", "boolean", "int", "smallint", "string", "tinyint"}


def is_plain(types: Iterable[str]) -> bool:
    """Whether rows of such types, as Spark spells them, come to the script as they are."""
    return _PLAIN.issuperset(types)


def script_query(query: str, width: int, work: Sent) -> str:
    """The numbers and texts of what work answers to the rows of a query with so many columns."""
    words = (__name__, str(work.path), work.digest)
    tabs = exp.RowFormatDelimitedProperty(fields=exp.Literal.string("\t"))
    rows = in_parentheses(query)
    columns = [exp.to_identifier(f"c{number}") for number in range(width)]
    rows.set("alias", exp.TableAlias(this=exp.to_identifier("rows"), columns=columns))
    nulls = exp.Anonymous(
        this="MAP", expressions=[exp.Literal.string(one) for one in ("ignoreNullFields", "false")]
    )
    line = exp.Anonymous(this="TO_JSON", expressions=[exp.func("STRUCT", exp.Star()), nulls])
    script = exp.QueryTransform(
        expressions=[exp.column("line")],
        row_format_before=tabs,
        command_script=exp.Literal.string(_COMMAND.format(shlex.join(words))),
        schema=exp.Schema(
            expressions=[
                exp.ColumnDef(this=exp.to_identifier(name), kind=exp.DataType.build("string"))
                for name in ("number", "answer")
            ]
        ),
        row_format_after=tabs.copy(),
    )
    lines = select(line.as_("line")).from_(rows)
    return select(script).from_(lines.subquery("lines")).sql("spark")


def answers_of(rows: Iterable[Sequence[object]]) -> list[tuple[int, bytes]] | None:
    """The answers, out of the rows of such a query; None where something else was printed."""
    try:
        return [(int(str(number)), b64decode(str(answer))) for number, answer in rows]
    except ValueError:
        return None


def answer_lines(work: Sent, lines: Iterable[bytes], output: BinaryIO) -> None:
    """Write what work answers to rows. Raises what the work raises."""
    rows = (list(msgspec.json.decode(line).values()) for line in lines)
    for number, answer in work.answers(rows):
        output.write(b"%d\t%s\n" % (number, b64encode(answer)))


if __name__ == "__main__":
    _output = sys.stdout.buffer
    sys.stdout = sys.stderr  # what else is printed is no answer
    answer_lines(Sent(Path(sys.argv[1]), sys.argv[2]), sys.stdin.buffer, _output)
