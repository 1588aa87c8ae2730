"""Room feeds."""
