"""What a run must know of the macros' parts (WITH), and files that would replace a macro amiss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, TemplateSyntaxError, nodes

from filtersql.changes import Form
from filtersql.errors import Mistake
from filtersql.errors.compiling import MACRO_MOVED, MACRO_REPLACED

__all__ = ["COSTLY_PARTS", "MOVING_PARTS", "amiss"]

#: parts of `merge_source` that it names more than once and `conflicts` names, too
COSTLY_PARTS = {
    Form.KEYED_SKIPPING: ("changed", "applied"),
    Form.KEYED_KEEPING: ("changed", "found_under_key"),
}
#: of these the one that has rows only where a change moves a row to another key, and the part
#: before it that shows such changes as `left` and `arrived`
MOVING_PARTS = {
    Form.KEYED_SKIPPING: ("moved", "changed"),
    Form.KEYED_KEEPING: ("verdicts", "changed"),
}
#: a macro, and those whose place it took
_TOOK = {
    "audit": "audit_keyless",
    "changes": "truncated",
    "conflicts_found": "met met_append met_found met_keeping met_keyless met_keyless_skipping"
    " met_skipping conflicts_append conflicts_by_row_found conflicts_keeping conflicts_keyed"
    " conflicts_keyless conflicts_keyless_skipping conflicts_skipping",
    "copies": "copies_beside copies_emptied copies_held copies_listed merge_source_keyless"
    " merge_source_keyless_skipping",
    "counting": "counting_before counting_columns counting_effect counting_frame counting_kept"
    " counting_net counting_only_last counting_rows",
    "events": "emptied events_held present_row side_row under_changed_keys",
    "keeping": "events_keeping",
    "merge": "merge_keyless",
    "merge_source": "completing_source completing_source_keeping merge_source_append",
    "missed": "events_keyless_skipping",
    "net": "merge_source_keeping merge_source_skipping merge_source_unchanged net_effect net_known"
    " net_row",
    "not_skipped": "not_skipped_keeping taken taken_keeping",
    "sides": "copy_steps moved_case moved_effect side_columns side_key",
    "skipping": "events_skipping",
}


def amiss(folder: Path, package: Path) -> Iterator[Mistake]:
    """The files in a project's folder of macros that would replace nothing, or by nothing."""
    places = {name: macro for macro, earlier in _TOOK.items() for name in earlier.split()}
    for path in sorted(folder.glob("*.sql")):
        if path.stem in places:
            yield MACRO_MOVED(None, name=path.stem, macro=places[path.stem])
        elif _prints(package / path.name) and _prints(path) is False:
            yield MACRO_REPLACED(None, name=path.stem)


def _prints(path: Path) -> bool | None:
    """Whether a template prints more than blanks by itself; None: nobody can tell."""
    try:
        body = Environment().parse(path.read_text(encoding="utf-8")).body
    except (TemplateSyntaxError, UnicodeError, OSError):
        return None
    texts = [part for node in body if isinstance(node, nodes.Output) for part in node.nodes]
    blank = all(isinstance(part, nodes.TemplateData) and not part.data.strip() for part in texts)
    quiet = (nodes.Output, nodes.Macro, nodes.Assign, nodes.Import, nodes.FromImport)
    return not (blank and all(isinstance(node, quiet) for node in body))
