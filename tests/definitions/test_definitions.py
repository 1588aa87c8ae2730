"""What definitions say: PostgreSQL's DDL against the catalogs of a real server, and YAML."""

from __future__ import annotations

import pytest
from places import DATA
from servers import Server

from filtersql.catalog import Identity, Table
from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.finish import finish
from filtersql.definitions.model import Definitions
from filtersql.definitions.sql_file import read_sql
from filtersql.definitions.yaml_file import read_yaml
from filtersql.errors import Mistakes
from filtersql.names import RelationName
from filtersql.source import Source

DUMP = DATA / "dumps" / "shop.sql"

#: scripts that PostgreSQL carries out; what the catalogs hold afterwards must be what we hold
SCRIPTS = {
    "columns and their types": """
        CREATE TABLE t (
          a int, b smallint NOT NULL, c bigserial, d real, e double precision, f float(10),
          g decimal(4), h numeric(5,-2), i numeric, j text COLLATE "C", k varchar, l varchar(14),
          m char, n character(3)[], o "char", p bit, q bit varying(7), r bit(3), s bytea,
          t time(3) with time zone, u timestamp(0), v timestamptz, w interval,
          x interval(3), y interval day to second(3), z interval year, aa int[][3],
          bb national character varying(5), cc pg_catalog.int4, dd json, ee jsonb, ff inet,
          gg int4range, hh money, ii uuid, jj dec(4,1), kk "Time"[], ll s.mood, mm s.positive,
          nn interval hour to minute, oo smallserial, pp int GENERATED ALWAYS AS IDENTITY,
          qq int GENERATED ALWAYS AS (a * 2) STORED, rr int GENERATED ALWAYS AS (a + 1) VIRTUAL,
          ss oid, tt name, uu xml, vv point, ww timestamp with time zone[], xx bool DEFAULT true
        );""",
    "keys by table and column constraints": """
        CREATE TABLE t (a int PRIMARY KEY, b int UNIQUE, c int, d int,
                        CONSTRAINT two UNIQUE (c, d), UNIQUE (d) DEFERRABLE);
        CREATE TABLE u (a int, b int, c int, PRIMARY KEY (b, a) INCLUDE (c), UNIQUE (a, b, c));
        CREATE TABLE v (a int CONSTRAINT k PRIMARY KEY DEFERRABLE INITIALLY DEFERRED);
        CREATE UNIQUE INDEX ON u (c) INCLUDE (a);
        CREATE UNIQUE INDEX part ON u (c) WHERE a > 0;
        CREATE UNIQUE INDEX expr ON u ((a + b));
        CREATE INDEX plain ON u (b);
        CREATE TABLE a_table_with_a_name_that_is_just_as_long_as_it_may_be_in_all__ (
          and_a_column_with_a_name_that_is_long_as_well int UNIQUE, b int PRIMARY KEY);""",
    "keys added and dropped later": """
        CREATE TABLE t (a int, b int, c int);
        ALTER TABLE ONLY t ADD CONSTRAINT t_pkey PRIMARY KEY (a);
        ALTER TABLE t ADD UNIQUE (b), ADD CONSTRAINT named UNIQUE (c), ADD UNIQUE (b, c);
        ALTER TABLE t DROP CONSTRAINT t_pkey;
        CREATE UNIQUE INDEX i ON t (b, a);
        ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY USING INDEX i;
        CREATE UNIQUE INDEX j ON t (a);
        ALTER TABLE t ADD CONSTRAINT uq UNIQUE USING INDEX j;
        ALTER TABLE t DROP CONSTRAINT named;
        ALTER INDEX pk RENAME TO pk2;
        CREATE UNIQUE INDEX k ON t (c);
        CREATE TABLE s.t (c int NOT NULL);
        CREATE UNIQUE INDEX k ON s.t (c);
        ALTER TABLE s.t REPLICA IDENTITY USING INDEX k;
        DROP INDEX k;""",
    "replica identities": """
        CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int, UNIQUE (b));
        CREATE TABLE u (a int PRIMARY KEY, b int);
        CREATE TABLE v (a int, b int);
        CREATE TABLE w (a int PRIMARY KEY, b int NOT NULL);
        CREATE TABLE x (a int NOT NULL);
        ALTER TABLE t REPLICA IDENTITY USING INDEX t_b_key;
        ALTER TABLE u REPLICA IDENTITY NOTHING;
        ALTER TABLE v REPLICA IDENTITY FULL;
        ALTER TABLE w REPLICA IDENTITY FULL;
        ALTER TABLE w REPLICA IDENTITY DEFAULT;
        CREATE UNIQUE INDEX xi ON x (a);
        ALTER TABLE x REPLICA IDENTITY USING INDEX xi;
        ALTER TABLE x RENAME a TO "A z";
        ALTER INDEX xi RENAME TO yi;
        ALTER TABLE u REPLICA IDENTITY USING INDEX u_pkey;""",
    "columns altered": """
        CREATE TABLE t (a int, b int, c int, d text, e int PRIMARY KEY);
        ALTER TABLE t ADD COLUMN f numeric(5,1) NOT NULL, DROP COLUMN b,
          ALTER COLUMN a SET NOT NULL, ALTER d TYPE varchar(7), ALTER COLUMN c SET DEFAULT 3;
        ALTER TABLE t RENAME COLUMN c TO cc;
        ALTER TABLE t ALTER a DROP NOT NULL, ADD COLUMN IF NOT EXISTS a text;
        ALTER TABLE IF EXISTS nowhere ADD COLUMN x int;
        ALTER TABLE t ADD COLUMN g int GENERATED ALWAYS AS (a * 2) STORED;
        ALTER TABLE t DROP COLUMN IF EXISTS nothing, ADD CHECK (a > 0);
        ALTER TABLE t ADD COLUMN h int UNIQUE;
        ALTER TABLE t DROP COLUMN h;
        ALTER TABLE t ADD CONSTRAINT nn NOT NULL cc;""",
    "partitions": """
        CREATE TABLE p (a int, b date NOT NULL, c text, PRIMARY KEY (a, b), UNIQUE (b, a))
          PARTITION BY RANGE (b);
        CREATE TABLE p1 PARTITION OF p FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
        CREATE TABLE p2 PARTITION OF p (CHECK (a > 0)) FOR VALUES FROM ('2021-01-01') TO (MAXVALUE)
          PARTITION BY LIST (a);
        CREATE TABLE p2a PARTITION OF p2 FOR VALUES IN (1, 2, NULL);
        CREATE TABLE p2d PARTITION OF p2 DEFAULT;
        CREATE TABLE p0 (c text, b date NOT NULL, a int NOT NULL);
        ALTER TABLE p ATTACH PARTITION p0 FOR VALUES FROM (MINVALUE) TO ('2020-01-01');
        ALTER TABLE p ADD COLUMN d int, ALTER c TYPE varchar(9);
        ALTER TABLE p DROP COLUMN c;
        ALTER TABLE p1 ALTER d SET NOT NULL;
        ALTER TABLE p ADD UNIQUE (d, b, a);
        ALTER TABLE p DETACH PARTITION p1;
        CREATE TABLE h (k int PRIMARY KEY) PARTITION BY HASH (k);
        CREATE TABLE h0 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 0);
        CREATE TABLE l (k text) PARTITION BY LIST (lower(k));
        CREATE TABLE l0 PARTITION OF l FOR VALUES IN ('it''s', 'b');
        CREATE TABLE n (x numeric, y int) PARTITION BY RANGE (x, (y + 1));
        CREATE TABLE n0 PARTITION OF n FOR VALUES FROM (-1.5, MINVALUE) TO (2, 3);""",
    "a key added to a partitioned table reaches its partitions": """
        CREATE TABLE p (a int, b int) PARTITION BY LIST (a);
        CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1) PARTITION BY LIST (b);
        CREATE TABLE p11 PARTITION OF p1 FOR VALUES IN (1);
        ALTER TABLE p ADD PRIMARY KEY (a, b);""",
    "inheritance": """
        CREATE TABLE a (id int PRIMARY KEY, name text NOT NULL);
        CREATE TABLE b (extra int, name text) INHERITS (a);
        CREATE TABLE c (own int) INHERITS (b);
        ALTER TABLE ONLY b ADD PRIMARY KEY (id);""",
    "names, schemas and search_path": """
        CREATE SCHEMA "Odd One";
        CREATE TABLE "Odd One"."My ""T"" x" ("A b" int PRIMARY KEY, größe text, UPPER int);
        SET search_path = s, public;
        CREATE TABLE inside (a int PRIMARY KEY);
        CREATE TABLE public.other (a int);
        ALTER TABLE other RENAME TO another;
        SELECT pg_catalog.set_config('search_path', 'public', false);
        CREATE TABLE plain (a int);
        ALTER TABLE another RENAME TO back;
        RESET search_path;
        CREATE SCHEMA bare;
        CREATE TABLE IF NOT EXISTS plain (b text);
        CREATE TABLE gone (a int); CREATE TABLE gone2 (a int); DROP TABLE gone, gone2;
        DROP TABLE IF EXISTS gone;""",
    "publications": """
        CREATE TABLE t (a int PRIMARY KEY, b int, c text); CREATE TABLE u (a int PRIMARY KEY);
        CREATE TABLE v (a int PRIMARY KEY); CREATE TABLE s.w (a int PRIMARY KEY);
        CREATE PUBLICATION p1 FOR TABLE t (a, b) WHERE (a > 5), ONLY u;
        CREATE PUBLICATION p1s FOR TABLE t WHERE (a > 5), u, TABLES IN SCHEMA s;
        CREATE PUBLICATION p2 FOR ALL TABLES WITH (publish = 'insert, Truncate');
        CREATE PUBLICATION p3;
        CREATE PUBLICATION p4 FOR TABLE t, t WITH (publish = '');
        CREATE PUBLICATION p5 FOR TABLES IN SCHEMA s, CURRENT_SCHEMA
          WITH (publish_via_partition_root, publish_generated_columns = stored);
        ALTER PUBLICATION p3 ADD TABLE t WHERE (b IS NULL), s.w;
        ALTER PUBLICATION p3 SET (publish = 'update', publish_via_partition_root = on);
        ALTER PUBLICATION p3 DROP TABLE s.w;
        ALTER PUBLICATION p1 SET TABLE v, t WHERE (c = 'it''s; (');
        ALTER PUBLICATION p5 DROP TABLES IN SCHEMA s;
        ALTER PUBLICATION p4 RENAME TO "P 4";
        ALTER PUBLICATION p3 OWNER TO CURRENT_USER;
        ALTER TABLE v RENAME TO vv;
        CREATE PUBLICATION gone; DROP PUBLICATION gone; DROP PUBLICATION IF EXISTS gone;
        CREATE TABLE left_out (a int); CREATE PUBLICATION p6 FOR TABLE left_out, t;
        DROP TABLE left_out;""",
    "what is of no concern": """
        CREATE TABLE t (a int PRIMARY KEY, b text DEFAULT 'x', CHECK (a > 0));
        CREATE SEQUENCE seq; ALTER SEQUENCE seq OWNED BY t.a;
        COMMENT ON TABLE t IS 'a; b'; GRANT SELECT ON t TO PUBLIC;
        INSERT INTO t VALUES (1); ANALYZE t; SELECT 1, now(); DO $$ BEGIN NULL; END $$;
        CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RETURN NEW; END; $f$;
        CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f();
        CREATE FUNCTION g(i int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT i; END;
        ALTER TABLE t OWNER TO CURRENT_USER; ALTER TABLE t ENABLE ROW LEVEL SECURITY;
        ALTER TABLE t SET (fillfactor = 70); ALTER TABLE t CLUSTER ON t_pkey;
        CREATE RULE r AS ON DELETE TO t DO ALSO (SELECT 1; SELECT 2);""",
}
BEFORE = """CREATE SCHEMA s; CREATE TYPE s.mood AS ENUM ('a'); CREATE DOMAIN s.positive AS int;
            CREATE TYPE "Time" AS (x int);"""

