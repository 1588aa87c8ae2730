-- Bob Jenkins' lookup3: three words of 32 bits, mixed for each twelve bytes and once more at the
-- end. A step changes one word by the next and passes the roles on, so a mix is a fold over its six
-- rotations and the end one over its seven.

[both]
{rotated: word} = (({left: {word}; {turn}} & 4294967295) | {right: {word}; 32 - {turn}})
-- the words a, c, b after `mix`
{mixed: words} = {fold: {mix_turns}; {words}; s, k; {list: {third: s},
    {xor: (({first: s} - {second: s}) & 4294967295); {rotated: {second: s}}},
    ({second: s} + {third: s}) & 4294967295}}
-- of the words c, b, a: the second is c after `final`, the third is b
{ended: words} = {fold: {end_turns}; {words}; s, k; {list: {third: s},
    ({xor: {first: s}; {second: s}} - {rotated: {second: s}}) & 4294967295, {second: s}}}
-- the words a, c, b at the beginning of an extended hash
{seeded: begin; typed} = CASE WHEN _2 = 0 THEN {list: {typed}, {typed}, {typed}} ELSE {mixed: {list:
    ({begin} + ({right: _2; 32} & 4294967295)) & 4294967295, {typed},
    ({begin} + (_2 & 4294967295)) & 4294967295}} END
{signed: words} = CAST((({second: {words}} + 2147483648) & 4294967295) - 2147483648 AS INT)
-- the words b and c as a bigint: asked through a fold, to have both of one computation
{signed_pair: words} = {first: {fold: {list: {words}}; {list: CAST(0 AS BIGINT)}; u, v;
    {list: (((({third: v} + 2147483648) & 4294967295) - 2147483648) * 4294967296 + {second: v})}}}
{plain: words} = CASE WHEN _1 IS NOT NULL THEN {signed: {words}} END
{extended: words} = CASE WHEN _1 IS NOT NULL AND _2 IS NOT NULL THEN {signed_pair: {words}} END

-- of one word
{of_word: word} = {plain: {ended: {list: CAST(2658358868 AS BIGINT), CAST(2658358868 AS BIGINT),
    (2658358868 + {word}) & 4294967295}}}
{of_word_seeded: word} = {extended: {fold: {list: {list: {word}}};
    {seeded: 2658358868; CAST(2658358868 AS BIGINT)}; t, w; {ended: {list: {second: t}, {third: t},
    ({first: t} + {first: w}) & 4294967295}}}}
{whole} = (CAST(_1 AS BIGINT) & 4294967295)
{high} = ({right: CAST(_1 AS BIGINT); 32} & 4294967295)
-- a bigint that an integer could hold hashes as that integer does
{folded} = {xor: {whole}; (CASE WHEN _1 >= 0 THEN {high} ELSE 4294967295 - {high} END)}
{truth} = (CASE WHEN _1 THEN 1 ELSE 0 END)
hashint2 hashint4 = {of_word: {whole}}
hashint8 = {of_word: {folded}}
hashbool = {of_word: {truth}}
hashint2extended hashint4extended = {of_word_seeded: {whole}}
hashint8extended = {of_word_seeded: {folded}}
hashboolextended = {of_word_seeded: {truth}}

