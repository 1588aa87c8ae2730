-- replication sets of BDR 3.7, as its manual describes the two views
SELECT CASE WHEN item.turn = 0 THEN 'replication set' ELSE 'member' END,
    concat(quote_ident(item.member), ' of replication set ', quote_ident(item.set_name)),
    item.turn::bigint, '{}'::bigint[],
    ARRAY[item.member, format('replication set %I', item.set_name)], item.text
FROM (
    SELECT s.set_name::text, 0 AS turn, s.set_name::text AS member,
        format(
            'SELECT bdr.create_replication_set(set_name := %L, replicate_insert := %s, '
            'replicate_update := %s, replicate_delete := %s, replicate_truncate := %s, '
            'autoadd_tables := %s, autoadd_existing := false);',
            s.set_name, s.replicate_insert::text, s.replicate_update::text,
            s.replicate_delete::text, s.replicate_truncate::text, s.set_autoadd_tables::text
        ) AS text
    FROM bdr.replication_sets AS s
    UNION ALL
    SELECT t.set_name::text, 1, format('%I.%I', t.nspname, t.relname),
        format(
            'SELECT bdr.replication_set_add_table(relation := %L, set_name := %L%s);',
            format('%I.%I', t.nspname, t.relname), t.set_name,
            ', row_filter := ' || quote_literal(t.row_filter::text)
        )
    FROM bdr.tables AS t
) AS item
ORDER BY item.set_name COLLATE "C", item.turn, item.member COLLATE "C"
