-- ATTACH PARTITION: a partition has its columns in its own order
SELECT 'partition', format('%I.%I', n.nspname, c.relname), c.oid::bigint, '{}'::bigint[],
    ARRAY[format('%I.%I', n.nspname, c.relname), format('%I.%I', pn.nspname, p.relname)],
    format(
        'ALTER TABLE ONLY %I.%I ATTACH PARTITION %I.%I %s;', pn.nspname, p.relname,
        n.nspname, c.relname, pg_get_expr(c.relpartbound, c.oid)
    )
FROM pg_catalog.pg_inherits AS i
JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_class AS p ON p.oid = i.inhparent
JOIN pg_catalog.pg_namespace AS pn ON pn.oid = p.relnamespace
WHERE c.relispartition AND c.relkind IN ('r', 'p', 'f') AND c.relpersistence <> 't'
    AND NOT i.inhdetachpending
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
