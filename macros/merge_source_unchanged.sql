{#- As merge_source, for a table whose feed may leave out unchanged out-of-line columns. Such a
    column takes the last value that the batch holds for the key; where it holds none, the target's
    row keeps its own; where there is no such row, the statement stops. -#}
WITH
    {% include "truncated.sql" %},

    {{ plan.changes_sql }},

    events AS (
        -- What happens to the target's rows, one by one.
        SELECT
{%- for column in plan.key_columns %}
            CASE
                WHEN {{ plan.side }} = 'old' THEN {{ column.old }}
                ELSE {{ column.new }}
            END AS {{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
            {{ column.new }} AS {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            {{ plan.side }} = 'new'
            AND {{ column.is_unchanged }}
                AS {{ column.keeps }},
{%- endfor %}
            CASE
                -- PostgreSQL sends NULL for such a column of a row that enters
                -- the filter. This stops.
                WHEN
                    {{ plan.side }} = 'new'
                    AND {{ plan.must_be_complete | join("\n                    ") }}
                    AND {{ plan.any_unchanged | join("\n                    ") }}
                    THEN {{ plan.unknown_value | join("\n                    ") }}
                WHEN {{ plan.side }} = 'old' THEN 'delete'
                ELSE {{ plan.effect }}
            END AS {{ plan.effect }},
            seq AS {{ plan.change_seq }}
        FROM sides
        UNION ALL
        -- A TRUNCATE deletes every row that the target holds.
        SELECT
{%- for column in plan.key_columns %}
            present.{{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
            NULL AS {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            FALSE AS {{ column.keeps }},
{%- endfor %}
            'delete' AS {{ plan.effect }},
            truncated.seq AS {{ plan.change_seq }}
        FROM {{ plan.target }} AS present
        CROSS JOIN truncated
    ),

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
            CASE
                WHEN
                    {{ plan.any_kept | join("\n                    ") }}
                    AND LAG({{ plan.effect }}) OVER (
                        {{ plan.key_partition | join("\n                        ") }}
                        ORDER BY {{ plan.change_seq }}
                    ) = 'delete'
                    THEN {{ plan.unknown_value | join("\n                    ") }}
                ELSE {{ plan.effect }}
            END AS {{ plan.effect }},
            LEAD({{ plan.change_seq }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.recency }}
        FROM events
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
        net.{{ plan.effect }}
    FROM net
    WHERE net.{{ plan.recency }} IS NULL
