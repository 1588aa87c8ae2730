{#- For a table without key: rows are told apart by their whole content, and counted. An old row
    takes away one copy where there is one, a new row adds one. Where the number of copies changes,
    ordinal 0 deletes all of them and the ordinals above it insert those that remain. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    events AS (
        -- An old row takes away one copy, a new row adds one.
        SELECT
{%- include "side_columns.sql" %}
            CASE WHEN {{ plan.side }} = 'old' THEN -1 ELSE 1 END AS {{ plan.copy_step }},
            seq AS {{ plan.change_seq }}
        FROM sides
        UNION ALL
        -- A TRUNCATE deletes every row that the target holds.
        {% include "copies_emptied.sql" %},
            truncated.seq AS {{ plan.change_seq }}
        FROM {{ plan.target }} AS present
        CROSS JOIN truncated
    ),

    walked AS (
        -- The copies that were added so far, less those that were taken away.
        SELECT
            *,
            SUM({{ plan.copy_step }}) OVER (
                {{ plan.row_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}, {{ plan.copy_step }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS {{ plan.copy_level }}
        FROM events
    ),

    tallied AS (
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            SUM({{ plan.copy_step }}) AS {{ plan.copy_total }},
            MIN({{ plan.copy_level }}) AS {{ plan.copy_lowest }}
        FROM walked
        GROUP BY
{%- for column in plan.columns %}
            {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    ),

    {% include "copies_held.sql" %},

    net AS (
        -- Removing a copy that is not there changes nothing,
        -- so the count never falls below zero.
        SELECT
{%- for column in plan.columns %}
            tallied.{{ column.name }},
{%- endfor %}
            COALESCE(held.{{ plan.copies_held }}, 0) AS {{ plan.copies_held }},
            tallied.{{ plan.copy_total }} + GREATEST(
                CASE
                    WHEN EXISTS (SELECT 1 FROM truncated) THEN 0
                    ELSE COALESCE(held.{{ plan.copies_held }}, 0)
                END,
                -tallied.{{ plan.copy_lowest }}
            ) AS {{ plan.copies_left }}
        {% include "copies_beside.sql" %}
    )

    {% include "copies_listed.sql" %}
