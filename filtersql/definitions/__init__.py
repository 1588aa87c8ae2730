"""Room definitions."""
