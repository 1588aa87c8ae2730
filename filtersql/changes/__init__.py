"""Room changes."""
