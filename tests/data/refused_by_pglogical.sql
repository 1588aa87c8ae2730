-- Scripts whose last statement pglogical 2.4 refuses, or accepts: tests/definitions/test_refusals_pglogical.py asks the server and filtersql.
-- An empty line ends a script.

SELECT pglogical.create_replication_set('default');

SELECT pglogical.create_replication_set('s');
SELECT pglogical.create_replication_set('s');

SELECT pglogical.alter_replication_set('nope', replicate_insert := false);

SELECT pglogical.alter_replication_set('default', replicate_insert := false);

SELECT pglogical.drop_replication_set('nope');

SELECT pglogical.drop_replication_set('nope', true);

SELECT pglogical.create_replication_set('s');
SELECT pglogical.drop_replication_set('s');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('nope','t');

SELECT pglogical.replication_set_add_table('default','nope');

SELECT pglogical.replication_set_add_table('default','s.nope');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t');
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','T');

CREATE TABLE t(id int, b int);
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int, b int);
SELECT pglogical.replication_set_add_table('default_insert_only','t');

CREATE TABLE t(id int, b int);
ALTER TABLE t REPLICA IDENTITY FULL;
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int primary key, b int);
ALTER TABLE t REPLICA IDENTITY FULL;
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int primary key, b int);
ALTER TABLE t REPLICA IDENTITY NOTHING;
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int not null unique, b int);
ALTER TABLE t REPLICA IDENTITY USING INDEX t_id_key;
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int not null unique, b int);
SELECT pglogical.replication_set_add_table('default','t');

CREATE UNLOGGED TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t');

CREATE VIEW v AS SELECT 1 AS id;
SELECT pglogical.replication_set_add_table('default','v');

CREATE VIEW v AS SELECT 1 AS id;
SELECT pglogical.replication_set_add_table('default_insert_only','v');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{b}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{id,zz}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{id,ctid}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{id,id}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{ID}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{}');

CREATE TABLE t(id int, b int);
SELECT pglogical.replication_set_add_table('default_insert_only','t', columns := '{b}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default_insert_only','t', columns := '{b}');

CREATE TABLE t(id int primary key, b int generated always as (id*2) stored);
SELECT pglogical.replication_set_add_table('default','t', columns := '{id,b}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'zz > 1');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b >');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := '');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b > 1 order by 1');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b > 1, id > 2');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'sum(b) > 1');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'row_number() over () > 1');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'generate_series(1,2) > 1');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b IN (SELECT 1)');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'ctid is not null');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'tableoid > 0');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 't.b > 1');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'public.t.b > 1');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'u.b > 1');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := '$1 > 1');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b > ''x''');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'nofunc(b)');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 't is not null');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_remove_table('nope','t');

SELECT pglogical.replication_set_remove_table('default','nope');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_all_tables('default', '{public}');

CREATE TABLE t(id int, b int);
SELECT pglogical.replication_set_add_all_tables('default', '{public}');

CREATE TABLE t(id int, b int);
SELECT pglogical.replication_set_add_all_tables('default_insert_only', '{public}');

SELECT pglogical.replication_set_add_all_tables('default', '{nope}');

SELECT pglogical.replication_set_add_all_tables('nope', '{public}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t');
SELECT pglogical.replication_set_add_all_tables('default', '{public}');

CREATE TABLE t(id int, b int);
SELECT pglogical.create_replication_set('s', replicate_update := false, replicate_delete := false);
SELECT pglogical.replication_set_add_table('s','t');
SELECT pglogical.alter_replication_set('s', replicate_update := true);

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b > 1');
ALTER TABLE t DROP COLUMN b;

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t');
DROP TABLE t;

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{id,b}');
ALTER TABLE t DROP COLUMN b;

CREATE TABLE t(id int primary key, b int) PARTITION BY RANGE(id);
CREATE TABLE l PARTITION OF t DEFAULT;
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int, b int) PARTITION BY RANGE(id);
CREATE TABLE l PARTITION OF t DEFAULT;
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int primary key, b int) PARTITION BY RANGE(id);
CREATE TABLE l PARTITION OF t DEFAULT;
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b > 1');

SELECT pglogical.create_replication_set('s', foo := true);

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table(NULL,'t');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default',NULL);

