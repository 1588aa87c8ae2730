"""Room rendering."""
