-- CREATE SUBSCRIPTION of a subscriber; its connection string is not asked for
SELECT 'subscription', format('%I', s.subname), s.oid::bigint, '{}'::bigint[], '{}'::text[],
    format(
        E'CREATE SUBSCRIPTION %I CONNECTION %L PUBLICATION %s WITH (connect = false%s);%s',
        s.subname, '',
        (SELECT string_agg(quote_ident(p), ', ' ORDER BY p) FROM unnest(s.subpublications) AS p),
        ', origin = ' || nullif(
            -- the subscription's own since PostgreSQL 16, before it the outer one
            (SELECT suborigin FROM pg_catalog.pg_subscription AS o WHERE o.oid = s.oid), 'any'
        ),
        CASE WHEN s.subenabled THEN format(E'\nALTER SUBSCRIPTION %I ENABLE;', s.subname) END
    )
FROM pg_catalog.pg_subscription AS s
CROSS JOIN (SELECT 'any'::text AS suborigin) AS before_16
WHERE s.subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
ORDER BY s.subname COLLATE "C"
