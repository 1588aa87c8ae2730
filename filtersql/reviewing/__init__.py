"""Room reviewing."""