_TABLES = """
    SELECT n.nspname, c.relname, c.relreplident::text,
      (SELECT array_agg(array[a.attname::text, tn.nspname, t.typname, a.atttypmod::text,
                              a.attnotnull::text, a.attgenerated::text] ORDER BY a.attnum)
         FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
           JOIN pg_namespace tn ON tn.oid = t.typnamespace
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
      (SELECT i.indkey::int2[]::int[] FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary),
      (SELECT array_agg(inhparent::regclass::text ORDER BY inhseqno)
         FROM pg_inherits WHERE inhrelid = c.oid),
      pg_get_expr(c.relpartbound, c.oid)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
      AND n.nspname NOT IN ('pg_catalog', 'information_schema')"""
_INDEXES = """
    SELECT n.nspname, c.relname, i.relname, x.indisprimary, x.indisreplident,
      (SELECT array_agg(a.attname::text ORDER BY k.n)
         FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k (num, n)
           JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.num
         WHERE k.n <= x.indnkeyatts)
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE x.indisunique AND n.nspname NOT IN ('pg_catalog', 'pg_toast')
      AND (x.indisprimary OR x.indisreplident
           OR (x.indimmediate AND x.indpred IS NULL AND x.indexprs IS NULL))"""
_PUBLICATIONS = """
    SELECT p.pubname, p.puballtables, p.pubviaroot, p.pubgencols::text,
      array_remove(array[CASE WHEN pubinsert THEN 'insert' END,
        CASE WHEN pubupdate THEN 'update' END,
        CASE WHEN pubdelete THEN 'delete' END, CASE WHEN pubtruncate THEN 'truncate' END], NULL),
      (SELECT array_agg(nspname ORDER BY nspname) FROM pg_publication_namespace
         JOIN pg_namespace n ON n.oid = pnnspid WHERE pnpubid = p.oid),
      (SELECT array_agg(array[n.nspname, c.relname, (prqual IS NOT NULL)::text,
                (SELECT string_agg(a.attname, ',' ORDER BY a.attnum) FROM pg_attribute a
                 WHERE a.attrelid = c.oid AND a.attnum = ANY (prattrs))]
              ORDER BY n.nspname, c.relname)
         FROM pg_publication_rel JOIN pg_class c ON c.oid = prrelid
           JOIN pg_namespace n ON n.oid = c.relnamespace WHERE prpubid = p.oid)
    FROM pg_publication p"""


