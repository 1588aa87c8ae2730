"""How each family of functions is written: one module a family."""
