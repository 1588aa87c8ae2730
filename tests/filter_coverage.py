"""How many plausible filters are translated, and why others are not, counted on a corpus.

Example
    python tests/filter_coverage.py                    all files of filter_corpus, counts by family
    python tests/filter_coverage.py text patterns -v   only these, with every refusal and its reason

The corpus are files of lines `types | filter` over columns c1, c2, … (the form of
data/filter_values.txt), under `# family` headings. A server (FILTERSQL_PG, a connection string)
says which of them PostgreSQL accepts as a row filter; without one, filtersql itself.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

import psycopg
from three_engines import Rows

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.filters import NotTranslated
from filtersql.storage import Engine

__all__ = ["Line", "accepted", "corpus", "refusal"]

FOLDER = Path(__file__).parent / "filter_corpus"


@dataclass(frozen=True, slots=True)
class Line:
    """One filter of the corpus."""

    family: str
    types: tuple[str, ...]
    text: str


def corpus(*names: str) -> Iterator[Line]:
    """All lines of the files of these names (without .txt), of all files without names."""
    for path in sorted(FOLDER.glob("*.txt")):
        if names and path.stem not in names:
            continue
        family = path.stem
        for line in path.read_text().splitlines():
            if line.startswith("#"):
                family = f"{path.stem}: {line.lstrip('# ')}"
            elif line.strip():
                types, _, text = line.partition("|")
                yield Line(family, tuple(types.split()), text.strip())


def accepted(connection: psycopg.Connection[Any], lines: Sequence[Line]) -> list[str]:
    """For each line, what PostgreSQL says to it as a row filter; an empty text where nothing."""
    connection.autocommit = True
    found, made = [], dict[tuple[str, ...], str]()
    for line in lines:
        if line.types not in made:
            name = made[line.types] = f"coverage_{os.getpid()}_{len(made)}"
            columns = ", ".join(
                f"c{place} {kind.partition(':')[0]}" for place, kind in enumerate(line.types, 1)
            )
            connection.execute(f"CREATE TABLE {name} ({columns})".encode())
        query = f"CREATE PUBLICATION {made[line.types]}_p FOR TABLE {made[line.types]} WHERE"
        try:
            with connection.transaction(force_rollback=True):
                connection.execute(f"{query} ({line.text})".encode())
            found.append("")
        except psycopg.Error as error:
            found.append(f"{error.diag.message_primary}: {error.diag.message_detail or ''}")
    for name in made.values():
        connection.execute(f"DROP TABLE {name}".encode())
    return found


def refusal(line: Line, engine: Engine) -> str:
    """Why the filter is not translated; an empty text for one that is."""
    try:
        Rows(line.types).written(line.text, engine)
    except NotTranslated as refused:
        return f"{refused.message}: {refused.detail}"
    except (Mistake, Mistakes) as refused:
        return f"INVALID {refused}"
    return ""


def main() -> None:
    """Prints the counts, and with -v what is refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("-v", "--verbose", action="store_true")
    chosen = parser.parse_args()
    lines = list(corpus(*chosen.names))
    server = os.environ.get("FILTERSQL_PG")
    said = [""] * len(lines)
    if server:
        with psycopg.connect(server) as connection:
            said = accepted(connection, lines)
    for line, answer in zip(lines, said, strict=True):
        if chosen.verbose and answer:
            print(f"PostgreSQL refuses  {line.text}  {answer}")
    usable = [line for line, answer in zip(lines, said, strict=True) if not answer]
    for engine in cast("tuple[Engine, ...]", get_args(Engine)):
        reasons = {line: reason for line in usable if (reason := refusal(line, engine))}
        everything = Counter(line.family for line in usable)
        refused = Counter(line.family for line in reasons)
        for family, count in everything.items():
            done = count - refused[family]
            print(f"{engine:7} {done:4} of {count:4} {100 * done // count:4} %  {family}")
        done = len(usable) - len(reasons)
        print(f"{engine:7} {done:4} of {len(usable):4} {100 * done / len(usable):6.1f} %  in all")
        if chosen.verbose:
            for line, reason in reasons.items():
                print(f"{engine:7} {' '.join(line.types)} | {line.text}\n    {reason}")


if __name__ == "__main__":
    main()
