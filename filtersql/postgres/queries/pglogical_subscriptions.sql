-- subscriptions of this node; its provider's connection string is not asked for
SELECT 'subscription', quote_ident(s.sub_name), s.sub_id::bigint, '{}'::bigint[], '{}'::text[],
    format(
        'SELECT pglogical.create_subscription(subscription_name := %L, provider_dsn := %L, '
        'replication_sets := %L, forward_origins := %L);',
        s.sub_name, '', s.sub_replication_sets::text, coalesce(s.sub_forward_origins::text, '{}')
    )
FROM pglogical.subscription AS s
ORDER BY s.sub_name COLLATE "C"
