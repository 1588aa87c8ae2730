-- foreign keys; a partition has its root's
SELECT 'foreign key', format('%I on %I.%I', k.conname, n.nspname, c.relname), k.oid::bigint,
    '{}'::bigint[],
    ARRAY[format('%I.%I', n.nspname, c.relname), format('%I.%I', rn.nspname, r.relname)],
    format(
        'ALTER TABLE %I.%I ADD CONSTRAINT %I %s;', n.nspname, c.relname, k.conname,
        pg_get_constraintdef(k.oid)
    )
FROM pg_catalog.pg_constraint AS k
JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_class AS r ON r.oid = k.confrelid
JOIN pg_catalog.pg_namespace AS rn ON rn.oid = r.relnamespace
WHERE k.contype = 'f' AND k.conparentid = 0 AND c.relpersistence <> 't'
    AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend AS d
        WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    )
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C", k.conname COLLATE "C"
