"""Room filters/engines."""
