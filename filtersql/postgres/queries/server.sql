-- what the project file says of a database: its version and collation
SELECT current_setting('server_version_num')::int / 10000,
    to_jsonb(d) ->> 'datlocprovider',
    d.datcollate,
    d.datctype,
    coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale'),
    -- NULL: it is not there; false: the role may not look into it
    (
        SELECT has_schema_privilege(oid, 'USAGE')
        FROM pg_catalog.pg_namespace
        WHERE nspname = 'pglogical'
    ),
    (SELECT has_schema_privilege(oid, 'USAGE') FROM pg_catalog.pg_namespace WHERE nspname = 'bdr')
FROM pg_catalog.pg_database AS d
WHERE d.datname = current_database()
