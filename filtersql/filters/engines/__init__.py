"""How a function is written for Spark and for DuckDB, where one text says it."""
