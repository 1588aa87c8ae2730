-- Both filters, and the root's is in force. Compile with --no-publish-via-partition-root to see
-- the partition's in its place.
CREATE PUBLICATION p4 FOR TABLE parent WHERE (a < 5), child WHERE (a >= 5)
  WITH (publish_via_partition_root = true);

-- The same table by its partition.
CREATE PUBLICATION p4_leaf FOR TABLE parent, child WHERE (a >= 5)
  WITH (publish_via_partition_root = false);
