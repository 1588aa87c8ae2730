"""Room proving."""
