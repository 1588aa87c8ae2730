"""ENGINE: how each engine is spoken to, and how a position is committed with the data."""
