-- addresses: inet, cidr

[both]
-- addresses: the key of a text is the family, the network's bits, a blank and the other bits; what
-- is within a network begins with its bits
{quad: text} = {octet: SPLIT_PART({text}, '.', 1)} || {octet: SPLIT_PART({text}, '.', 2)} ||
    {octet: SPLIT_PART({text}, '.', 3)} || {octet: SPLIT_PART({text}, '.', 4)}
{group} = CASE WHEN CONTAINS(e, '.') THEN {quad: e} ELSE {bits_of: e} END
{side: place} = {groups: SPLIT_PART(SPLIT_PART(_1, '/', 1), '::', {place})}
{address_bits} = CASE WHEN CONTAINS(_1, ':') THEN '6' || {side: 1} ||
    REPEAT('0', CAST(128 - LENGTH({side: 1}) - LENGTH({side: 2}) AS INT)) || {side: 2}
    ELSE '4' || {quad: SPLIT_PART(_1, '/', 1)} END
{mask_length} = CAST(SPLIT_PART(_1, '/', 2) AS INT)
.inet .cidr = CASE WHEN CONTAINS(_1, '/') THEN LEFT({address_bits}, {mask_length} + 1) || ' ' ||
    SUBSTRING({address_bits}, {mask_length} + 2) ELSE {address_bits} || ' ' END
.inet_host = SPLIT_PART(_1, '/', 1)
.inet_text = CASE WHEN CONTAINS(_1, '/') THEN _1 WHEN CONTAINS(_1, ':') THEN _1 || '/128'
    ELSE _1 || '/32' END
{within: inner; outer} = {starts}(REPLACE({inner}, ' ', ''), SPLIT_PART({outer}, ' ', 1))
{inside: inner; outer; sign} = {within: {inner}; {outer}} AND
    INSTR({inner}, ' ') {sign} INSTR({outer}, ' ')
network_sub = {inside: _1; _2; >}
network_subeq = {inside: _1; _2; >=}
network_sup = {inside: _2; _1; >}
network_supeq = {inside: _2; _1; >=}
network_overlap = {within: _1; _2} OR {within: _2; _1}
family(inet) = CAST(LEFT(_1, 1) AS INT)
masklen(inet) = CAST((INSTR(_1, ' ') - 2) AS INT)
{network_bits: sign} = REPEAT('{sign}', CAST((INSTR(_1, ' ') - 2) AS INT))
{host_bits: sign} = REPEAT('{sign}', CAST(LENGTH(SPLIT_PART(_1, ' ', 2)) AS INT))
network(inet) cidr(inet) = SPLIT_PART(_1, ' ', 1) || ' ' || {host_bits: 0}
broadcast(inet) = SPLIT_PART(_1, ' ', 1) || ' ' || {host_bits: 1}
netmask(inet) = LEFT(_1, 1) || {network_bits: 1} || {host_bits: 0} || ' '
hostmask(inet) = LEFT(_1, 1) || {network_bits: 0} || {host_bits: 1} || ' '
inet_same_family = LEFT(_1, 1) = LEFT(_2, 1)
inetnot = LEFT(_1, 1) || TRANSLATE(SUBSTRING(_1, 2), '01', '10')
{bare: key} = REPLACE(SUBSTRING({key}, 2), ' ', '')
{with_mask: behind} = CASE WHEN _1 IS NULL THEN NULL WHEN _2 = -1 THEN REPLACE(_1, ' ', '') || ' '
    WHEN _2 NOT BETWEEN 0 AND (LENGTH(_1) - 2) THEN {error}('invalid mask length')
    ELSE LEFT(_1, 1) || LEFT({bare: _1}, _2) || ' ' || {behind} END
set_masklen(inet,int4) = {with_mask: SUBSTRING({bare: _1}, _2 + 1)}
set_masklen(cidr,int4) = {with_mask: REPEAT('0', CAST((LENGTH(_1) - 2) - _2 AS INT))}
-- sums: the bits become a number, or two of 64 bits each, and the sum becomes bits again
{spaced: bits; size} = LEFT({bits}, {size}) || ' ' || SUBSTRING({bits}, {size} + 1)
{where_known: result} = CASE WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN {result} END
{carry} = CASE WHEN n6 < 0 THEN -1 WHEN n6 >= 18446744073709551616 THEN 1 ELSE 0 END
{high_sum} = {number_of: LEFT({bare: a6}, 64)} + {carry}
{low_sum} = n6 - ({carry}) * CAST('18446744073709551616' AS DECIMAL(38, 0))
{short_sum: count} = {let: {number_of: {bare: a6}} + {count}; n4; CASE
    WHEN n4 BETWEEN 0 AND 4294967295 THEN {bits: n4; 32} ELSE {error}('result is out of range') END}
{long_sum: count} = {let: {number_of: SUBSTRING({bare: a6}, 65)} + {count}; n6; CASE
    WHEN {high_sum} BETWEEN 0 AND 18446744073709551615
    THEN {bits: ({high_sum}); 64} || {bits: ({low_sum}); 64}
    ELSE {error}('result is out of range') END}
{moved: address; count} = {where_known: {let: {address}; a6; LEFT(a6, 1) || {let: CASE
    WHEN LEFT(a6, 1) = '4' THEN {short_sum: {count}} ELSE {long_sum: {count}} END; sum_;
    {spaced: sum_; CAST(INSTR(a6, ' ') - 2 AS INT)}}}}
