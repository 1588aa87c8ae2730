"""A running PostgreSQL: what defines its replication, and the changes that it sends."""
