-- CREATE PUBLICATION with its parameters; its members are added behind it
SELECT 'publication', format('%I', p.pubname), p.oid::bigint, '{}'::bigint[], '{}'::text[],
    format(
        E'CREATE PUBLICATION %I%s WITH (publish = %L%s%s);\nALTER PUBLICATION %I OWNER TO %I;',
        p.pubname,
        CASE WHEN p.puballtables THEN ' FOR ALL TABLES' END,
        concat_ws(
            ', ', CASE WHEN p.pubinsert THEN 'insert' END, CASE WHEN p.pubupdate THEN 'update' END,
            CASE WHEN p.pubdelete THEN 'delete' END, CASE WHEN p.pubtruncate THEN 'truncate' END
        ),
        CASE WHEN p.pubviaroot THEN ', publish_via_partition_root = true' END,
        CASE
            WHEN to_jsonb(p) ->> 'pubgencols' IN ('s', 'true')
                THEN ', publish_generated_columns = stored'
        END,
        p.pubname, pg_get_userbyid(p.pubowner)
    )
FROM pg_catalog.pg_publication AS p
ORDER BY p.pubname COLLATE "C"
