r"""Regular expressions: PostgreSQL's, as those of the engines that match the same texts.

Example
    ===================== ======================================
    PostgreSQL            both engines
    ===================== ======================================
    `s ~ 'a.b$'`          (?s)a.b\z   (`.` matches a new line)
    `s ~* 'ab'`           (?s)[Aa][Bb]
    `s SIMILAR TO 'a%'`   (?s)\A(?:a.*)\z
    ===================== ======================================

    `regex_syntax` reads a pattern, `regex_printing` writes it. Classes (`\w`, `[[:alpha:]]`) are
    those of ASCII; a text that matches in some locales only raises.

PostgreSQL
    regexp.c, similar_escape_internal() and RE_compile_and_execute().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.engines.templates import operand
from filtersql.filters.tree import locales
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write.rules import regex_columns
from filtersql.filters.write.rules.regex_printing import written
from filtersql.filters.write.rules.regex_syntax import parsed
from filtersql.filters.write.rules.regex_trees import Anchor, Join, Look, Regex, Untranslatable
from filtersql.filters.write.rules.regex_trees import Node as Tree
from filtersql.filters.write.writer import Rule, Writer

__all__ = [
    "MATCHES",
    "RULES",
    "constant_text",
    "doubtful",
    "guarded",
    "match",
    "matches",
    "options_at",
    "parsed_for",
    "similar",
    "similar_parts",
]  # fmt: skip

#: function name: (ignores case, negated)
MATCHES = {
    "textregexeq": (False, False), "textregexne": (False, True),
    "texticregexeq": (True, False), "texticregexne": (True, True),
    "bpcharregexeq": (False, False), "bpcharregexne": (False, True),
    "bpcharicregexeq": (True, False), "bpcharicregexne": (True, True),
}  # fmt: skip
#: functions with a pattern, and where their options stand; -1: that hangs on their number
PATTERNS = {
    "regexp_like": 2, "regexp_replace": -1, "regexp_count": 3, "regexp_instr": 5,
    "regexp_substr": 4, "regexp_match": 2, "regexp_split_to_array": 2, "substring": 9,
}  # fmt: skip
_DOUBT = "PostgreSQL's locale providers do not agree on a character in this value"
_MUST = "The pattern must be a constant."


def match(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """`~`, `!~`, `~*`, `!~*`, SIMILAR TO."""
    ignore_case, negated = MATCHES[node.function.name]
    if regex_columns.of_column(args[1]):
        test = regex_columns.matches(writer, args[0], args[1], ignore_case)
        return writer.filled("NOT _1", test) if negated else test
    try:
        text = constant_text(args[1])
        if text is None:
            return writer.typed(None, "bool")
        test = _matches_everywhere(writer, node, text, "i" if ignore_case else "", args[0])
    except Untranslatable as problem:
        raise writer.refused(node, str(problem)) from None
    return writer.filled("NOT _1", test) if negated else test


def _matches_everywhere(
    writer: Writer, node: Func | Op, text: str, flags: str, subject: Node
) -> exp.Expr:
    """Whether the subject matches in every locale, or in none; else the row raises."""
    regex = parsed_for(node, text, flags)
    if not regex.doubts:
        return matches(writer, regex, subject)
    least, most = (parsed(text, flags, wide=wide) for wide in (False, True))
    if most.doubts:  # where words begin, behind a negation
        return guarded(writer, regex, subject, matches(writer, regex, subject), "BOOLEAN")
    broad = matches(writer, most, subject)
    if least.doubts:  # a word may begin elsewhere
        test = matches(writer, regex, subject)
        other = writer.piece(".matches", writer.put(subject), "|".join(regex.doubts))
    else:
        test = matches(writer, least, subject)
        other = exp.Not(this=operand(test))
    broken = writer.raised(_DOUBT, "BOOLEAN")
    return writer.case([(writer.filled("_1 AND _2", broad, other), broken)], test)


def parsed_for(node: Func | Op, pattern: str, flags: str = "") -> Regex:
    """The tree of a pattern under the collation of what asks for it; raises Untranslatable."""
    collation = node.input_collation
    known, own = locales.ascii_only(collation), locales.of_its_own(collation)
    return parsed(pattern, flags, ascii_only=known, own_case=own)


def matches(writer: Writer, regex: Regex, subject: Node) -> exp.Expr:
    """Whether the text has a match."""
    tests = []
    for tree, negated in _parts(regex.tree):
        pattern = f"(?s){written(tree, writer.engine)}"
        test = writer.piece(".matches", writer.put(subject), pattern)
        tests.append(exp.Not(this=test) if negated else test)
    return exp.and_(*tests, copy=False)


def _parts(tree: Tree) -> list[tuple[Tree, bool]]:
    """What is looked at from the beginning of the text, each on its own: `^(?!a)b`."""
    match tree:
        case Join((Anchor("^"), Look(ahead=True) as look, *rest)):
            here = Anchor("^")
            return [
                (Join((here, look.item)), look.negated),
                *_parts(Join((here, *rest))),
            ]
    return [(tree, False)]


def guarded(
    writer: Writer, regex: Regex, subject: Node, result: exp.Expr, sql_type: str
) -> exp.Expr:
    """The result, but a row whose text holds a character of doubt raises."""
    if not regex.doubts:
        return result
    doubt = writer.piece(".matches", writer.put(subject), "|".join(regex.doubts))
    broken = writer.raised(_DOUBT, sql_type)
    return writer.case([(doubt, broken)], result)


def doubtful(node: Op | Func) -> bool:
    """Whether the pattern has a class of which locale providers may differ for some text."""
    name = node.function.name
    if name in MATCHES:
        flags: str | None = "i" if MATCHES[name][0] else ""
    elif name in PATTERNS and len(node.args) > 1 and node.args[1].type == "text":
        flags = _flags(node)
    else:
        return False
    try:
        text = constant_text(node.args[1])
        if text is None or flags is None:
            return False
        return bool(parsed_for(node, text, flags).doubts)
    except Untranslatable:
        return False


def _flags(node: Op | Func) -> str | None:
    place = options_at(node)
    if place == len(node.args):
        return ""
    known = fold(node.args[place])
    return str(known.value) if known is not None and known.value is not None else None


def options_at(node: Op | Func) -> int:
    """The place of the options in a call; behind its last argument where it has none."""
    count = len(node.args)
    place = PATTERNS[node.function.name]
    if place < 0:
        place = count - 1 if count in (4, 6) else count
    return place if place < count and node.args[place].type == "text" else count


def constant_text(pattern: Node) -> str | None:
    """The regular expression that a constant pattern is; None for NULL."""
    pattern = bare(pattern)
    if isinstance(pattern, Func) and pattern.function.name == "similar_to_escape":
        parts = [fold(arg) for arg in pattern.args]
        if any(part is None for part in parts):
            raise Untranslatable(_MUST)
        texts = [part.value for part in parts if part is not None]
        if None in texts:
            return None
        return similar(str(texts[0]), str(texts[1]) if len(texts) > 1 else "\\")
    constant = fold(pattern)
    if constant is None:
        raise Untranslatable(_MUST)
    return None if constant.value is None else str(constant.value)


def similar(pattern: str, escape: str) -> str:
    """A SIMILAR TO pattern as PostgreSQL turns it into a regular expression."""
    parts = similar_parts(pattern, escape)
    if len(parts) > 1:
        raise Untranslatable("The pattern has parts that only substring() may have.")
    return f"^(?:{parts[0]})$"


def similar_parts(pattern: str, escape: str) -> list[str]:
    """The regular expressions between the quotes behind an escape, of which there may be two."""
    if len(escape) > 1:
        raise Untranslatable("The escape must be one character or empty.")
    parts, found, place = list[str](), "", 0
    depth, seen = 0, 0  # brackets that are open, and signs since the outermost one, up to three
    while place < len(pattern):
        sign = pattern[place]
        place += 1
        if escape and sign == escape:
            if place == len(pattern):
                raise Untranslatable("The pattern ends with its escape character.")
            if pattern[place] == '"' and not depth:
                parts.append(found)
                found = ""
            else:
                # whatever it is: PostgreSQL leaves classes, anchors and groups to the expression
                found += f"\\{pattern[place]}"
                seen = 3
            place += 1
        elif depth:
            found += f"\\{sign}" if sign == "\\" else sign
            depth, seen = _in_brackets(sign, depth, seen)
        elif sign == "[":
            found, depth, seen = found + sign, 1, 1
        else:
            found += {"%": ".*", "_": ".", "(": "(?:"}.get(
                sign, f"\\{sign}" if sign in ".^$\\" else sign
            )
    return [*parts, found]


def _in_brackets(sign: str, depth: int, seen: int) -> tuple[int, int]:
    """How many brackets are open behind a sign inside of some: `[]` and `[^]` do not end there."""
    if sign == "]" and seen > 2:
        return depth - 1, seen
    if sign == "^":
        return depth, seen + 1
    return (depth + 1 if sign == "[" else depth), 3


RULES: dict[str, Rule] = dict.fromkeys(MATCHES, match)
