-- CREATE TABLE with columns, primary key and unique constraints. A table behind its parents, and
-- behind those whose rows are values of a column. An extension's table is there where a
-- publication may hold it.
SELECT
    CASE
        WHEN c.relkind = 'f' THEN 'foreign table'
        WHEN c.relpersistence = 'u' THEN 'unlogged table'
        ELSE 'table'
    END,
    format('%I.%I', n.nspname, c.relname), c.reltype::bigint,
    coalesce(columns.types, '{}') || coalesce(parents.types, '{}'), '{}'::text[],
    format(
        E'CREATE %sTABLE %I.%I (%s%s\n)%s%s%s;',
        CASE WHEN c.relkind = 'f' THEN 'FOREIGN ' WHEN c.relpersistence = 'u' THEN 'UNLOGGED ' END,
        n.nspname, c.relname, columns.text,
        CASE WHEN columns.text IS NULL THEN substr(keys.text, 2) ELSE keys.text END,
        ' INHERITS (' || parents.text || ')', ' PARTITION BY ' || pg_get_partkeydef(c.oid),
        (
            SELECT format(' SERVER %I', s.srvname)
            FROM pg_catalog.pg_foreign_table AS f
            JOIN pg_catalog.pg_foreign_server AS s ON s.oid = f.ftserver
            WHERE f.ftrelid = c.oid
        )
    )
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN (
    SELECT a.attrelid,
        string_agg(
            format(
                E'\n    %I %s%s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                CASE
                    WHEN a.attcollation <> t.typcollation
                        THEN format(' COLLATE %I.%I', n.nspname, o.collname)
                END,
                CASE
                    WHEN a.attidentity <> '' AND NOT c.relispartition
                        THEN format(
                            ' GENERATED %s AS IDENTITY',
                            CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END
                        )
                END,
                CASE
                    WHEN a.attgenerated <> ''
                        THEN format(
                            ' GENERATED ALWAYS AS (%s)%s', pg_get_expr(d.adbin, d.adrelid),
                            CASE WHEN a.attgenerated = 's' THEN ' STORED' ELSE ' VIRTUAL' END
                        )
                END,
                CASE WHEN a.attnotnull THEN ' NOT NULL' END
            ),
            ',' ORDER BY a.attnum
        ) AS text,
        array_agg(coalesce(e.oid, a.atttypid)::bigint) AS types
    FROM pg_catalog.pg_attribute AS a
    JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
    JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_type AS e ON e.typarray = a.atttypid
    LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_catalog.pg_collation AS o ON o.oid = a.attcollation
    LEFT JOIN pg_catalog.pg_namespace AS n ON n.oid = o.collnamespace
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'f')
        -- an heir has generated columns from its parent
        AND (a.attgenerated = '' OR a.attislocal OR c.relispartition)
    GROUP BY a.attrelid
) AS columns ON columns.attrelid = c.oid
LEFT JOIN (
    SELECT k.conrelid,
        string_agg(
            format(E',\n    CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)), ''
            ORDER BY k.contype, k.conname COLLATE "C"
        ) AS text
    FROM pg_catalog.pg_constraint AS k
    WHERE k.contype IN ('p', 'u')
    GROUP BY k.conrelid
) AS keys ON keys.conrelid = c.oid
LEFT JOIN (
    SELECT i.inhrelid, array_agg(p.reltype::bigint) AS types,
        string_agg(format('%I.%I', n.nspname, p.relname), ', ' ORDER BY i.inhseqno) AS text
    FROM pg_catalog.pg_inherits AS i
    JOIN pg_catalog.pg_class AS p ON p.oid = i.inhparent
    JOIN pg_catalog.pg_namespace AS n ON n.oid = p.relnamespace
    WHERE p.relkind IN ('r', 'f')
    GROUP BY i.inhrelid
) AS parents ON parents.inhrelid = c.oid
WHERE c.relkind IN ('r', 'p', 'f') AND c.relpersistence <> 't'
    AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND (
        NOT EXISTS (
            SELECT FROM pg_catalog.pg_depend AS d
            WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid
                AND d.deptype = 'e'
        )
        OR EXISTS (SELECT FROM pg_catalog.pg_publication AS p WHERE p.puballtables)
        OR EXISTS (SELECT FROM pg_catalog.pg_publication_rel AS p WHERE p.prrelid = c.oid)
        OR EXISTS (SELECT FROM pg_catalog.pg_publication_namespace AS p WHERE p.pnnspid = n.oid)
    )
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
