"""From a typed tree to an engine's expression."""
