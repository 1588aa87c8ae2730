-- replication sets of this node, with the tables in them
SELECT CASE WHEN item.turn = 0 THEN 'replication set' ELSE 'member' END,
    concat(quote_ident(item.member), ' of replication set ', quote_ident(item.set_name)),
    item.turn::bigint, '{}'::bigint[],
    ARRAY[item.member, format('replication set %I', item.set_name)], item.text
FROM (
    SELECT s.set_name, 0 AS turn, s.set_name AS member,
        format(
            'SELECT pglogical.%s_replication_set(set_name := %L, replicate_insert := %s, '
            'replicate_update := %s, replicate_delete := %s, replicate_truncate := %s);',
            CASE WHEN d.set_name IS NULL THEN 'create' ELSE 'alter' END, s.set_name,
            s.replicate_insert::text, s.replicate_update::text, s.replicate_delete::text,
            s.replicate_truncate::text
        ) AS text
    FROM pglogical.replication_set AS s
    JOIN pglogical.local_node AS l ON l.node_id = s.set_nodeid
    LEFT JOIN (
        VALUES ('default', true, true, true, true),
            ('default_insert_only', true, false, false, true),
            ('ddl_sql', true, false, false, false)
    ) AS d (set_name, inserts, updates, deletes, truncates) ON d.set_name = s.set_name
    WHERE (d.inserts, d.updates, d.deletes, d.truncates) IS DISTINCT FROM
        (s.replicate_insert, s.replicate_update, s.replicate_delete, s.replicate_truncate)
    UNION ALL
    SELECT s.set_name, 1, format('%I.%I', n.nspname, c.relname),
        format(
            'SELECT pglogical.replication_set_add_table(set_name := %L, relation := %L%s%s);',
            s.set_name, format('%I.%I', n.nspname, c.relname),
            ', columns := ' || quote_literal(t.set_att_list::text),
            ', row_filter := ' || quote_literal(pg_get_expr(t.set_row_filter, t.set_reloid))
        )
    FROM pglogical.replication_set_table AS t
    JOIN pglogical.replication_set AS s ON s.set_id = t.set_id
    JOIN pglogical.local_node AS l ON l.node_id = s.set_nodeid
    JOIN pg_catalog.pg_class AS c ON c.oid = t.set_reloid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
) AS item
ORDER BY item.set_name COLLATE "C", item.turn, item.member COLLATE "C"
