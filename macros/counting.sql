{#- What a run counts in the query of the MERGE: what each change met, where the batch itself tells.
    Jinja macros that events.sql and net.sql import; they print only where a run counts, never in a
    reviewed statement, and all of it between marks.

    Branches on: counts, lacks_values (the order of the query's own window, in which the last change of a
    key is the last row or the first), truncates.
    Override: keep the marks around each addition, and the columns that are staged (counting_columns). -#}
{%- from "sides.sql" import moved_case %}

{%- macro counting_effect(plan) %}
{%- if plan.counts %}
            /*<counting*/
            {{ moved_case(plan) }} AS {{ plan.met_effect }},
            /*counting>*/
{%- endif %}
{%- endmacro %}

{%- macro counting_emptied(plan) %}
{%- if plan.counts %}
            /*<counting*/
            CAST(NULL AS {{ plan.text_type }}) AS {{ plan.met_effect }},
            /*counting>*/
{%- endif %}
{%- endmacro %}

{#- What a query that names its columns hands on. #}
{%- macro counting_kept(plan) %}
{%- if plan.counts %}
            /*<counting*/
            {{ plan.met_effect }},
            {{ plan.change_seq }},
            /*counting>*/
{%- endif %}
{%- endmacro %}

{#- All changes of a key, in the order of the query's own window: engines then sort them once. #}
{%- macro counting_frame(plan) -%}
{{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}{% if not plan.lacks_values %} DESC{% endif %}
                ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
{%- endmacro %}

{%- macro counting_first(plan) -%}
{% if plan.lacks_values %}FIRST_VALUE{% else %}LAST_VALUE{% endif %}
{%- endmacro %}

{%- macro counting_neighbour(plan) -%}
{% if plan.lacks_values %}LAG{% else %}LEAD{% endif %}({{ plan.met_effect }}) OVER (
                    {{ plan.key_partition | join("\n                    ") }}
                    ORDER BY {{ plan.change_seq }}{% if not plan.lacks_values %} DESC{% endif %}
                )
{%- endmacro %}

{#- What happened to the key before a change, in the batch itself, and the key's first change. A
    TRUNCATE left no row; where nothing is known, the target has to be asked. #}
{%- macro counting_before(plan) %}
{%- if plan.counts %}
            /*<counting*/
{%- if plan.truncates %}
            COALESCE(
                {{ counting_neighbour(plan) }},
                CASE
                    WHEN (SELECT truncated.seq FROM truncated) IS NOT NULL THEN 'delete'
                END
            ) AS {{ plan.met_before }},
{%- else %}
            {{ counting_neighbour(plan) }} AS {{ plan.met_before }},
{%- endif %}
            {{ counting_first(plan) }}({{ plan.met_effect }}) OVER (
                {{ counting_frame(plan) }}
            ) AS {{ plan.met_first }},
            {{ counting_first(plan) }}({{ plan.change_seq }}) OVER (
                {{ counting_frame(plan) }}
            ) AS {{ plan.met_first_seq }},
            /*counting>*/
{%- endif %}
{%- endmacro %}

{#- Only a key's last change is staged without what is counted; no other may stop the query. #}
{%- macro counting_only_last(plan) %}
{%- if plan.counts %} /*<counting*/AND LEAD({{ plan.change_seq }}) OVER (
                        {{ plan.key_partition | join("\n                        ") }}
                        ORDER BY {{ plan.change_seq }}
                    ) IS NULL/*counting>*/{% endif %}
{%- endmacro %}

{#- Beside a row: what its change met, whether it is the key's last one, and the key's first. #}
{%- macro counting_columns(plan) %}
{%- if plan.counts %}
        /*<counting*/
        {{ plan.met_kind }},
        {{ plan.change_seq }} AS {{ plan.met_seq }},
        {{ plan.recency }} {% if plan.lacks_values %}IS NULL{% else %}= 1{% endif %} AS {{ plan.met_last }},
{%- if plan.truncates %}
        CASE
            WHEN (SELECT truncated.seq FROM truncated) IS NULL THEN {{ plan.met_first }}
        END AS {{ plan.met_first }},
{%- else %}
        {{ plan.met_first }},
{%- endif %}
        {{ plan.met_first_seq }},
        /*counting>*/
{%- endif %}
{%- endmacro %}

{#- The changes, one by one, each with what it met. #}
{%- macro counting_net(plan) %}
{%- if plan.counts %} /*<counting*/(
        SELECT
            *,
            CASE
                WHEN {{ plan.met_before }} IN ('insert', 'update', 'arrived')
                    THEN CASE {{ plan.met_effect }}
                        WHEN 'insert' THEN 'insert_exists'
                        WHEN 'arrived' THEN 'update_exists'
                    END
                WHEN {{ plan.met_before }} IN ('delete', 'left')
                    THEN CASE {{ plan.met_effect }}
                        WHEN 'update' THEN 'update_missing'
                        WHEN 'left' THEN 'update_missing'
                        WHEN 'delete' THEN 'delete_missing'
                    END
            END AS {{ plan.met_kind }}
        FROM/*counting>*/{% endif %} net
{%- if plan.counts %} /*<counting*/
    ) AS net/*counting>*/{% endif %}
{%- endmacro %}

{#- The rows that met something, too. #}
{%- macro counting_rows(plan) %}
{%- if plan.counts %} /*<counting*/OR {{ plan.met_kind }} IS NOT NULL/*counting>*/{% endif %}
{%- endmacro %}
