r"""SQL scripts: several statements that cost one round trip, and settings that end with them.

Example
    >>> print(script("CACHE TABLE s AS SELECT 1", "SELECT * FROM s LIMIT 0"))
    BEGIN
    CACHE TABLE s AS SELECT 1
    ;
    SELECT * FROM s LIMIT 0
    ;
    END

    >>> print(setting("spark.sql.ansi.enabled", "it's `x`"))
    SET `spark.sql.ansi.enabled` = `it's ``x```
    >>> print(immediately(setting("a", "it's")))
    EXECUTE IMMEDIATE 'SET `a` = `it\'s`'

Spark
    SqlScriptingExecution: the result of a script is that of its last query; a command such as MERGE
    or SET gives none. SET and RESET of a setting with any name have to be executed immediately.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from filtersql.targets.statements import quoted, set_to

__all__ = ["immediately", "resetting", "script", "setting", "under"]


def script(*statements: str) -> str:
    """The statements as one. Each ends on a line of its own: its last line may be a comment."""
    return "\n".join(["BEGIN", *(f"{_bare(one)}\n;" for one in statements), "END"])


def setting(name: str, value: str) -> str:
    """A statement that sets a session's setting, whatever stands in its value."""
    return set_to(name, exp.to_identifier(value, quoted=True), "spark")


def resetting(name: str) -> str:
    """A statement that gives a setting the value that the server has for it."""
    return f"RESET {quoted(name, 'spark')}"


def immediately(statement: str) -> str:
    """A statement as a script takes it where it cannot stand by itself."""
    return f"EXECUTE IMMEDIATE {exp.convert(statement).sql('spark')}"


def under(settings: Mapping[str, str], all_names: Iterable[str], statement: str) -> list[str]:
    """A statement between its settings and their end: they would silence or stamp any other."""
    before = [immediately(setting(name, value)) for name, value in settings.items()]
    return [*before, statement, *(immediately(resetting(name)) for name in all_names)]


def _bare(statement: str) -> str:
    return statement.rstrip().rstrip(";").rstrip()