SELECT pglogical.drop_replication_set('default');
SELECT pglogical.drop_replication_set('default');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.drop_replication_set('default');
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int primary key, b int);
CREATE TABLE u(id int primary key, b int, c text);
SELECT pglogical.create_replication_set('s', replicate_update := false);
SELECT pglogical.replication_set_add_all_tables('s', '{public}');
SELECT pglogical.replication_set_add_table('default', 'u', columns := '{c,id}', row_filter := 'b > 1 AND c <> ''x''');
SELECT pglogical.replication_set_remove_table('s', 't');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := '{id,b}');
ALTER TABLE t DROP COLUMN b;

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t');
ALTER TABLE t DROP CONSTRAINT t_pkey;

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t');
ALTER TABLE t REPLICA IDENTITY FULL;

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t');
ALTER TABLE t REPLICA IDENTITY NOTHING;

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b > 5');
ALTER TABLE t ALTER COLUMN b TYPE text;
SELECT pglogical.replication_set_remove_table('default','t');
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'b > 5');

CREATE TABLE t(id int primary key, b int);
CREATE TABLE u(id int, b int);
SELECT pglogical.replication_set_add_all_tables('default','{public}');

CREATE TABLE t(id int primary key, b int);
CREATE FUNCTION f(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1';
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'f(b) > 5');
DROP FUNCTION f(int);
SELECT pglogical.replication_set_add_table('default','t');

CREATE TABLE t(id int primary key, b int);
CREATE FUNCTION f(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1';
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'f(b) > 5');
DROP FUNCTION f(int) CASCADE;
SELECT pglogical.replication_set_add_table('default','t');

CREATE DOMAIN dom AS int;
CREATE TABLE t(id int primary key, v dom);
SELECT pglogical.replication_set_add_table('default','t', row_filter := 'v > 5 AND v IN (6, 7)');

CREATE UNLOGGED TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{b}');

CREATE UNLOGGED TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{zz}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{zz}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{zz,id,yy}');

CREATE UNLOGGED TABLE t(id int, b int);
SELECT pglogical.replication_set_add_table('default','t');

CREATE VIEW v AS SELECT 1 AS id;
SELECT pglogical.replication_set_add_table('default_insert_only','v', columns := '{id}');

CREATE TABLE t(id int, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{zz}');

CREATE TABLE t(id int, b int);
SELECT pglogical.replication_set_add_table('default','t', columns := '{b}');

CREATE UNLOGGED TABLE t(id int, b int);
SELECT pglogical.replication_set_add_table('default_insert_only','t');

CREATE TABLE t(id int, b int);
SELECT pglogical.create_replication_set('s', replicate_update := false);
SELECT pglogical.replication_set_add_table('s','t');

CREATE TABLE t(id int, b int);
SELECT pglogical.create_replication_set('s', replicate_delete := false);
SELECT pglogical.replication_set_add_table('s','t');

CREATE TABLE t(id int primary key, b int);
CREATE TABLE k(b int);
SELECT pglogical.create_replication_set('s', replicate_update := false, replicate_delete := false);
SELECT pglogical.replication_set_add_table('s','k');
SELECT pglogical.alter_replication_set('s', replicate_delete := true);

CREATE TABLE k(b int);
SELECT pglogical.replication_set_add_table('default_insert_only','k', columns := '{b}');
ALTER TABLE k ADD PRIMARY KEY (b);
SELECT pglogical.alter_replication_set('default_insert_only', replicate_delete := true);

SELECT pglogical.replication_set_add_table('default', NULL);

SELECT pglogical.alter_replication_set(NULL);

SELECT pglogical.replication_set_add_all_tables('default', '{}');

SELECT pglogical.replication_set_add_all_tables('default');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := NULL, row_filter := NULL);

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', true, NULL, NULL);

SELECT pglogical.create_replication_set('s', 'maybe');

SELECT pglogical.create_replication_set('s', 'o');

SELECT pglogical.create_replication_set('s', '');

SELECT pglogical.create_replication_set('s', 1);

SELECT pglogical.create_replication_set('s', 'fal', 'ye', 'of', '00');

SELECT pglogical.create_replication_set('s', set_name := 'b');

SELECT pglogical.create_replication_set();

SELECT pglogical.create_replication_set(replicate_insert := true);

