"""Keys that PostgreSQL holds to be equal and prints in several ways.

Example
    ================= ======================== =====================================
    type              equal, as it prints them what is compared
    ================= ======================== =====================================
    numeric           1.0  1.00                the digits, without zeros at the end
    citext            Abc  abc                 small letters
    bpchar            'a'  'a '                without blanks at the end
    interval, jsonb   24:00:00  1 day          nothing: such a key is refused
    numeric(10, 2)    1.00                     one text: rows are found by it
    ================= ======================== =====================================

Targets find rows by the text. As long as a source calls a row by the text that it wrote, as
PostgreSQL does, that is the same; `run.key_texts` looks.
"""

from __future__ import annotations

from enum import StrEnum

from filtersql.catalog import PgType

__all__ = ["Texts", "texts_of"]


class Texts(StrEnum):
    """How equal values of a type are printed."""

    ONE = "one"
    #: zeros after the decimal point
    ZEROS = "zeros"
    #: blanks at the end
    BLANKS = "blanks"
    #: capital letters
    LETTERS = "letters"
    #: in ways that are not compared here
    SEVERAL = "several"


_SEVERAL = frozenset({"interval", "jsonb", "numrange", "nummultirange", "seg", "cube"})
#: what has one text by itself, but not in an array: there a zero keeps its sign
_SIGNED = frozenset({"float4", "float8"})


def texts_of(pg_type: PgType) -> Texts:
    """How equal values of the type are printed.

    >>> texts_of(PgType("numeric")).value, texts_of(PgType("numeric", 655366)).value
    ('zeros', 'one')
    """
    if pg_type.base is not None:
        return texts_of(pg_type.base)
    name = pg_type.name.removeprefix("_")
    if name == "numeric" and pg_type.typmod < 0:
        texts = Texts.ZEROS
    elif name == "bpchar" and pg_type.length is None and pg_type.typmod < 0:
        texts = Texts.BLANKS
    elif name == "citext":
        texts = Texts.LETTERS
    elif name in _SEVERAL or (name in _SIGNED and name != pg_type.name):
        texts = Texts.SEVERAL
    else:
        return Texts.ONE
    return texts if name == pg_type.name else Texts.SEVERAL
