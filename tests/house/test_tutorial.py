"""What the tutorial says of PostgreSQL, asked of one."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
import yaml
from cases import read_fences
from servers import Server

import filtersql

pytestmark = pytest.mark.postgres
PAGE = Path(filtersql.__file__).parent / "docs" / "tutorial.md"
FILES = {fence.words[1]: fence.text for fence in read_fences(PAGE) if fence.words[:1] == ("write",)}


def test_postgres_refuses_the_update_that_the_tutorial_says(postgres: Server) -> None:
    """The dump is one, the filter can be published, and an UPDATE needs the replica identity."""
    (publication,) = yaml.safe_load(FILES["publications/shop.yml"])["publications"]
    (table,) = publication["tables"]
    update = "UPDATE public.orders SET status = 'paid'"
    with postgres.connect(postgres.create_database()) as connection:
        connection.autocommit = True
        connection.execute(FILES["schema.sql"])
        connection.execute("SET search_path = public")
        connection.execute(
            f"CREATE PUBLICATION europe FOR TABLE {table['name']} WHERE ({table['where']})"
        )
        connection.execute("INSERT INTO orders VALUES (1, 'eu')")
        with pytest.raises(psycopg.errors.InvalidColumnReference, match='cannot update table "ord'):
            connection.execute(update)
        connection.execute(FILES["tables/schema_identity.sql"])
        assert connection.execute(update).rowcount == 1
