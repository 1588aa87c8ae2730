{#- What the changes met in the target: PostgreSQL 18's names of conflicts, and the changes that no
    filter let through. Counted beside the MERGE, changes nothing. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    events AS (
        SELECT
            seq AS {{ plan.change_seq }},
{%- include "side_key.sql" %}
{%- include "moved_effect.sql" %}
        FROM sides
    ),

    followed AS (
        SELECT
            *,
            LAG({{ plan.effect }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.previous_effect }}
        FROM events
    ),

    present AS (
        SELECT
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
            TRUE AS {{ plan.row_found }}
        FROM {{ plan.target }}
    ),

    looked_up AS (
        SELECT
{%- for column in plan.key_columns %}
            followed.{{ column.name }},
{%- endfor %}
            followed.{{ plan.effect }},
            followed.{{ plan.change_seq }},
            CASE
                WHEN followed.{{ plan.previous_effect }} IS NOT NULL
                    THEN followed.{{ plan.previous_effect }} IN (
                        'insert', 'update', 'arrived'
                    )
                WHEN EXISTS (SELECT 1 FROM truncated) THEN FALSE
                ELSE present.{{ plan.row_found }} IS NOT NULL
            END AS {{ plan.row_found }}
        FROM followed
        LEFT JOIN present
            ON
                followed.{{ plan.previous_effect }} IS NULL
{%- for column in plan.key_columns %}
                AND followed.{{ column.name }} = present.{{ column.name }}
{%- endfor %}
    ),

    {% include "conflicts_by_row_found.sql" %}
