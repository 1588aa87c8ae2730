-- CREATE SCHEMA: of users, not of extensions
SELECT 'schema', n.nspname::text, n.oid::bigint, '{}'::bigint[], '{}'::text[],
    format('CREATE SCHEMA %I;', n.nspname)
FROM pg_catalog.pg_namespace AS n
WHERE n.nspname <> 'public' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend AS d
        WHERE d.classid = 'pg_catalog.pg_namespace'::regclass AND d.objid = n.oid
            AND d.deptype = 'e'
    )
ORDER BY n.nspname COLLATE "C"
