"""Ordinary row filters, as administrators write them, over an ordinary table.

Example
    `resolve(Source("f", "qty > 5").passage(), TABLE)`; all of `FILTERS` are over `TABLE`.
"""

from __future__ import annotations

from filtersql.catalog import Column, PgType, ReplicaIdentity, Table
from filtersql.names import RelationName
from filtersql.source import Source

__all__ = ["FILTERS", "TABLE"]

#: an exclamation mark: NOT NULL
COLUMNS = """
id int4!, qty int4!, stock int4, big int8, flag bool, ok bool!, price numeric, amount numeric(10,2),
rate float8, code text, name varchar(20), email text!, status text, country bpchar(2), ip inet,
tags _text, nums _int4, doc jsonb, ts timestamptz, created_at timestamp, d date, d2 date, u uuid,
during daterange, span int4range, tenant_id int4!
"""
FILTERS = r"""
qty > 5
stock > 5
qty = 5
status = 'active'
status <> 'deleted'
status IN ('active', 'trial', 'paused')
status NOT IN ('deleted', 'archived')
tenant_id IN (1, 2, 3)
qty BETWEEN 10 AND 20
stock NOT BETWEEN 10 AND 20
ok
NOT flag
flag IS TRUE
flag IS NOT TRUE
stock IS NULL
code IS NOT NULL AND code <> ''
qty > 5 AND status = 'active'
qty > 5 OR stock > 5
NOT (qty > 5 AND status = 'active')
amount > 10.5
amount BETWEEN 1 AND 100
amount = 10
price > 0
price >= 10.5
price = 0
price < 100
price BETWEEN 1 AND 100
rate > 0.5
name LIKE 'a%'
name LIKE '%x%'
code NOT LIKE 'a_c%'
email ILIKE '%@example.com'
code ~ '^A[0-9]+$'
code ~* '^de'
lower(name) = 'alice'
lower(email) LIKE '%@example.com'
upper(code) = 'DE'
upper(country) = 'DE'
country = 'DE'
country IN ('DE', 'AT')
substring(code, 1, 2) = 'DE'
substring(code from 3 for 2) = 'DE'
left(code, 2) = 'DE'
right(code, 2) = 'DE'
length(code) > 3
trim(code) <> ''
position('x' in code) > 0
starts_with(code, 'DE')
split_part(email, '@', 2) = 'example.com'
code || status = 'ab'
coalesce(qty, 0) > 1
coalesce(stock, 0) > 1
coalesce(status, 'none') = 'none'
nullif(code, '') IS NOT NULL
stock IS DISTINCT FROM 5
ts >= '2024-01-01'
created_at >= '2024-01-01 12:00'
d >= '2024-01-01'
d BETWEEN '2024-01-01' AND '2024-12-31'
d + 30 > '2024-01-01'
d2 - d > 7
created_at + interval '1 day' > '2024-01-01'
date_trunc('month', created_at) = '2024-01-01'
date_trunc('month', d::timestamp) = '2024-01-01'
extract(year from d) = 2024
extract(year from created_at) >= 2024
extract(dow from d) IN (0, 6)
created_at::date = '2024-01-01'
qty * 2 > 10
qty + stock > 10
qty % 2 = 0
id % 4 = 1
amount * qty > 100
abs(stock) > 5
round(amount) > 5
doc ->> 'k' = 'v'
doc ->> 'k' IN ('v', 'w')
doc -> 'a' ->> 'b' = 'v'
doc @> '{"a": 1}'
doc ? 'k'
doc ->> 'k' IS NOT NULL
'a' = ANY (tags)
tags && ARRAY['a', 'b']
tags @> ARRAY['a']
cardinality(tags) > 0
5 = ANY (nums)
u = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
ip << '10.0.0.0/8'
ip = '10.0.0.1'
during @> '2024-01-01'::date
span @> 5
greatest(qty, stock) > 5
CASE WHEN flag THEN qty > 5 ELSE qty > 10 END
(qty, id) > (1, 2)
""".strip().splitlines()


def _type(text: str) -> PgType:
    name, _, sizes = text.rstrip(")").partition("(")
    first, _, second = sizes.partition(",")
    if name == "numeric" and sizes:
        return PgType(name, (int(first) << 16 | int(second)) + 4)
    return PgType(name, int(first) + 4) if sizes else PgType(name)


def _table() -> Table:
    span = Source("t.yml", "t").span(0, 1)
    named = [part.split() for part in COLUMNS.replace(",2)", ";2)").split(",")]
    columns = [
        Column(name, _type(kind.rstrip("!").replace(";", ",")), span, not_null=kind.endswith("!"))
        for name, kind in named
    ]
    return Table(
        RelationName("public", "t"), tuple(columns), span, replica_identity=ReplicaIdentity()
    )


TABLE = _table()