def read(*files: tuple[str, str]) -> Definitions:
    """The definitions of files, given as (path, text)."""
    drafts = Drafts()
    for path, text in files:
        reader = read_sql if path.endswith(".sql") else read_yaml
        reader(Source(path, text).passage(), drafts)
    definitions = finish(drafts)
    if drafts.mistakes:
        raise Mistakes(drafts.mistakes)
    return definitions


def ours(definitions: Definitions) -> tuple[object, object, object]:
    """Tables, unique indexes and publications in the shape of the queries above."""
    tables = {name: _table(table) for name, table in definitions.catalog.tables.items()}
    indexes = set()
    for table in definitions.catalog.tables.values():
        identity = table.replica_identity
        for index in table.unique_indexes:
            chosen = identity.kind is Identity.INDEX and identity.index_name == index.name
            indexes.add((*table.name, index.name, False, chosen, index.columns))
        if table.primary_key:
            chosen = (
                identity.kind is Identity.INDEX and identity.index_name == table.primary_key_name
            )
            indexes.add((*table.name, table.primary_key_name, True, chosen, table.primary_key))
    publications = {
        one.name: (
            one.all_tables,
            one.via_partition_root,
            one.generated_columns,
            {str(action) for action in one.publish},
            sorted(one.schemas),
            sorted(
                (*t.name, t.where is not None, t.columns and set(t.columns)) for t in one.tables
            ),
        )
        for one in definitions.publications.values()
    }
    return tables, indexes, publications


