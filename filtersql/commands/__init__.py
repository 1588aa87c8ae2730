"""Room commands."""
