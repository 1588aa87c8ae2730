"""TRANSFORMED: what each change does to the target."""

from filtersql.changes.images import Images, images, may_be_out_of_line
from filtersql.changes.judging import Arm, Criterion, Judgements, judgements
from filtersql.changes.keys import Form, row_form, row_key
from filtersql.changes.telling import untold
from filtersql.changes.transitions import TRANSITIONS, Effect

__all__ = [
    "TRANSITIONS",
    "Arm",
    "Criterion",
    "Effect",
    "Form",
    "Images",
    "Judgements",
    "images",
    "judgements",
    "may_be_out_of_line",
    "row_form",
    "row_key",
    "untold",
]
