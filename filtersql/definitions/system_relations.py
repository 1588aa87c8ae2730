"""PostgreSQL's own relations: which exist, and whether they are tables or views.

Example
    pg_class is one of the "system tables", pg_stat_activity one of the "views"; the view
    information_schema.nothing does not exist. information_schema has four tables of its own.

PostgreSQL
    pg_publication.c: check_publication_add_relation(), is_publishable_class();
    system_views.sql, information_schema.sql
"""

from __future__ import annotations

import re

from filtersql.names import RelationName

__all__ = ["SYSTEM_SCHEMAS", "system_kind"]

SYSTEM_SCHEMAS = frozenset({"pg_catalog", "pg_toast"})
#: the tables of pg_catalog, which a name without schema finds first: pg_ and one of these words
_TABLES = (
    "aggregate am amop amproc attrdef attribute auth_members authid cast class collation"
    " constraint conversion database db_role_setting default_acl depend description enum"
    " event_trigger extension foreign_data_wrapper foreign_server foreign_table index"
    " inherits init_privs language largeobject largeobject_metadata namespace opclass"
    " operator opfamily parameter_acl partitioned_table policy proc publication"
    " publication_namespace publication_rel range replication_origin rewrite seclabel"
    " sequence shdepend shdescription shseclabel statistic statistic_ext statistic_ext_data"
    " subscription subscription_rel tablespace transform trigger ts_config ts_config_map"
    " ts_dict ts_parser ts_template type user_mapping"
)
#: its views, beside those whose names begin with pg_stat
_VIEWS = (
    "aios available_extension_versions available_extensions backend_memory_contexts config"
    " cursors file_settings group hba_file_rules ident_file_mappings indexes locks matviews"
    " policies prepared_statements prepared_xacts publication_tables replication_origin_status"
    " replication_slots roles rules seclabels sequences settings shadow shmem_allocations"
    " shmem_allocations_numa tables timezone_abbrevs timezone_names user user_mappings views"
    " wait_events"
)
_INFORMATION_VIEWS = (
    "_pg_foreign_data_wrappers _pg_foreign_servers _pg_foreign_table_columns _pg_foreign_tables"
    " _pg_user_mappings administrable_role_authorizations applicable_roles attributes"
    " character_sets check_constraint_routine_usage check_constraints"
    " collation_character_set_applicability collations column_column_usage column_domain_usage"
    " column_options column_privileges column_udt_usage columns constraint_column_usage"
    " constraint_table_usage data_type_privileges domain_constraints domain_udt_usage domains"
    " element_types enabled_roles foreign_data_wrapper_options foreign_data_wrappers"
    " foreign_server_options foreign_servers foreign_table_options foreign_tables"
    " information_schema_catalog_name key_column_usage parameters referential_constraints"
    " role_column_grants role_routine_grants role_table_grants role_udt_grants role_usage_grants"
    " routine_column_usage routine_privileges routine_routine_usage routine_sequence_usage"
    " routine_table_usage routines schemata sequences table_constraints table_privileges tables"
    " transforms triggered_update_columns triggers udt_privileges usage_privileges"
    " user_defined_types user_mapping_options user_mappings view_column_usage"
    " view_routine_usage view_table_usage views"
)
_SYSTEM_TABLES = frozenset(f"pg_{word}" for word in _TABLES.split())
_SYSTEM_VIEWS = frozenset(f"pg_{word}" for word in _VIEWS.split())
_INFORMATION = frozenset(_INFORMATION_VIEWS.split())
_INFORMATION_TABLES = frozenset(
    {"sql_features", "sql_implementation_info", "sql_parts", "sql_sizing"}
)


_TOAST = re.compile(r"pg_toast_\d+")


def system_kind(name: RelationName) -> str | None:
    """What one of PostgreSQL's own relations is; None where there is none of that name.

    search_path finds pg_catalog before any other schema, so a name may stand there as public's.
    """
    if name.schema == "information_schema":
        if name.name in _INFORMATION_TABLES:
            return "tables"
        return "views" if name.name in _INFORMATION else None
    if name.schema == "pg_toast":
        return "TOAST tables" if _TOAST.fullmatch(name.name) else None
    if name.schema not in ("pg_catalog", "public"):
        return None
    if name.name in _SYSTEM_TABLES:
        return "system tables"
    views = name.name in _SYSTEM_VIEWS or name.name.startswith(("pg_stat_", "pg_statio_"))
    return "views" if views or name.name.startswith("pg_stats") else None
