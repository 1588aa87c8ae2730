-- A fold over the halves of the bytes. The lower half of a byte is taken first, and a table of
-- sixteen words says what four bits do to the rest.

[both]
-- of the digits of byte after byte, the second of each comes first
{digit} = SUBSTRING(HEX(_1), CAST(i + 2 - 2 * (i % 2) AS INT), 1)
{checksum: table} = CASE WHEN OCTET_LENGTH(_1) = 0 THEN CAST(0 AS BIGINT)
    WHEN NOT _1 IS NULL THEN {folded: {table}} END
{w: number} = CAST({number} AS BIGINT)
crc32 = {checksum: {w: 0}, {w: 498536548}, {w: 997073096}, {w: 651767980}, {w: 1994146192}, {w:
    1802195444}, {w: 1303535960}, {w: 1342533948}, {w: 3988292384}, {w: 4027552580}, {w:
    3604390888}, {w: 3412177804}, {w: 2607071920}, {w: 2262029012}, {w: 2685067896}, {w:
    3183342108}}
crc32c = {checksum: {w: 0}, {w: 274646895}, {w: 549293790}, {w: 820201905}, {w: 1098587580}, {w:
    1361435347}, {w: 1640403810}, {w: 1905808397}, {w: 2197175160}, {w: 2460548119}, {w:
    2722870694}, {w: 2987750089}, {w: 3280807620}, {w: 3553878443}, {w: 3811616794}, {w:
    4084100981}}

[spark]
{folded: table} = AGGREGATE(SEQUENCE(0, 2 * OCTET_LENGTH(_1) - 1), CAST(4294967295 AS BIGINT),
    (s, i) -> SHIFTRIGHT(s, 4) ^
    ARRAY({table})[CAST((s & 15) ^ LOCATE({digit}, '123456789ABCDEF') AS INT)]) ^ 4294967295

[duckdb]
{folded: table} = XOR(LIST_REDUCE(LIST_TRANSFORM(RANGE(0, 2 * OCTET_LENGTH(_1)),
    i -> CAST(INSTR('123456789ABCDEF', {digit}) AS BIGINT)),
    (s, k) -> XOR(s >> 4, LIST_EXTRACT([{table}], XOR(s & 15, k) + 1)),
    CAST(4294967295 AS BIGINT)), 4294967295)
