-- CREATE UNIQUE INDEX, where it is a replica identity and no constraint's
SELECT 'index', format('%I.%I', n.nspname, c.relname), i.indexrelid::bigint, '{}'::bigint[],
    ARRAY[format('%I.%I', tn.nspname, t.relname)],
    pg_get_indexdef(i.indexrelid) || ';'
FROM pg_catalog.pg_index AS i
JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_class AS t ON t.oid = i.indrelid
JOIN pg_catalog.pg_namespace AS tn ON tn.oid = t.relnamespace
WHERE i.indisreplident AND c.relpersistence <> 't'
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint AS k WHERE k.conindid = i.indexrelid)
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
