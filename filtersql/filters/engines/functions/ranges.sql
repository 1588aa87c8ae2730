-- Comparisons of two ranges, and what is made of both. a: _1 its text, _2 whether it is empty, _3 and _4 its bounds,
-- _5 and _6 whether each belongs to it; b: _7 to _12. rangetypes.c: range_cmp_bounds(), range_contains_internal(),
-- range_adjacent_internal(), range_before_internal(), range_intersect_internal(), range_union_internal(),
-- range_minus_internal(). range_cmp(): an empty range is before all others.
[both]
{known: test} = CASE WHEN _1 IS NOT NULL AND _7 IS NOT NULL THEN {test} END
-- a bound is before the other one (or at it); where both are the same value, whether each belongs to its range decides
{before: x; y; unbounded; same} = ({unbounded} OR ({x} IS NOT NULL AND {y} IS NOT NULL AND ({x} < {y} OR ({x} = {y} AND {same}))))
{lower_until: x; xi; y; yi} = {before: {x}; {y}; {x} IS NULL; ({xi} OR NOT {yi})}
{lower_below: x; xi; y; yi} = {before: {x}; {y}; {x} IS NULL AND {y} IS NOT NULL; NOT {yi} AND {xi}}
{upper_until: x; xi; y; yi} = {before: {x}; {y}; {y} IS NULL; ({yi} OR NOT {xi})}
{upper_below: x; xi; y; yi} = {before: {x}; {y}; {y} IS NULL AND {x} IS NOT NULL; NOT {xi} AND {yi}}
{a_begins_first} = {lower_until: _3; _5; _9; _11}
{b_begins_first} = {lower_until: _9; _11; _3; _5}
{a_ends_first} = {upper_until: _4; _6; _10; _12}
{b_ends_first} = {upper_until: _10; _12; _4; _6}
-- a lower bound is not behind an upper one
{reaches: l; li; u; ui} = ({l} IS NULL OR {u} IS NULL OR {l} < {u} OR ({l} = {u} AND {li} AND {ui}))
{a_reaches_b} = {reaches: _3; _5; _10; _12}
{b_reaches_a} = {reaches: _9; _11; _4; _6}
{overlap} = NOT _2 AND NOT _8 AND {a_reaches_b} AND {b_reaches_a}
-- an upper and a lower bound leave nothing between them, and share nothing
{touches: u; ui; l; li} = COALESCE({u} = {l} AND ({ui} AND NOT {li} OR {li} AND NOT {ui}), FALSE)
{adjacent} = NOT _2 AND NOT _8 AND ({touches: _4; _6; _9; _11} OR {touches: _10; _12; _3; _5})
{a_holds_b} = (_8 OR (NOT _2 AND {a_begins_first} AND {b_ends_first}))
{b_holds_a} = (_2 OR (NOT _8 AND {b_begins_first} AND {a_ends_first}))
{equal} = ({a_holds_b} AND {b_holds_a})
{a_less} = ((NOT _8 AND _2) OR (NOT _2 AND NOT _8 AND ({lower_below: _3; _5; _9; _11} OR
  (NOT {lower_below: _9; _11; _3; _5} AND {upper_below: _4; _6; _10; _12}))))
{b_less} = ((NOT _2 AND _8) OR (NOT _8 AND NOT _2 AND ({lower_below: _9; _11; _3; _5} OR
  (NOT {lower_below: _3; _5; _9; _11} AND {upper_below: _10; _12; _4; _6}))))
.range_eq = {known: {equal}}
.range_ne = {known: NOT {equal}}
.range_lt = {known: {a_less}}
.range_gt = {known: {b_less}}
.range_le = {known: NOT {b_less}}
.range_ge = {known: NOT {a_less}}
.range_overlaps = {known: {overlap}}
.range_contains = {known: {a_holds_b}}
.range_contained_by = {known: {b_holds_a}}
.range_before = {known: NOT _2 AND NOT _8 AND NOT {b_reaches_a}}
.range_after = {known: NOT _8 AND NOT _2 AND NOT {a_reaches_b}}
.range_overleft = {known: NOT _2 AND NOT _8 AND {a_ends_first}}
.range_overright = {known: NOT _2 AND NOT _8 AND {b_begins_first}}
.range_adjacent = {known: {adjacent}}
-- the same of one range, of its parts _1 to _6
.isempty = _2
.lower_inc = _5
.upper_inc = _6
.lower_inf = CASE WHEN _1 IS NOT NULL THEN NOT _2 AND _3 IS NULL END
.upper_inf = CASE WHEN _1 IS NOT NULL THEN NOT _2 AND _4 IS NULL END
-- a range and a value _7
.range_holds = {known: NOT _2 AND (_3 IS NULL OR _3 < _7 OR (_3 = _7 AND _5)) AND (_4 IS NULL OR _4 > _7 OR (_4 = _7 AND _6))}
-- a bracket and the lower bound, and the upper bound and a bracket; _13 raises
{head: range} = SPLIT_PART({range}, ',', 1)
{tail: range} = SPLIT_PART({range}, ',', 2)
{around} = CASE WHEN {a_begins_first} THEN {head: _1} ELSE {head: _7} END || ',' ||
  CASE WHEN {a_ends_first} THEN {tail: _7} ELSE {tail: _1} END
{unknown} = WHEN _1 IS NULL OR _7 IS NULL THEN NULL
.range_intersect = CASE {unknown} WHEN {overlap} THEN CASE WHEN {a_begins_first} THEN {head: _7} ELSE {head: _1} END || ',' ||
  CASE WHEN {a_ends_first} THEN {tail: _1} ELSE {tail: _7} END ELSE 'empty' END
.range_merge = CASE {unknown} WHEN _2 THEN _7 WHEN _8 THEN _1 ELSE {around} END
.range_union = CASE {unknown} WHEN _2 THEN _7 WHEN _8 THEN _1 WHEN NOT ({overlap}) AND NOT ({adjacent}) THEN _13 ELSE {around} END
-- the lower bound of b as an upper one, and the other way round
.range_minus = CASE {unknown} WHEN _2 OR _8 OR NOT ({overlap}) THEN _1
  WHEN {lower_below: _3; _5; _9; _11} AND {upper_below: _10; _12; _4; _6} THEN _13
  WHEN {b_begins_first} AND {a_ends_first} THEN 'empty'
  WHEN {a_ends_first} THEN {head: _1} || ',' || SUBSTRING({head: _7}, 2) || CASE WHEN _11 THEN ')' ELSE ']' END
  ELSE CASE WHEN _12 THEN '(' ELSE '[' END || LEFT({tail: _7}, LENGTH({tail: _7}) - 1) || ',' || {tail: _1} END
