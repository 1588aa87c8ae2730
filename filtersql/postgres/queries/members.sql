-- tables and schemas of publications, with column lists and row filters
SELECT 'member', format('%I of publication %I', member.name, p.pubname), p.oid::bigint,
    '{}'::bigint[],
    ARRAY[member.made, format('publication %I', p.pubname)],
    format('ALTER PUBLICATION %I ADD %s;', p.pubname, member.text)
FROM pg_catalog.pg_publication AS p
JOIN (
    SELECT r.prpubid AS publication, 0 AS turn, n.nspname AS schema, c.relname AS name,
        format('%I.%I', n.nspname, c.relname) AS made,
        format(
            'TABLE ONLY %I.%I%s%s', n.nspname, c.relname,
            (
                SELECT format(' (%s)', string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum))
                FROM pg_catalog.pg_attribute AS a
                WHERE a.attrelid = r.prrelid AND a.attnum = ANY (r.prattrs::int2[])
                HAVING count(*) > 0
            ),
            ' WHERE (' || pg_get_expr(r.prqual, r.prrelid) || ')'
        ) AS text
    FROM pg_catalog.pg_publication_rel AS r
    JOIN pg_catalog.pg_class AS c ON c.oid = r.prrelid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    UNION ALL
    SELECT s.pnpubid, 1, n.nspname, n.nspname, format('schema %I', n.nspname),
        format('TABLES IN SCHEMA %I', n.nspname)
    FROM pg_catalog.pg_publication_namespace AS s
    JOIN pg_catalog.pg_namespace AS n ON n.oid = s.pnnspid
) AS member ON member.publication = p.oid
ORDER BY p.pubname COLLATE "C", member.turn, member.schema COLLATE "C", member.name COLLATE "C"
