"""Room targets."""
