-- replica identities that are not the default; one of an index that is gone is nothing
SELECT 'replica identity', format('%I.%I', n.nspname, c.relname), c.oid::bigint, '{}'::bigint[],
    ARRAY[format('%I.%I', n.nspname, c.relname)],
    format(
        'ALTER TABLE ONLY %I.%I REPLICA IDENTITY %s;', n.nspname, c.relname,
        CASE
            WHEN c.relreplident = 'f' THEN 'FULL'
            ELSE coalesce('USING INDEX ' || quote_ident(x.relname), 'NOTHING')
        END
    )
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_index AS i
    ON i.indrelid = c.oid AND i.indisreplident AND c.relreplident = 'i'
LEFT JOIN pg_catalog.pg_class AS x ON x.oid = i.indexrelid
WHERE c.relkind IN ('r', 'p') AND c.relreplident <> 'd' AND c.relpersistence <> 't'
    AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
