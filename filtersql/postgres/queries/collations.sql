-- CREATE COLLATION: a column may have it
SELECT 'collation', format('%I.%I', n.nspname, c.collname), c.oid::bigint, '{}'::bigint[], '{}'::text[],
    format(
        'CREATE COLLATION %I.%I (provider = %s, %s, deterministic = %s);',
        n.nspname, c.collname,
        CASE c.collprovider WHEN 'i' THEN 'icu' WHEN 'b' THEN 'builtin' ELSE 'libc' END,
        CASE
            WHEN c.collprovider = 'c'
                THEN format('lc_collate = %L, lc_ctype = %L', c.collcollate, c.collctype)
            ELSE format(
                'locale = %L', coalesce(to_jsonb(c) ->> 'colllocale', to_jsonb(c) ->> 'colliculocale')
            )
        END,
        CASE WHEN c.collisdeterministic THEN 'true' ELSE 'false' END
    )
FROM pg_catalog.pg_collation AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.collnamespace
WHERE n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
ORDER BY n.nspname COLLATE "C", c.collname COLLATE "C"