-- A fold over pieces of twelve bytes, the last of which is shorter, maybe empty. Of each piece the
-- words a, c, b, little-endian, and 1 where it is whole; the lowest byte of the last c belongs to
-- the length.
{byte: piece; place} = SUBSTRING({piece}, {place}, 2)
{four: piece; a; b; c; d} = {hex_of_four: {byte: {piece}; {a}}; {byte: {piece}; {b}};
    {byte: {piece}; {c}}; {byte: {piece}; {d}}}
{words_of: piece} = {list: {four: {piece}; 7; 5; 3; 1},
    CASE WHEN {length: {piece}} = 24 THEN {four: {piece}; 23; 21; 19; 17}
    ELSE {hex_of_three: {byte: {piece}; 21}; {byte: {piece}; 19}; {byte: {piece}; 17}} * 256 END,
    {four: {piece}; 15; 13; 11; 9}, CASE WHEN {length: {piece}} = 24 THEN 1 ELSE 0 END}
{a} = ({first: t} + {first: w}) & 4294967295
{c} = ({second: t} + {second: w}) & 4294967295
{b} = ({third: t} + {third: w}) & 4294967295
{of_pieces: digits; length; start} = {fold: {pieces: {digits}; {length}}; {start}; t, w;
    CASE WHEN {fourth: w} = 1 THEN {mixed: {list: {a}, {c}, {b}}}
    ELSE {ended: {list: {c}, {b}, {a}}} END}
{begin: length} = ((2658358864 + {length}) & 4294967295)
{of_bytes: digits; length} = {plain: {of_pieces: {digits}; {length};
    {list: {begin: {length}}, {begin: {length}}, {begin: {length}}}}}
{of_bytes_seeded: digits; length} = {extended: {of_pieces: {digits}; {length};
    {seeded: {begin: {length}}; {begin: {length}}}}}
{uuid_digits} = UPPER(REPLACE(CAST(_1 AS STRING), '-', ''))
hashtext = {of_bytes: {digits: _1}; {size: _1}}
hashtextextended = {of_bytes_seeded: {digits: _1}; {size: _1}}
hashbpchar = {of_bytes: {digits: {trimmed}}; {size: {trimmed}}}
hashbpcharextended = {of_bytes_seeded: {digits: {trimmed}}; {size: {trimmed}}}
hashbytea = {of_bytes: HEX(_1); OCTET_LENGTH(_1)}
hashbyteaextended = {of_bytes_seeded: HEX(_1); OCTET_LENGTH(_1)}
uuid_hash = {of_bytes: {uuid_digits}; 16}
uuid_hash_extended = {of_bytes_seeded: {uuid_digits}; 16}

[spark]
{list: items} = ARRAY({items})
{first: list} = {list}[0]
{second: list} = {list}[1]
{third: list} = {list}[2]
{fourth: list} = {list}[3]
{fold: items; start; names; step} = AGGREGATE({items}, {start}, ({names}) -> {step})
{mix_turns} = ARRAY(4, 6, 8, 16, 19, 4)
{end_turns} = ARRAY(14, 11, 25, 16, 4, 14, 24)
{turn} = k
{xor: one; other} = ({one} ^ {other})
{left: word; by} = SHIFTLEFT({word}, {by})
{right: word; by} = SHIFTRIGHT({word}, {by})
{hex_of_four: a; b; c; d} = CAST(CONV(CONCAT('0', {a}, {b}, {c}, {d}), 16, 10) AS BIGINT)
{hex_of_three: a; b; c} = CAST(CONV(CONCAT('0', {a}, {b}, {c}), 16, 10) AS BIGINT)
{pieces: digits; length} = TRANSFORM(SEQUENCE(0, CAST(FLOOR({length} / 12) AS INT)),
    i -> {words_of: SUBSTRING({digits}, 24 * i + 1, 24)})
{digits: text} = HEX(ENCODE({text}, 'UTF-8'))
{size: text} = OCTET_LENGTH({text})
{trimmed} = RTRIM(_1)

[duckdb]
{list: items} = [{items}]
{first: list} = {list}[1]
{second: list} = {list}[2]
{third: list} = {list}[3]
{fourth: list} = {list}[4]
{fold: items; start; names; step} = LIST_REDUCE({items}, ({names}) -> {step}, {start})
{by: turn} = [CAST({turn} AS BIGINT)]
{mix_turns} = [{by: 4}, {by: 6}, {by: 8}, {by: 16}, {by: 19}, {by: 4}]
{end_turns} = [{by: 14}, {by: 11}, {by: 25}, {by: 16}, {by: 4}, {by: 14}, {by: 24}]
{turn} = k[1]
{xor: one; other} = XOR({one}, {other})
{left: word; by} = ({word} << ({by}))
{right: word; by} = ({word} >> ({by}))
{hex_of_four: a; b; c; d} = CAST('0x0' || {a} || {b} || {c} || {d} AS BIGINT)
{hex_of_three: a; b; c} = CAST('0x0' || {a} || {b} || {c} AS BIGINT)
{pieces: digits; length} = LIST_TRANSFORM(RANGE(0, {length} // 12 + 1),
    i -> {words_of: SUBSTRING({digits}, CAST(24 * i + 1 AS BIGINT), 24)})
{digits: text} = HEX({text})
{size: text} = STRLEN({text})
{trimmed} = RTRIM(_1, ' ')
