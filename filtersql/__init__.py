"""filtersql compiles PostgreSQL's row filters to MERGE statements and runs them."""

__all__ = ["__version__"]

__version__ = "0.1.0"
