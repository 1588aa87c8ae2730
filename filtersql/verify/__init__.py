"""PROVED: unit tests of a project, and every cell of the semantics against a slow model."""
