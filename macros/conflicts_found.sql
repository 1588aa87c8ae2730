{#- What the changes meet in the target, under PostgreSQL 18's names of conflicts. Counted beside the MERGE,
    changes nothing.

    Prints: the part `met`: of each change that may meet something the key (without one, all columns),
    change_seq, and the finding or NULL.
    Branches on: adds_only (nothing can be met), keyed, and skips_missing and keeps_existing, where
    changes that were skipped before decide what the next one meets. A change of a key that is judged as
    one is shown by its old key where that has no row, else by the new one. Also on truncates, key_changes
    (else none is) and expires (a row whose time is over is not met).
    Override: keep `met` with its columns, and `WITH`. -#}
{%- from "sides.sql" import copy_steps, held_rows, moved_effect, side_key -%}
WITH{% if plan.keyed and plan.skips_missing %} RECURSIVE{% endif %}
    {% include "changes.sql" %},

{%- if plan.adds_only %}

    met AS (
        SELECT
{%- for column in plan.columns %}
            {{ column.new }} AS {{ column.name }},
{%- endfor %}
            seq AS {{ plan.change_seq }},
            CAST(NULL AS {{ plan.text_type }}) AS {{ plan.finding }}
        FROM transformed
        WHERE {{ plan.effect }} <> 'nothing'
    )
{%- elif not plan.keyed and plan.skips_missing %}

    {% include "missed.sql" %},

    met AS (
        SELECT
{%- for column in plan.columns %}
            events.{{ column.name }},
{%- endfor %}
            events.{{ plan.change_seq }},
            CASE
                WHEN missed.{{ plan.place }} IS NULL THEN NULL
                WHEN events.{{ plan.effect }} = 'update' THEN 'update_missing'
                ELSE 'delete_missing'
            END AS {{ plan.finding }}
        FROM events
        LEFT JOIN missed
            ON events.{{ plan.change_seq }} = missed.{{ plan.place }}
        WHERE events.{{ plan.copy_step }} = -1
    )
{%- elif not plan.keyed %}

    events AS (
        {{ copy_steps(plan) }}
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
        FROM {{ held_rows(plan) }}
{%- if plan.truncates %}
        {% if plan.expires %}    AND{% else %}WHERE{% endif %} NOT EXISTS (SELECT 1 FROM truncated)
{%- endif %}
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
{%- elif plan.keeps_existing %}

    {% include "events.sql" %},

    {% include "keeping.sql" %},

    met AS (
        SELECT
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
            {{ plan.change_seq }},
            CASE
                WHEN
                    {{ plan.effect }} = 'insert'
                    AND {{ plan.row_found }}
                    THEN 'insert_exists'
                WHEN
                    {{ plan.effect }} = 'delete'
                    AND NOT {{ plan.row_found }}
                    THEN 'delete_missing'
{%- if plan.key_changes %}
                WHEN
                    {{ plan.effect }} = 'update'
                    AND NOT {{ plan.row_found }}
                    THEN 'update_missing'
                WHEN
                    {{ plan.effect }} = 'left'
                    AND NOT {{ plan.old_found }}
                    THEN 'update_missing'
                WHEN
                    {{ plan.effect }} = 'arrived'
                    AND {{ plan.old_found }}
                    AND {{ plan.new_found }}
                    THEN 'update_exists'
{%- endif %}
            END AS {{ plan.finding }}
        FROM found_under_key
    )
{%- else %}
{%- if plan.skips_missing %}

    {% include "events.sql" %},

    {% include "skipping.sql" %},

    followed AS (
        SELECT
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
            {{ plan.effect }},
            {{ plan.change_seq }},
            MAX(
                CASE
                    WHEN {{ plan.effect }} IN ('held', 'insert', 'arrived')
                        THEN {{ plan.change_seq }}
                END
            ) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS {{ plan.added_seq }},
            MAX(
                CASE
                    WHEN {{ plan.effect }} IN ('delete', 'left')
                        THEN {{ plan.change_seq }}
                END
            ) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS {{ plan.removed_seq }}
        FROM applied
    ),

    looked_up AS (
        SELECT
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
            {{ plan.effect }},
            {{ plan.change_seq }},
            COALESCE(
                {{ plan.added_seq }} > COALESCE({{ plan.removed_seq }}, -2),
                FALSE
            ) AS {{ plan.row_found }}
        FROM followed
        WHERE {{ plan.change_seq }} > {% if plan.truncates %}COALESCE((SELECT truncated.seq FROM truncated), -1){% else %}-1{% endif %}
    ),
{%- else %}

    events AS (
        SELECT
            seq AS {{ plan.change_seq }},
{{- side_key(plan) }}
            {{ moved_effect(plan) }}
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
        FROM {{ held_rows(plan) }}
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
{%- if plan.truncates %}
                WHEN EXISTS (SELECT 1 FROM truncated) THEN FALSE
{%- endif %}
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
{%- endif %}

    met AS (
        SELECT
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
            {{ plan.change_seq }},
            CASE
                WHEN
                    {{ plan.effect }} = 'insert'
                    AND {{ plan.row_found }}
                    THEN 'insert_exists'
                WHEN
                    {{ plan.effect }} = 'arrived'
                    AND {{ plan.row_found }}
                    THEN 'update_exists'
                WHEN
                    {{ plan.effect }} IN ('update', 'left')
                    AND NOT {{ plan.row_found }}
                    THEN 'update_missing'
                WHEN
                    {{ plan.effect }} = 'delete'
                    AND NOT {{ plan.row_found }}
                    THEN 'delete_missing'
            END AS {{ plan.finding }}
        FROM looked_up
    )
{%- endif %}