def _table(table: Table) -> object:
    columns = [
        (
            c.name,
            c.type.schema,
            c.type.name,
            c.type.typmod,
            c.not_null,
            c.generated and c.generated.value,
        )
        for c in table.columns
    ]
    parents = [table.partition_of] if table.partition_of else list(table.inherits)
    return columns, table.replica_identity.kind.value, [p.name for p in parents], table.bounds


def servers(postgres: Server, script: str) -> tuple[object, object, object]:
    """What the server's catalogs hold after the script."""
    kinds = {"d": "default", "f": "full", "n": "nothing", "i": "index"}
    generated = {"": None, "s": "stored", "v": "virtual"}
    with postgres.connect(postgres.create_database(), autocommit=True) as connection:
        connection.execute(BEFORE + script)
        tables = {}
        for schema, name, identity, columns, _, parents, bounds in connection.execute(_TABLES):
            found = [
                (a, b, c, int(d), e == "true", generated[f]) for a, b, c, d, e, f in columns or []
            ]
            above = [parent.split(".")[-1] for parent in parents or []]
            tables[RelationName(schema, name)] = (found, kinds[identity], above, bounds)
        indexes = {(*row[:5], tuple(row[5] or ())) for row in connection.execute(_INDEXES)}
        publications = {}
        for name, every, root, gen, actions, schemas, members in connection.execute(_PUBLICATIONS):
            listed = [(a, b, c == "true", d and set(d.split(","))) for a, b, c, d in members or []]
            generation = {"n": "none", "s": "stored"}[gen]
            publications[name] = (
                every,
                root,
                generation,
                set(actions),
                schemas or [],
                sorted(listed),
            )
    return tables, indexes, publications


@pytest.mark.postgres
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_catalog_is_the_servers(postgres: Server, name: str) -> None:
    """After the same statements, tables, indexes and publications are those of the server."""
    script = SCRIPTS[name]

    mine = ours(read(("tables/script.sql", BEFORE + script)))

    for own, real in zip(mine, servers(postgres, script), strict=True):
        assert own == real
