{#- As merge_source, where a change is skipped that meets the wrong state in the target: the last change
    of a key that is not skipped decides. -#}
WITH
    {% include "truncated.sql" %},

    {{ plan.changes_sql }},

    {% include "taken_keeping.sql" %},

    net AS (
        -- The last change of a key decides; what it left out is filled from
        -- the changes before it.
        SELECT
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
{%- for column in plan.complete_columns %}
            {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            {{ column.last_known | join("\n            ") }} OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS {{ column.known }},
{%- endfor %}
            {{ plan.checked_effect | join("\n            ") }},
            {{ plan.change_seq }},
            LEAD({{ plan.change_seq }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.recency }}
        FROM taken
    )

    SELECT
{%- for column in plan.key_columns %}
        net.{{ column.name }},
{%- endfor %}
{%- for column in plan.complete_columns %}
        net.{{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
        net.{{ column.known }}.newest AS {{ column.name }},
        net.{{ column.known }} IS NULL AS {{ column.keeps }},
{%- endfor %}
        CASE
            WHEN
                net.{{ plan.effect }} IN ('insert', 'update', 'arrived')
                AND net.{{ plan.change_seq }}
                > COALESCE((SELECT truncated.seq FROM truncated), -1)
                THEN 'insert'
            ELSE 'delete'
        END AS {{ plan.effect }}
    FROM net
    WHERE
        net.{{ plan.recency }} IS NULL
        AND net.{{ plan.effect }} <> 'held'
