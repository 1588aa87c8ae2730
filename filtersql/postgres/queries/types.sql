-- CREATE TYPE and CREATE DOMAIN, each behind those that it is made of. Of a type whose values only
-- its own functions read, an extension's for instance, the name is all there is.
SELECT 'type', format('%I.%I', n.nspname, t.typname), t.oid::bigint,
    CASE WHEN t.typtype = 'd' THEN ARRAY[t.typbasetype::bigint] ELSE '{}' END, '{}'::text[],
    CASE t.typtype
        WHEN 'e' THEN format(
            'CREATE TYPE %I.%I AS ENUM (%s);', n.nspname, t.typname,
            (
                SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder)
                FROM pg_catalog.pg_enum AS e
                WHERE e.enumtypid = t.oid
            )
        )
        WHEN 'd' THEN format(
            'CREATE DOMAIN %I.%I AS %s%s%s;', n.nspname, t.typname,
            format_type(t.typbasetype, t.typtypmod),
            (
                SELECT format(' COLLATE %I.%I', cn.nspname, c.collname)
                FROM pg_catalog.pg_type AS b
                JOIN pg_catalog.pg_collation AS c ON c.oid = t.typcollation
                JOIN pg_catalog.pg_namespace AS cn ON cn.oid = c.collnamespace
                WHERE b.oid = t.typbasetype AND b.typcollation <> t.typcollation
            ),
            CASE WHEN t.typnotnull THEN ' NOT NULL' END
        )
        WHEN 'c' THEN format(
            'CREATE TYPE %I.%I AS (%s);', n.nspname, t.typname,
            (
                SELECT string_agg(
                    format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', '
                    ORDER BY a.attnum
                )
                FROM pg_catalog.pg_attribute AS a
                WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
            )
        )
        WHEN 'r' THEN format(
            'CREATE TYPE %I.%I AS RANGE (subtype = %s, multirange_type_name = %I.%I);',
            n.nspname, t.typname, format_type(r.rngsubtype, NULL), n.nspname, m.typname
        )
        ELSE format('CREATE TYPE %I.%I;', n.nspname, t.typname)
    END
FROM pg_catalog.pg_type AS t
JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_type AS e ON e.typarray = t.oid
LEFT JOIN pg_catalog.pg_class AS c ON c.oid = t.typrelid
LEFT JOIN pg_catalog.pg_range AS r ON r.rngtypid = t.oid
LEFT JOIN pg_catalog.pg_type AS m ON m.oid = r.rngmultitypid
WHERE n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND (
        t.typtype IN ('c', 'd', 'e', 'r')
        OR t.typtype = 'b' AND t.oid IN (
            SELECT coalesce(i.oid, a.atttypid)
            FROM pg_catalog.pg_attribute AS a
            JOIN pg_catalog.pg_class AS u ON u.oid = a.attrelid AND u.relkind IN ('r', 'p', 'f')
            LEFT JOIN pg_catalog.pg_type AS i ON i.typarray = a.atttypid
        )
    )
    AND (t.typrelid = 0 OR c.relkind = 'c')
    AND e.oid IS NULL
ORDER BY n.nspname COLLATE "C", t.typname COLLATE "C"
