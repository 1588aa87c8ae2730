"""Room publications."""
