-- The published table, in PostgreSQL's own DDL. A pg_dump --schema-only file would do as well.
CREATE TABLE orders (id int PRIMARY KEY, region text NOT NULL, status text NOT NULL, total numeric(10, 2));

-- The filters read more than the key, so the log has to hold whole old rows.
ALTER TABLE orders REPLICA IDENTITY FULL;