SELECT pglogical.create_replication_set(1);

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := 'id');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := '{id,}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := '{id');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := '{id} x');

CREATE TABLE t(id int primary key, "b,c" int);
SELECT pglogical.replication_set_add_table('default', 't', columns := '{id,"b,c"}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := '{id,NULL}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := ARRAY['id','b']);

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := ARRAY['id',NULL]);

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := '{}');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', columns := '');

SELECT pglogical.replication_set_add_all_tables('default', 'public');

SELECT pglogical.replication_set_add_all_tables('default', '{Public}');

SELECT pglogical.replication_set_add_all_tables('default', '{"public"}');

SELECT pglogical.replication_set_add_all_tables('default', '{"pub""lic"}');

SELECT pglogical.replication_set_add_all_tables('default', '{pg_catalog}');

SELECT pglogical.replication_set_add_all_tables('default', '{NULL}');

SELECT pglogical.alter_replication_set('default', 'maybe');

SELECT pglogical.alter_replication_set('default');

SELECT pglogical.alter_replication_set('default', NULL, 'no');

SELECT pglogical.drop_replication_set('nothing', 'x');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_remove_table('default');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', relation := 't', set_name := 'x');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table(relation := 't', set_name := 'default');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table(relation := 't', 'default');

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't'::text);

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't'::regclass);

CREATE TABLE t(id int primary key, b int);
SELECT pglogical.replication_set_add_table('default', 't', 'perhaps');

CREATE SEQUENCE numbers;
SELECT pglogical.replication_set_add_table('default_insert_only', 'numbers');

CREATE SEQUENCE numbers;
SELECT pglogical.replication_set_add_table('default', 'numbers');

CREATE TABLE t (a int PRIMARY KEY);
SELECT pglogical.replication_set_add_table('default', 't_pkey');

CREATE TABLE t (a int PRIMARY KEY);
SELECT pglogical.replication_set_add_table('default_insert_only', 't_pkey');

SELECT pglogical.replication_set_add_table('default_insert_only', 'nowhere.t');

CREATE TABLE t (a int PRIMARY KEY);
CREATE MATERIALIZED VIEW m AS SELECT a FROM t;
SELECT pglogical.replication_set_add_table('default_insert_only', 'm');

CREATE TABLE t (a int PRIMARY KEY);
CREATE MATERIALIZED VIEW m AS SELECT a FROM t;
SELECT pglogical.replication_set_add_table('default', 'm');

CREATE TYPE c AS (a int);
SELECT pglogical.replication_set_add_table('default_insert_only', 'c');

CREATE FOREIGN DATA WRAPPER w;
CREATE SERVER s FOREIGN DATA WRAPPER w;
CREATE FOREIGN TABLE ft (a int) SERVER s;
SELECT pglogical.replication_set_add_table('default_insert_only', 'ft');

CREATE FOREIGN DATA WRAPPER w;
CREATE SERVER s FOREIGN DATA WRAPPER w;
CREATE FOREIGN TABLE ft (a int) SERVER s;
SELECT pglogical.replication_set_add_table('default', 'ft');

CREATE FOREIGN DATA WRAPPER w;
CREATE SERVER s FOREIGN DATA WRAPPER w;
CREATE FOREIGN TABLE ft (a int) SERVER s;
SELECT pglogical.replication_set_add_all_tables('default', '{public}');

CREATE TABLE root (a int PRIMARY KEY) PARTITION BY RANGE (a);
SELECT pglogical.replication_set_add_table('default_insert_only', 'root_pkey');

CREATE SEQUENCE n;
SELECT pglogical.replication_set_add_table('nope', 'n');

CREATE SEQUENCE n;
SELECT pglogical.replication_set_add_table('default_insert_only', 'n', columns := '{last_value}');

CREATE TABLE t (a int PRIMARY KEY);
CREATE INDEX i ON t (a);
SELECT pglogical.replication_set_add_table('default_insert_only', 'i', columns := '{zz}');

CREATE TABLE t (id int PRIMARY KEY);
SELECT pglogical.replication_set_add_all_tables('default', '{public,information_schema}');

CREATE TABLE t (id serial PRIMARY KEY);
SELECT pglogical.replication_set_add_table('default_insert_only', 't_id_seq');
