"""The words that are quoted where they are names: what any reader of the SQL might take for more.

Example
    is_plain("total")    True: `total` means the same with and without quotes
    is_plain("date")     False: a keyword
    is_plain("Total")    False: PostgreSQL prints it in quotes, too

Spark and DuckDB find a name by its letters whatever their case and keep the case in which it is
written, so quotes change nothing about a name of letters, digits and underscores but this: that it
is no keyword. The list is the union of Spark's (`sql_keywords()`), DuckDB's (`duckdb_keywords()`),
sqlglot's for both, and sqlfluff's for Spark; tests/rendering/test_compiled_text.py compares.
"""

from __future__ import annotations

import re

__all__ = ["KEYWORDS", "is_plain"]

_WORD = re.compile(r"[a-z_][a-z0-9_]*\Z", re.ASCII)

KEYWORDS = frozenset(
    """
abort abs absolute access account accounts action ada add admin after aggregate alias all
allocate also alter always analyse analyze and anti any any_value apply approx archive are array
as asc asensitive asof assertion assignment asymmetric at atomic attach attribute attributes
audit authorization auto_increment autoincrement avg avg_row_length avro backup backward before
begin bernoulli between bigdecimal bigint bignum bignumeric binary binding bit bit_length
bitstring bitvar blob bool boolean both bpchar breadth break browse bucket buckets bulk by byte
bytea cache call called cardinality cascade cascaded case cast catalog catalog_name catalogs
ceil ceiling centuries century chain change changes char char_length character character_length
character_set_catalog character_set_name character_set_schema characteristics characters check
checked checkpoint checksum choices class class_origin clear clob close cluster clustered
coalesce cobol codegen collate collation collation_catalog collation_name collation_schema
collect collection column column_name columns command_function command_function_code comment
comments commit committed compact compactions compensation completion compress compression
compute concatenate concurrently condition condition_number configuration conflict connect
connect_by_root connection connection_name constraint constraint_catalog constraint_name
constraint_schema constraints constructor contains containstable content continue conversion
convert copy corr corresponding cost count covar_pop covar_samp create createdb createrole
createuser cross csv cube cume_dist current current_catalog current_date
current_default_transform_group current_path current_role current_schema current_time
current_timestamp current_transform_group_for_type current_user cursor cursor_name cycle data
database databases date date_add date_diff date_hour dateadd datediff datemultirange daterange
datetime datetime_interval_code datetime_interval_precision day day_hour day_microsecond
day_minute day_second dayofmonth dayofweek dayofyear days dbcc dbproperties deallocate dec
decade decades decfloat decimal decimal128 decimal256 decimal32 decimal64 declare default
defaults deferrable deferred defined definer degree delay delay_key_write delayed delete deletes
delimited delimiter delimiters delta dense_rank deny depends depth deref derived desc describe
descriptor destroy destructor detach detail deterministic dfs diagnostics dictionary directories
directory disable discard disconnect disk dispatch distance distinct distinctrow distribute
distributed div do document domain double drop dropdown dry dummy dump dynamic dynamic_function
dynamic_function_code each element else elseif enable enclosed encoding encrypted end enforced
enum equals errlvl error escape escaped event every evolution exact except exception exchange
exclude excluding exclusive exec execute execution existing exists exit exp expect explain
export export_state extend extended extension extensions external extract fail false family
fetch field fields file fileformat fillfactor filter final first fixed float float4 float8 floor
flow flush following for force foreign format formatted fortran forward found free freetext
freetexttable freeze from full fulltext function functions fusion future g general generate
generated geography geometry get glob global go goto grant granted grants greatest group
grouping grouping_id groups handler having header heap hierarchy high_priority history hold
holdlock host hosts hour hour_microsecond hour_minute hour_second hours hugeint iceberg
identified identifier identity identity_insert identitycol if ignore ilike immediate immutable
implementation implicit import imported in include including increment index indexes indicator
inet infile infix inherit inherits initial initialize initially inline inner inout inpath input
inputformat insensitive insert insert_id install instance instantiable instead int int1 int128
int16 int2 int256 int3 int32 int4 int4multirange int4range int64 int8 int8multirange int8range
integer integration integrations intersect intersection interval into invoker is isam isnull
isolation items iterate jdbc join json jsonb k keep key key_member key_type keys kill label
lambda lancompiler language large last last_insert_id lateral lazy leading leakproof least leave
left length less level like limit lineno lines list listen live ln load local locally localtime
localtimestamp location locator lock locked locks logged logical login logs long longblob
longtext longvarchar loop low_priority lower m macro manage map mapping masking match matched
materialized max max_rows maxextents maxvalue mediumblob mediumint mediumtext member merge
message_length message_octet_length message_text method microsecond microseconds middleint
millennia millennium millisecond milliseconds min min_rows minus minute minute_microsecond
minute_second minutes minvalue ml mlslabel mod mode model modifies modify module monitor month
monthname months more move msck multiset mumps myisam name names namespace namespaces nan
nanosecond nanoseconds national natural nchar nclob nearest nesting new next no
no_write_to_binlog noaudit nocache nocheck nocompress nocreatedb nocreaterole nocreateuser
nocycle noinherit nologin nonclustered none noorder norely normalize normalized nosuperuser not
nothing notify notnull nowait null nullable nullif nulls number numeric nummultirange numrange
nvarchar nvarchar2 object objects octet_length octets of off offline offset offsets oids old on
online only open opendatasource openquery openrowset openxml operate operation operator optimize
option optionally options or orc order ordered ordering ordinality others out outer outfile
output outputformat over overlaps overlay overriding overwrite owned owner ownership pack_keys
pad parallel parameter parameter_mode parameter_name parameter_ordinal_position
parameter_specific_catalog parameter_specific_name parameter_specific_schema parameters parquet
parser partial partition partitioned partitioned_by partitions pascal passing password path
pctfree percent percent_rank percentile_cont percentile_disc percentlit persistent pipe pivot
pivot_longer pivot_wider placing plan plans pli policy position positional postfix power pragma
preceding precision prefix preorder prepare prepared preserve primary principals print prior
privileges proc procedural procedure procedures process processlist program properties public
publication purge qualify quarter quarters query quote raid0 raiserror range rank raw read reads
readtext real reassign recheck reconfigure recordreader recordwriter recover recursion recursive
reduce ref reference_usage references referencing refresh regexp register regr_avgx regr_avgy
regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reindex relative release
reload rely remove rename repair repeat repeatable replace replica replication require reset
resignal resource resources respect restart restore restrict result retain return
returned_cardinality returned_length returned_octet_length returned_sqlstate returning returns
revoke right rlike role roles rollback rollup routine routine_catalog routine_name
routine_schema routines row row_count row_number rowcount rowguidcol rowid rownum rows rule run
sample save savepoint scale scd schema schema_name schemas scope scope_catalog scope_name
scope_schema scroll search second second_microsecond seconds secret section secure security
select self semi sensitive separated separator sequence sequences serde serdeproperties
serializable server server_name session session_user set setminus setof sets settings setuser
share shares short show shutdown signal signed similar similarity simple single size skewed skip
smallint snapshot some soname sort sorted source space spatial specific specific_name
specifictype sql sql_big_result sql_big_selects sql_big_tables sql_calc_found_rows sql_log_off
sql_log_update sql_low_priority_updates sql_select_limit sql_small_result sql_warnings sqlca
sqlcode sqlerror sqlexception sqlstate sqlwarning sqrt ssl stable stage stages standalone start
starting starts state statement static statistics stddev_pop stddev_samp stdin stdout storage
stored str straight_join stratify stream streaming streams strict string strip struct structure
style subclass_origin sublist submultiset subscription substr substring successful sum summarize
superuser symmetric sync synonym sysdate sysid system system_time system_user system_version
table table_name tables tablesample tablespace target task tasks tblproperties temp template
temporary terminate terminated text textsize than then ties time time_ns timediff timestamp
timestamp_ltz timestamp_ms timestamp_ns timestamp_ntz timestamp_s timestamp_us timestampadd
timestampdiff timestampltz timestampntz timestamptz timetz timezone_hour timezone_minute
tinyblob tinyint tinytext to toast top top_level_count touch track trailing tran transaction
transaction_active transactions transactions_committed transactions_rolled_back transform
transforms transient translate translation treat trigger trigger_catalog trigger_name
trigger_schema trim true truncate trusted try_cast tsequal tsmultirange tsrange tstzmultirange
tstzrange tuple type types ubigint uescape uhugeint uid uint uint128 uint256 uinteger unarchive
unbounded uncache uncommitted under undo unencrypted union unique unknown unlisten unlock
unlogged unnamed unnest unpack unpivot unset unsigned until update updates updatetext upper
usage use use_any_role user user_defined_type_catalog user_defined_type_code
user_defined_type_name user_defined_type_schema users using usmallint utc_date utc_time
utc_timestamp utinyint uuid vacuum valid validate validator value values var var_pop var_samp
varbinary varchar varchar2 varcharacter variable variables variadic variant varying vector
verbose version view views violation virtual void volatile waitfor warehouse warehouses
watermark week weekday weeks when whenever where while whitespace widget width_bucket window
with within without work wrapper write writetext x x509 xml xmlattributes xmlconcat xmlelement
xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable xor yaml year
year_month years yes zerofill zone
""".split()
)


def is_plain(name: str) -> bool:
    """Whether the name means the same with and without quotes, on every engine.

    >>> [is_plain(name) for name in ("old_a", "Old", "select", "1a", "a b", "_", "")]
    [True, False, False, False, False, True, False]
    """
    return name not in KEYWORDS and _WORD.match(name) is not None
