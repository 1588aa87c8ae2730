{#- Without a key, where an UPDATE of a row that the target lacks is skipped: which changes find no copy of
    their old row. A copy may have come by another UPDATE, which may have been skipped itself, so these
    are judged in their order, unless no change can miss one.

    Prints: the parts `events` (columns, effect, change_seq, copy_step), `held` (copies in the target) and
    `missed` (place: the seq of a change), after those that they need.
    Branches on: truncates.
    Override: keep these three with their columns. -#}
{%- from "sides.sql" import copy_steps, held_rows -%}
events AS (
        -- An old row takes away one copy, a new row adds one.
        {{ copy_steps(plan) }}
    ),

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

    walked AS (
        -- Before each change: the copies that were added less those that were
        -- taken away if no change missed any, and the same without those that
        -- an UPDATE added. Copies of a row are known by their first change.
        SELECT
            *,
            COALESCE(
                SUM({{ plan.copy_step }}) OVER (
                    {{ plan.row_partition | join("\n                    ") }}
                    ORDER BY {{ plan.change_seq }}, {{ plan.copy_step }}
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ),
                0
            ) AS {{ plan.copy_level }},
            COALESCE(
                SUM(
                    CASE
                        WHEN {{ plan.effect }} <> 'update' OR {{ plan.copy_step }} = -1
                            THEN {{ plan.copy_step }}
                        ELSE 0
                    END
                ) OVER (
                    {{ plan.row_partition | join("\n                    ") }}
                    ORDER BY {{ plan.change_seq }}, {{ plan.copy_step }}
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ),
                0
            ) AS {{ plan.copy_lowest }},
            MIN({{ plan.place_of_row }}) OVER (
                {{ plan.row_partition | join("\n                ") }}
            ) AS {{ plan.place }}
        FROM events
    ),

    counted_copies AS (
        SELECT
            walked.{{ plan.effect }},
            walked.{{ plan.change_seq }},
            walked.{{ plan.copy_step }},
            walked.{{ plan.place }},
            walked.{{ plan.copy_level }}
{%- if plan.truncates %} + CASE
                WHEN EXISTS (SELECT 1 FROM truncated) THEN 0
                ELSE COALESCE(held.{{ plan.copies_held }}, 0)
            END
{%- else %}
            + COALESCE(held.{{ plan.copies_held }}, 0)
{%- endif %} AS {{ plan.copy_level }},
            walked.{{ plan.copy_lowest }}
{%- if plan.truncates %} + CASE
                WHEN EXISTS (SELECT 1 FROM truncated) THEN 0
                ELSE COALESCE(held.{{ plan.copies_held }}, 0)
            END
{%- else %}
            + COALESCE(held.{{ plan.copies_held }}, 0)
{%- endif %} AS {{ plan.copy_lowest }}
        FROM walked
        LEFT JOIN held
            ON
{%- for column in plan.columns %}
                {{ "AND " if not loop.first }}walked.{{ column.name }} IS NOT DISTINCT FROM held.{{ column.name }}
{%- endfor %}
    ),

    searches AS (
        -- The changes that look for a copy: of which row, and to which row they
        -- turn it.
        SELECT
            {{ plan.change_seq }},
            MAX(
                CASE WHEN {{ plan.copy_step }} = -1 THEN {{ plan.copy_level }} END
            ) AS {{ plan.copy_level }},
            MAX(
                CASE WHEN {{ plan.copy_step }} = -1 THEN {{ plan.copy_lowest }} END
            ) AS {{ plan.copy_lowest }},
            MAX(
                CASE WHEN {{ plan.copy_step }} = -1 THEN {{ plan.place }} END
            ) AS {{ plan.old_place }},
            COALESCE(
                MAX(CASE WHEN {{ plan.copy_step }} = 1 THEN {{ plan.place }} END), ''
            ) AS {{ plan.new_place }}
        FROM counted_copies
        WHERE {{ plan.effect }} <> 'insert'
        GROUP BY {{ plan.change_seq }}
    ),

    judged_in_order AS (
        -- The first change that misses a copy for certain may make others miss
        -- theirs: one copy more of its old row is left, one less of its new row
        -- comes.
        SELECT
            {{ plan.all_misses | join("\n            ") }} AS {{ plan.outcomes }}
        FROM searches
    ),

    outcomes AS (
        SELECT {{ plan.each_outcome }} AS {{ plan.outcomes }}
        FROM judged_in_order
    ),

    missed AS (
        -- The changes that find no copy of their old row.
        SELECT CAST(SUBSTR({{ plan.outcomes }}, 1, 20) AS BIGINT) AS {{ plan.place }}
        FROM outcomes
        WHERE {{ plan.outcomes }} <> ''
    )
