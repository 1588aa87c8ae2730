"""filtersql from Python: a project, its commands as methods, what they print as records."""
