"""WRITTEN: YAML and PostgreSQL's DDL, read into frozen records."""
