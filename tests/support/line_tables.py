"""The tables of some filters on a publisher: rows come, move and go."""

from __future__ import annotations

from typing import Any

import psycopg
from filter_corpus import COLUMNS
from line_filters import Line, quoted

__all__ = ["carry_out", "fill_values", "is_copied", "printed_rows"]

_MOVE = """
DO $do$ DECLARE one record; BEGIN
  FOR one IN SELECT * FROM pg_temp.m_{name} ORDER BY number LOOP
    BEGIN
      IF one.kind = 'I' THEN
        INSERT INTO {name} ({columns}) SELECT {columns} FROM {values} WHERE place = one.new;
      ELSIF one.kind = 'U' THEN
        UPDATE {name} SET ({columns}, mark) = (SELECT {columns}, one.number FROM {values}
          WHERE place = one.new) WHERE ctid = (SELECT t.ctid FROM {name} t, {values} v
          WHERE v.place = one.old AND {same} LIMIT 1);
      ELSE
        DELETE FROM {name} WHERE ctid = (SELECT t.ctid FROM {name} t, {values} v
          WHERE v.place = one.old AND {same} LIMIT 1);
      END IF;
    EXCEPTION WHEN unique_violation OR program_limit_exceeded THEN NULL;
    END;
  END LOOP;
END $do$"""


def fill_values(connection: psycopg.Connection[Any], line: Line) -> str:
    """A table of the rows by place, outside of what is recorded."""
    name = f"pg_temp.v_{line.name}"
    columns = "".join(f', "{each}" {COLUMNS[each]}' for each in line.rows.names)
    connection.execute(f"CREATE TEMP TABLE v_{line.name} (place int{columns})")
    used = {first for first, _ in line.plan.values() if first is not None}
    used |= {place for _, then in line.plan.values() for _, place in then}
    used |= {*line.first, *(place for _, *places in line.moves for place in places)} - {-1}
    marks = ", ".join(["%s"] * (len(line.rows.names) + 1))
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {name} VALUES ({marks})",
            [(place, *line.rows.values[place]) for place in sorted(used)],
        )
    connection.execute(f"CREATE TEMP TABLE s_{line.name} (id int, step int, kind text, place int)")
    found = []
    for identifier, (first, then) in line.plan.items():
        if first is not None:
            found.append((identifier, 0, "I", first))
        for step, (kind, place) in enumerate(then, 1):
            found.append((identifier, step, kind, place))
    with connection.cursor() as cursor, cursor.copy(f"COPY s_{line.name} FROM STDIN") as copy:
        for row in found:
            copy.write_row(row)
    return name


def _move(connection: psycopg.Connection[Any], line: Line, values: str, step: int) -> None:
    """The rows before anybody subscribes, and what is done after it."""
    names = line.rows.names
    moves = line.moves if step else [("I", -1, place) for place in line.first]
    connection.execute(f"DROP TABLE IF EXISTS pg_temp.m_{line.name}")
    connection.execute(
        f"CREATE TEMP TABLE m_{line.name} (number serial, kind text, old int, new int)"
    )
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY m_{line.name} (kind, old, new) FROM STDIN") as copy,
    ):
        for move in moves:
            copy.write_row(move)
    of, other = (", ".join(f'{each}."{name}"' for name in names) for each in "tv")
    same = f"format('%s', ROW({of})) = format('%s', ROW({other}))"
    connection.execute(
        _MOVE.format(name=line.name, columns=quoted(names), values=values, same=same)
    )


def carry_out(connection: psycopg.Connection[Any], line: Line, values: str, step: int) -> None:
    if not line.has_id:
        if step < 2:
            _move(connection, line, values, step)
        return
    names = ", ".join(f'"{each}"' for each in line.rows.names)
    of = ", ".join(f'v."{each}"' for each in line.rows.names)
    plan = f"pg_temp.s_{line.name} s JOIN {values} v USING (place)"
    comma = ", " if names else ""
    wide, long = (", wide", ", repeat(s.id::text, 3000)") if line.shape == "wide" else ("", "")
    connection.execute(
        f"INSERT INTO {line.name} (id{comma}{names}{wide}) SELECT s.id{comma}{of}{long} FROM {plan}"
        f" WHERE s.step = {step} AND s.kind = 'I' ORDER BY s.id"
    )
    sets = f"({names}) = ROW({of})" if names else "id = t.id"
    connection.execute(
        f"UPDATE {line.name} t SET {sets} FROM {plan}"
        f" WHERE s.step = {step} AND s.kind = 'U' AND s.id = t.id"
    )
    if line.shape == "wide":
        connection.execute(
            f"UPDATE {line.name} t SET mark = {step} FROM pg_temp.s_{line.name} s"
            f" WHERE s.step = {step} AND s.kind = 'M' AND s.id = t.id"
        )
    connection.execute(
        f"DELETE FROM {line.name} t USING pg_temp.s_{line.name} s"
        f" WHERE s.step = {step} AND s.kind = 'D' AND s.id = t.id"
    )


def is_copied(connection: psycopg.Connection[Any], line: Line) -> bool:
    """Whether PostgreSQL's own copy takes the table; else there is nothing to copy.

    Its planner puts the parts of a filter into another order than decoding does.
    """
    try:
        connection.execute(f"SELECT * FROM ONLY {line.name} WHERE {line.answer.text}")
    except psycopg.Error:
        connection.execute(f"TRUNCATE {line.name}")
        connection.execute(
            f"DELETE FROM pg_temp.s_{line.name} WHERE id IN"
            f" (SELECT id FROM pg_temp.s_{line.name} WHERE step = 0)"
        )
        return False
    return True


def printed_rows(connection: psycopg.Connection[Any], line: Line) -> list[dict[str, str | None]]:
    names = line.names
    # format() prints as COPY and decoding do; a cast to text loses blanks and adds a mask
    columns = ", ".join(
        f'CASE WHEN "{name}" IS NOT NULL THEN format(\'%s\', "{name}") END' for name in names
    )
    return [
        dict(zip(names, row, strict=True))
        for row in connection.execute(f"SELECT {columns} FROM {line.name}").fetchall()
    ]
