-- The published tables, in PostgreSQL's own DDL. A pg_dump --schema-only file would do as well.
CREATE TABLE t1 (a int, b int, c text, PRIMARY KEY (a, c));
CREATE TABLE t2 (d int, e int, f int, PRIMARY KEY (d));
CREATE TABLE t3 (g int, h int, i int, PRIMARY KEY (g));

CREATE TABLE parent (a int PRIMARY KEY) PARTITION BY RANGE (a);
CREATE TABLE child PARTITION OF parent DEFAULT;
