{#- As conflicts_keyed, where an UPDATE of a row that the target lacks is skipped. -#}
WITH RECURSIVE
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    {% include "events_skipping.sql" %},

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
        WHERE {{ plan.change_seq }} > COALESCE((SELECT truncated.seq FROM truncated), -1)
    ),

    {% include "conflicts_by_row_found.sql" %}
