-- filtersql: raw
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE kinds (
  id int PRIMARY KEY,
  truth boolean,
  small smallint,
  whole integer,
  large bigint,
  single real,
  wide double precision,
  money2 numeric(10,2),
  short varchar(10),
  padded char(5),
  words text,
  raw bytea,
  day date,
  hour time,
  hour3 time(3),
  moment timestamp,
  moment3 timestamp(3),
  instant timestamptz,
  spell interval,
  token uuid,
  loose json,
  tidy jsonb,
  numbers integer[],
  texts text[],
  days date[],
  feeling mood,
  feelings mood[],
  flags bit(9),
  flag bit(1),
  address inet,
  reach int4range,
  number oid
);
CREATE TABLE doc (id int PRIMARY KEY, region text NOT NULL, body text, tags text[], blob bytea, note jsonb, numbers int[]);
CREATE TABLE doc_full (id int PRIMARY KEY, region text NOT NULL, body text, tags text[], blob bytea, note jsonb, numbers int[]);
CREATE TABLE pairs (a int, b int, c text NOT NULL, PRIMARY KEY (a, b));
CREATE TABLE orders (id int PRIMARY KEY, amount numeric(9,2) NOT NULL, state text);
CREATE TABLE bag (a int, b text);
CREATE TABLE log (a int, b text);
CREATE TABLE tree (k int, id int, v text, PRIMARY KEY (k, id)) PARTITION BY LIST (k);
CREATE TABLE tree1 PARTITION OF tree FOR VALUES IN (1);
CREATE TABLE tree2 PARTITION OF tree FOR VALUES IN (2);
ALTER TABLE doc_full REPLICA IDENTITY FULL;
ALTER TABLE orders REPLICA IDENTITY FULL;
ALTER TABLE bag REPLICA IDENTITY FULL;
ALTER TABLE tree1 REPLICA IDENTITY FULL;
ALTER TABLE tree2 REPLICA IDENTITY FULL;
