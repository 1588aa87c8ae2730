
CREATE PUBLICATION p_kinds FOR TABLE kinds WHERE (id % 7 <> 3);
CREATE PUBLICATION p_doc FOR TABLE doc, doc_full WHERE (region = 'eu');
CREATE PUBLICATION p_rest FOR TABLE pairs WHERE (a > 2),
  orders WHERE (amount > 50 AND state <> 'n'), bag WHERE (b <> 'x');
CREATE PUBLICATION p_log FOR TABLE log WHERE (a > 3) WITH (publish = 'insert');
CREATE PUBLICATION p_moves FOR TABLE pairs WITH (publish = 'insert, update, truncate');
CREATE PUBLICATION p_root FOR TABLE tree WHERE (v <> 'x') WITH (publish_via_partition_root);
CREATE PUBLICATION p_leaves FOR TABLE tree1 WHERE (v <> 'x'), tree2;
