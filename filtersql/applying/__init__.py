"""Room applying."""