inetpl = {moved: _1; CAST(_2 AS DECIMAL(38, 0))}
int8pl_inet = {moved: _2; CAST(_1 AS DECIMAL(38, 0))}
-- in C, the least bigint is its own negative
inetmi_int8 = {moved: _1; (CASE WHEN CAST(_2 AS DECIMAL(38, 0)) = -9223372036854775808 THEN 1
    ELSE -1 END * CAST(_2 AS DECIMAL(19, 0)))}
{of_both: message; result} = {where_known: {let: {pair}; ab; CASE
    WHEN LEFT({of_pair: 1}, 1) <> LEFT({of_pair: 2}, 1) THEN {message} {result} END}}
{first_bits} = {bare: {of_pair: 1}}
{second_bits} = {bare: {of_pair: 2}}
{high_difference} = {number_of: LEFT({first_bits}, 64)} - {number_of: LEFT({second_bits}, 64)}
{low_difference} = {number_of: SUBSTRING({first_bits}, 65)} -
    {number_of: SUBSTRING({second_bits}, 65)}
-- what is farther than one from zero is no bigint, whatever the lower half is
inetmi = {of_both: CAST({error}('cannot subtract inet values of different sizes') AS BIGINT);
    WHEN LEFT({of_pair: 1}, 1) = '4'
    THEN CAST({number_of: {first_bits}} - {number_of: {second_bits}} AS BIGINT) ELSE CASE
    WHEN ABS({high_difference}) > 1 THEN CAST({error}('result is out of range') AS BIGINT)
    ELSE CAST(CAST(({high_difference}) AS DECIMAL(3, 0)) *
    CAST('18446744073709551616' AS DECIMAL(20, 0)) + ({low_difference}) AS BIGINT) END}
-- the smallest network that has both in it: as many bits as they begin with alike
{alike} = {alike_bits: CAST(LEAST(INSTR({of_pair: 1}, ' '), INSTR({of_pair: 2}, ' ')) - 2 AS INT);
    LEFT({first_bits}, i) = LEFT({second_bits}, i)}
inet_merge = {of_both: {error}('cannot merge addresses from different families');
    ELSE {let: {alike}; n4; LEFT({of_pair: 1}, 1) || LEFT({first_bits}, n4) || ' ' ||
    REPEAT('0', CAST(LENGTH({first_bits}) - n4 AS INT))}}
{bitwise: test; sign} = {of_both: {error}('cannot combine inet values of different sizes');
    ELSE LEFT({of_pair: 1}, 1) || {let: {each_bit: {first_bits}; {second_bits}; {test};
    CAST({first_bits} AS BIT) {sign} CAST({second_bits} AS BIT)}; both_; {spaced: both_;
    CAST(GREATEST(INSTR({of_pair: 1}, ' '), INSTR({of_pair: 2}, ' ')) - 2 AS INT)}}}
{first_is_set} = SUBSTRING({first_bits}, i, 1) = '1'
{second_is_set} = SUBSTRING({second_bits}, i, 1) = '1'
inetand = {bitwise: {first_is_set} AND {second_is_set}; &}
inetor = {bitwise: {first_is_set} OR {second_is_set}; |}

[spark]
-- addresses
{octet: number} = LPAD(CONV({number}, 10, 2), 8, '0')
{bits_of: group} = LPAD(CONV({group}, 16, 2), 16, '0')
{groups: text} = ARRAY_JOIN(TRANSFORM(FILTER(SPLIT({text}, ':'), e -> e <> ''), e -> {group}), '')
{number_of: bits} = CAST(CONV({bits}, 2, 10) AS DECIMAL(38, 0))
{bits: number; size} = LPAD(CONV(CAST({number} AS STRING), 10, 2), {size}, '0')
{alike_bits: size; test} = CASE WHEN {size} > 0
    THEN SIZE(FILTER(SEQUENCE(1, {size}), i -> {test})) ELSE 0 END
{each_bit: first; second; test; native} = ARRAY_JOIN(TRANSFORM(SEQUENCE(1, LENGTH({first})),
    i -> CASE WHEN {test} THEN '1' ELSE '0' END), '')
{as_number: bits} = CAST(CONV({bits}, 2, 10) AS DECIMAL(20, 0))

[duckdb]
-- addresses
{octet: number} = FORMAT('{:08b}', CAST({number} AS INT))
{bits_of: group} = FORMAT('{:016b}', CAST('0x' || NULLIF({group}, '') AS INT))
{groups: text} = ARRAY_TO_STRING([{group} FOR e IN STRING_SPLIT({text}, ':') IF e <> ''], '')
{number_of: bits} = CAST(CAST('0b' || {bits} AS HUGEINT) AS DECIMAL(38, 0))
{bits: number; size} = LPAD(BIN(CAST({number} AS UHUGEINT)), {size}, '0')
{alike_bits: size; test} = CAST(LENGTH([i FOR i IN RANGE(1, {size} + 1) IF {test}]) AS INT)
{each_bit: first; second; test; native} = CAST({native} AS TEXT)
{as_number: bits} = CAST('0b' || {bits} AS HUGEINT)
