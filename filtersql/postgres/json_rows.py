r"""Rows as JSON lines, of which PostgreSQL writes the values: `JsonRows.of(table)`.

Example
    Of `id int, note text` the rows of some pages come as one text:
        SELECT count(*), …, string_agg(id::text || '^' || note, '$') FROM …
    A value is what the type's output function prints, as in pgoutput. ^ and $ stand for control
    characters, one for each column; what values hold is escaped, then they become JSON:
        {"id":1,"note":"\"a\"\n"}
    Where there are more of them than the server counted rows, a value holds some. Then, and where
    values are large, `each` asks for the rows one by one, in JSON that the server escapes.

PostgreSQL
    src/backend/utils/adt/json.c, escape_json(); src/backend/parser/parse_coerce.c,
    find_coercion_pathway(): where pg_cast has no cast to text, it is the output function.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct
from psycopg import sql

from filtersql.names import RelationName

__all__ = ["CopiedTable", "JsonRows", "ends"]

#: types whose text is a JSON value
_BARE = frozenset({"int2", "int4", "int8", "bool"})
#: those that are text as they are
_TEXTS = frozenset({"text", "varchar"})
_NULL, _END, _LEAD = b"\x01", b"\x02", b"\x1f"
#: what stands between two columns: what texts hold most is left out; more begin with _LEAD
_CODES = [bytes([code]) for code in range(3, 31) if code not in b"\t\n\r"]
_SHORT = {8: rb"\b", 9: rb"\t", 10: rb"\n", 12: rb"\f", 13: rb"\r"}
#: so many arguments a function may have
_ARGUMENTS = 100
#: bytes that are rewritten at a time, while the processor has them at hand
_BLOCK = 2**15
_MANY = sql.SQL(
    "PREPARE many (tid, tid) AS SELECT count(*), sum({}), string_agg({}, {})"
    " FROM {} WHERE ctid >= $1 AND ctid < $2"
)
_STORED = sql.SQL(
    "PREPARE stored_bytes (tid, tid) AS SELECT coalesce(sum({}), 0)"
    " FROM {} WHERE ctid >= $1 AND ctid < $2"
)
_EACH = sql.SQL(
    "COPY (SELECT {} FROM {}{}) TO STDOUT"
    " (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02', ENCODING 'UTF8')"
)
_RANGE = sql.SQL(" WHERE ctid >= {} AND ctid < {}")
_SIZE = sql.SQL("coalesce(pg_column_size({}), 0)")
_APPENDED, _CAST = sql.SQL("{} || {}"), sql.SQL("{}::text")
_MARKED = sql.SQL("CASE WHEN {} IS NOT DISTINCT FROM NULL THEN {} ELSE {} END")
_ESCAPED = sql.SQL("CASE WHEN {} IS NOT DISTINCT FROM NULL THEN 'null' ELSE to_json({}) END")


class CopiedTable(Struct, frozen=True):
    """A table whose rows are copied: its columns with the names of their types."""

    name: RelationName
    columns: tuple[tuple[str, str], ...]
    #: a partitioned one has the rows of its whole tree, another its own
    is_partitioned: bool

    @property
    def rows(self) -> sql.Composable:
        """What stands behind FROM."""
        whole = sql.Identifier(self.name.schema, self.name.name)
        return whole if self.is_partitioned else sql.SQL("ONLY {}").format(whole)


class JsonRows(Struct, frozen=True):
    """The statements that read a table, and what becomes of their answers."""

    table: CopiedTable
    #: columns whose cast to text is what their output function prints: this is the cheapest
    as_cast: frozenset[str]
    #: of a line: what is before its first value, what stands for what behind each, its end
    head: bytes
    codes: tuple[tuple[bytes, bytes], ...]
    tail: bytes
    #: what values hold, and how JSON has it
    escapes: tuple[tuple[bytes, bytes], ...]

    @classmethod
    def of(cls, table: CopiedTable, as_cast: Iterable[str] = ()) -> JsonRows:
        """Those of a table."""
        quotes = [b"" if kind in _BARE else b'"' for _, kind in table.columns]
        keys = [msgspec.json.encode(name) + b":" for name, _ in table.columns]
        pairs = [_LEAD + msgspec.json.encode(number) for number in range(1000, 1000 + len(keys))]
        between = [
            before + b"," + key + quote
            for before, key, quote in zip(quotes, keys[1:], quotes[1:], strict=False)
        ]
        head, tail = b"{" + keys[0] + quotes[0], quotes[-1] + b"}\n"
        codes = [*zip([*_CODES, *pairs], between, strict=False), (_END, tail + head)]
        taken = {_NULL[0], *(code[0] for code, _ in codes)}
        controls = (
            (bytes([code]), _SHORT.get(code, b"\\u%04x" % code))
            for code in range(1, 32)
            if code not in taken
        )
        escapes = ((b"\\", rb"\\"), (b'"', rb"\""), *controls)
        return cls(table, frozenset(as_cast), head, tuple(codes), tail, escapes)

    @property
    def many(self) -> sql.Composed:
        """Prepares: how many rows some pages have, how many nulls, and the rows in one text."""
        columns = [sql.Identifier(name) for name, _ in self.table.columns]
        values = [
            self._value(column, name, kind, "" if code == _END else code.decode())
            for column, (name, kind), (code, _) in zip(
                columns, self.table.columns, self.codes, strict=True
            )
        ]
        nulls = sql.SQL(" + ").join(_call("num_nulls", some) for some in _parts(columns))
        return _MANY.format(nulls, _joined(values), sql.Literal(_END.decode()), self.table.rows)

    def _value(self, column: sql.Identifier, name: str, kind: str, behind: str) -> sql.Composable:
        """A value, and the code behind it; the last code stands between two rows."""
        code, null = sql.Literal(behind), sql.Literal(_NULL.decode() + behind)
        if kind in _TEXTS or kind == "bool" or name in self.as_cast:
            text = column if kind in _TEXTS else _CAST.format(column)
            return _call("coalesce", [_APPENDED.format(text, code) if behind else text, null])
        return _MARKED.format(column, null, _call("concat", [column, code]))

    def lines(self, rows: int, nulls: int, text: bytes) -> bytes | None:
        r"""What `many` answered, as JSON lines; None: it cannot be told what is a value.

        >>> table = CopiedTable(RelationName("public", "t"), (("a", "int4"), ("b", "text")), False)
        >>> JsonRows.of(table).lines(1, 1, b'\x01\x03"\n')
        b'{"a":null,"b":"\\"\\n"}\n'
        >>> JsonRows.of(table).lines(1, 0, b'1\x03\x03')
        """
        if not rows:
            return b""
        if (_NULL in text or nulls) and text.count(_NULL) != nulls:
            return None
        text, start, growth = _END + text + _END, 0, 0
        done = []
        while start < len(text):
            end = text.find(_END, start + _BLOCK) + 1 or len(text)
            block = text[start:end]
            for value, escaped in self.escapes:
                block = block.replace(value, escaped)
            size = len(block)
            for code, meant in self.codes:
                block = block.replace(code, meant)
            growth += len(block) - size
            done.append(block)
            start = end
        # Each is there as often as it was put there, at least: so none is there more often.
        more = [len(meant) - len(code) for code, meant in self.codes]
        if growth != rows * sum(more) + more[-1]:
            return None
        done[0] = done[0][len(self.tail) :]
        done[-1] = done[-1][: -len(self.head)]
        lines = b"".join(done)
        if nulls:
            lines = lines.replace(b'"' + _NULL + b'"', b"null").replace(_NULL, b"null")
        return None if _LEAD in lines else lines

    def each(self, pages: range | None) -> sql.Composed:
        """The JSON lines of the rows of some pages, or of all, one by one."""
        pieces: list[sql.Composable] = []
        before = "{"
        for name, kind in self.table.columns:
            column = sql.Identifier(name)
            text = column if kind in _BARE else _call("format", [sql.Literal("%s"), column])
            pieces.append(sql.Literal(f"{before}{msgspec.json.encode(name).decode()}:"))
            pieces.append(_ESCAPED.format(column, text))
            before = ","
        pieces.append(sql.Literal("}"))
        some = sql.SQL("") if pages is None else _RANGE.format(*ends(pages))
        return _EACH.format(_concat(pieces), self.table.rows, some)

    @property
    def stored_bytes(self) -> sql.Composed:
        """Prepares: how many bytes the values of some pages take where they are stored."""
        sizes = [_SIZE.format(sql.Identifier(name)) for name, _ in self.table.columns]
        return _STORED.format(sql.SQL(" + ").join(sizes), self.table.rows)


def ends(pages: range) -> tuple[sql.Literal, sql.Literal]:
    """Where the first row of some pages may be, and the first behind them."""
    return sql.Literal(f"({pages.start},0)"), sql.Literal(f"({pages.stop},0)")


def _joined(texts: Sequence[sql.Composable]) -> sql.Composable:
    """For the server this is cheaper than concat; in halves each is copied few times."""
    if len(texts) == 1:
        return texts[0]
    half = len(texts) // 2
    return sql.SQL("({} || {})").format(_joined(texts[:half]), _joined(texts[half:]))


def _concat(pieces: Sequence[sql.Composable]) -> sql.Composable:
    parts = [_call("concat", some) for some in _parts(pieces)]
    return parts[0] if len(parts) == 1 else _call("concat", parts)


def _parts(pieces: Sequence[sql.Composable]) -> list[Sequence[sql.Composable]]:
    return [pieces[n : n + _ARGUMENTS] for n in range(0, len(pieces), _ARGUMENTS)]


def _call(function: str, arguments: Sequence[sql.Composable]) -> sql.Composed:
    return sql.SQL("{}({})").format(sql.SQL(function), sql.SQL(", ").join(arguments))
