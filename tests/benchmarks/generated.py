"""Projects of any size for the benchmarks: tables, publications with filters, subscriptions."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write_project"]

_PER_FILE = 50
_PER_PUBLICATION = 20

_COLUMNS = {
    "id": "bigint NOT NULL",
    "region": "text NOT NULL",
    "customer": "integer",
    "status": "varchar(20)",
    "amount": "numeric(10,2)",
    "discount": "numeric(5,2)",
    "active": "boolean NOT NULL",
    "placed": "date",
    "changed": "timestamp with time zone",
    "note": "text",
}
_FILTERS = (
    "region = 'eu'",
    "region IN ('eu', 'uk') AND amount > 100",
    "active AND placed >= DATE '2026-01-01'",
    "customer BETWEEN 1000 AND 2000 OR region = 'us'",
    "note IS NOT NULL AND status LIKE 'open%'",
    "COALESCE(discount, 0) < 10 AND NOT active",
    "id % 4 = {number} % 4",
    "CASE WHEN region = 'eu' THEN amount ELSE discount END > {number}",
    "status IS DISTINCT FROM 'closed' AND changed < '2026-06-01 00:00:00+00'",
    "(region = 'eu' OR region = 'de') AND (amount IS NULL OR amount <> {number})",
)


def write_project(folder: Path, tables: int, files: str) -> None:
    """A project of so many tables, each published once with a row filter of its own."""
    texts = {
        "filtersql_project.yml": "name: generated\nversion: 1\nprofile: generated\n",
        "profiles.yml": (
            "generated:\n  target: dev\n  outputs:\n"
            "    dev: {type: spark, method: session, format: delta, warehouse: warehouse}\n"
        ),
        **_subscriptions(tables),
        **(_yaml(tables) if files == "yaml" else _sql(tables)),
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _filter(number: int) -> str:
    return _FILTERS[number % len(_FILTERS)].format(number=number)


def _parts(tables: int, size: int) -> dict[int, range]:
    return {
        number: range(begin, min(begin + size, tables))
        for number, begin in enumerate(range(0, tables, size))
    }


def _yaml(tables: int) -> dict[str, str]:
    columns = "".join(f"      {name}: {kind}\n" for name, kind in _COLUMNS.items())
    texts = {}
    for part, numbers in _parts(tables, _PER_FILE).items():
        texts[f"tables/t{part:03}.yml"] = "tables:\n" + "".join(
            f"  - name: public.table_{number}\n    columns:\n{columns}"
            "    primary_key: [id]\n    replica_identity: full\n"
            for number in numbers
        )
    for part, numbers in _parts(tables, _PER_PUBLICATION).items():
        listed = "".join(
            f'      - {{name: table_{number}, where: "{_filter(number)}"}}\n' for number in numbers
        )
        text = f"publications:\n  - name: publication_{part}\n    tables:\n{listed}"
        texts[f"publications/p{part:03}.yml"] = text
    return texts


def _sql(tables: int) -> dict[str, str]:
    columns = ",\n".join(f"  {name} {kind}" for name, kind in _COLUMNS.items())
    texts = {}
    for part, numbers in _parts(tables, _PER_FILE).items():
        texts[f"tables/t{part:03}.sql"] = "".join(
            f"CREATE TABLE public.table_{number} (\n{columns},\n  PRIMARY KEY (id)\n);\n"
            f"ALTER TABLE public.table_{number} REPLICA IDENTITY FULL;\n"
            for number in numbers
        )
    for part, numbers in _parts(tables, _PER_PUBLICATION).items():
        listed = ",\n".join(f"  table_{number} WHERE ({_filter(number)})" for number in numbers)
        text = f"CREATE PUBLICATION publication_{part} FOR TABLE\n{listed};\n"
        texts[f"publications/p{part:03}.sql"] = text
    return texts


def _subscriptions(tables: int) -> dict[str, str]:
    return {
        "subscriptions/s.yml": "subscriptions:\n"
        + "".join(
            f"  - name: s{part}\n    publications: [publication_{part}]\n"
            '    changes: {format: filtersql, path: "changes/*.jsonl"}\n'
            for part in _parts(tables, _PER_PUBLICATION)
        )
    }
