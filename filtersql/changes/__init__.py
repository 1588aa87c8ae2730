"""TRANSFORMED: what each change does to the target."""

from filtersql.changes.images import Images, images, may_be_out_of_line
from filtersql.changes.judging import Arm, Criterion, Judgements, judgements, stopping
from filtersql.changes.key_texts import Texts, texts_of
from filtersql.changes.keys import Form, row_form, row_key
from filtersql.changes.telling import by_target, lacks_old_rows, one_table, untold
from filtersql.changes.transitions import TRANSITIONS, Effect

__all__ = [
    "TRANSITIONS",
    "Arm",
    "Criterion",
    "Effect",
    "Form",
    "Images",
    "Judgements",
    "Texts",
    "by_target",
    "images",
    "judgements",
    "lacks_old_rows",
    "may_be_out_of_line",
    "one_table",
    "row_form",
    "row_key",
    "stopping",
    "texts_of",
    "untold",
]
