"""`python -m filtersql` is the console script."""

from filtersql.cli import main

main()
