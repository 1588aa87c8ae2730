{#- As conflicts_keyed, for a table without key: an old row of which the target holds no copy. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    events AS (
        {% include "copy_steps.sql" %}
    ),

    walked AS (
        SELECT
            *,
            SUM({{ plan.copy_step }}) OVER (
                {{ plan.row_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}, {{ plan.copy_step }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS {{ plan.copy_level }}
        FROM events
    ),

    lowered AS (
        SELECT
            *,
            MIN({{ plan.copy_level }}) OVER (
                {{ plan.row_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}, {{ plan.copy_step }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS {{ plan.copy_lowest }}
        FROM walked
    ),

    held AS (
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            COUNT(*) AS {{ plan.copies_held }}
        FROM {{ plan.target }}
        WHERE NOT EXISTS (SELECT 1 FROM truncated)
        GROUP BY
{%- for column in plan.columns %}
            {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    ),

    left_over AS (
        SELECT
{%- for column in plan.columns %}
            lowered.{{ column.name }},
{%- endfor %}
            lowered.{{ plan.effect }},
            lowered.{{ plan.change_seq }},
            lowered.{{ plan.copy_level }} + 1 + GREATEST(
                COALESCE(held.{{ plan.copies_held }}, 0),
                -COALESCE(lowered.{{ plan.copy_lowest }}, 0)
            ) AS {{ plan.copies_held }}
        FROM lowered
        LEFT JOIN held
            ON
{%- for column in plan.columns %}
                {{ "AND " if not loop.first }}lowered.{{ column.name }} IS NOT DISTINCT FROM held.{{ column.name }}
{%- endfor %}
        WHERE lowered.{{ plan.copy_step }} = -1
    ),

    met AS (
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            {{ plan.change_seq }},
            CASE
                WHEN {{ plan.copies_held }} > 0 THEN NULL
                WHEN {{ plan.effect }} = 'update' THEN 'update_missing'
                ELSE 'delete_missing'
            END AS {{ plan.finding }}
        FROM left_over
    )
