{#- Of a table without key: rows are told apart by their whole content, and counted. An old row takes away
    one copy where there is one, a new row adds one. Where the number of copies changes, ordinal 0
    deletes all of them and the ordinals above it insert those that remain.

    Prints: the parts `events`, `tallied`, `held` and `net`, and the query's rows.
    Branches on: skips_missing (a change that finds no copy is skipped; see missed.sql), truncates.
    Override: keep the rows: the columns and copy_ordinal. -#}
{%- from "sides.sql" import held_rows, leaving_copies, side_columns %}
{%- if plan.skips_missing -%}
{% include "missed.sql" %},

    taken AS (
        -- The changes that are not skipped.
        SELECT
{%- for column in plan.columns %}
            events.{{ column.name }},
{%- endfor %}
            events.{{ plan.copy_step }}
        FROM events
        LEFT JOIN missed
            ON events.{{ plan.change_seq }} = missed.{{ plan.place }}
        WHERE missed.{{ plan.place }} IS NULL
{%- else -%}
events AS (
        -- An old row takes away one copy, a new row adds one.
        SELECT
{{- side_columns(plan) }}
            CASE WHEN {{ plan.side }} = 'old' THEN -1 ELSE 1 END AS {{ plan.copy_step }},
            seq AS {{ plan.change_seq }}
        FROM sides
{%- endif %}
{%- if plan.truncates %}
        UNION ALL
        -- A TRUNCATE deletes every row that the target holds.
        SELECT
{%- for column in plan.columns %}
            present.{{ column.name }},
{%- endfor %}
            0 AS {{ plan.copy_step }}
{%- if not plan.skips_missing %},
            truncated.seq AS {{ plan.change_seq }}
{%- endif %}
        FROM {{ plan.target }} AS present
        CROSS JOIN truncated
{%- endif %}
    ),
{%- if not plan.skips_missing %}

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
{%- endif %}

    tallied AS (
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            SUM({{ plan.copy_step }}) AS {{ plan.copy_total }}
{%- if not plan.skips_missing %},
            MIN({{ plan.copy_level }}) AS {{ plan.copy_lowest }}
{%- endif %}
        FROM {% if plan.skips_missing %}taken{% else %}walked{% endif %}
        GROUP BY
{%- for column in plan.columns %}
            {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    ),
{%- if not plan.skips_missing %}

    held AS (
        -- The copies that the target holds.
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            COUNT(*) AS {{ plan.copies_held }}
        FROM {{ held_rows(plan) }}
        GROUP BY
{%- for column in plan.columns %}
            {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    ),
{%- endif %}

    net AS (
{%- if not plan.skips_missing %}
        -- Removing a copy that is not there changes nothing,
        -- so the count never falls below zero.
{%- endif %}
        SELECT
{%- for column in plan.columns %}
            tallied.{{ column.name }},
{%- endfor %}
            COALESCE(held.{{ plan.copies_held }}, 0) AS {{ plan.copies_held }},
{%- if plan.skips_missing %}
            tallied.{{ plan.copy_total }}
{%- if plan.truncates %} + CASE
                WHEN EXISTS (SELECT 1 FROM truncated) THEN 0
                ELSE COALESCE(held.{{ plan.copies_held }}, 0)
            END
{%- else %}
            + COALESCE(held.{{ plan.copies_held }}, 0)
{%- endif %} AS {{ plan.copies_left }}
{%- else %}
            tallied.{{ plan.copy_total }} + GREATEST(
{%- if plan.truncates %}
                CASE
                    WHEN EXISTS (SELECT 1 FROM truncated) THEN 0
                    ELSE COALESCE(held.{{ plan.copies_held }}, 0)
                END,
{%- else %}
                COALESCE(held.{{ plan.copies_held }}, 0),
{%- endif %}
                -tallied.{{ plan.copy_lowest }}
            ) AS {{ plan.copies_left }}
{%- endif %}
        FROM tallied
        LEFT JOIN held
            ON
{%- for column in plan.columns %}
                {{ "AND " if not loop.first }}tallied.{{ column.name }} IS NOT DISTINCT FROM held.{{ column.name }}
{%- endfor %}
    )

    SELECT
{%- for column in plan.columns %}
        {{ column.name }},
{%- endfor %}
        {{ plan.explode }}(
            {{ plan.zero_to_copies_left }}
        ) AS {{ plan.copy_ordinal }}
    FROM net
    WHERE {{ plan.copies_left }} <> {{ plan.copies_held }}
{{- leaving_copies(plan) }}
