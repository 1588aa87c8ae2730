"""A filter whose like was resolved for another table is what it would be without that."""

from __future__ import annotations

import pytest
from filter_corpus import families, table
from msgspec.structs import replace

from filtersql.catalog import Generated, Table
from filtersql.errors import Mistake
from filtersql.filters import resolve
from filtersql.filters.model import Filter
from filtersql.filters.resolve.resolution_cache import Alike
from filtersql.names import RelationName
from filtersql.source import Passage, Source

FIRST = replace(table(), name=RelationName("public", "first_of_two"))
SECOND = replace(table(), name=RelationName("public", 'The "second"'))
#: filters that name their table, in all spellings, or its row
NAMING = (
    "first_of_two.i4 > 5",
    "FIRST_OF_TWO.i4 > 5",
    "public.first_of_two.i4 > 5",
    'U&"first\\005fof\\005ftwo".i4 > 5',
    '"The ""second""".i4 > 5',
    '"The ""second""" IS NOT NULL',
    "first_of_two IS NOT NULL",
    "first_of_two.* IS NOT NULL",
    "count(*) > 1",
    "no_column > 5",
    "ctid IS NOT NULL",
)


def told(text: str, known: Table, alike: Alike | None, path: str) -> Filter | str:
    """The filter, or its refusal in all words."""
    source = Source(path, f"  where: {text}")
    try:
        return resolve(Passage(text, source, (0,), (9,)), known, alike=alike)
    except Mistake as mistake:
        return str(mistake)


def test_nothing_of_another_table_shows() -> None:
    """Trees, places, warnings and refusals of two tables with the same columns, in turn."""
    alike = Alike()
    texts = [text for family in families().values() for text in family[::25]]
    shared = 0
    for text in (*texts, *NAMING):
        made = {}
        for known in (FIRST, SECOND, FIRST):
            path = f"{known.name.name}.yml"
            made[path] = told(text, known, alike, path)
            # by their texts: a NaN in a tree is not equal to itself
            assert repr(made[path]) == repr(told(text, known, None, path)), text
        one, other = made.values()
        both = isinstance(one, Filter) and isinstance(other, Filter)
        shared += both and one.tree is other.tree  # type: ignore[union-attr]

    assert shared > 100


@pytest.mark.parametrize("of_i4", [{"not_null": True}, {"target_type": "decimal(9,0)"}, {}])
def test_columns_decide(of_i4: dict[str, object]) -> None:
    """A tree is shared where the columns are the same, and by no virtual one."""
    columns = tuple(
        replace(one, **of_i4) if one.name == "i4" else one  # type: ignore[arg-type]
        for one in table().columns
    )
    generated = replace(columns[0], generated=Generated.VIRTUAL, generation=PASSAGE)
    other, virtual = (
        replace(SECOND, columns=columns),
        replace(SECOND, columns=(generated, *columns[1:])),
    )
    alike = Alike()
    one, two, three = (told("i4 > 5", known, alike, "p.yml") for known in (FIRST, other, virtual))

    assert isinstance(one, Filter)
    assert isinstance(two, Filter)
    assert isinstance(three, Filter)
    assert (one.tree is two.tree) == (not of_i4)
    assert three.tree is not two.tree


PASSAGE = Passage("j2", Source("t.yml", "j2"))
