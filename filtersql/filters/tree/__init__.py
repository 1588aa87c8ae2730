"""The typed tree of a row filter, and what is said of it."""
