{#- What happens under each key: changes, the row that the target holds before, and a TRUNCATE. An epoch
    is what lies between two TRUNCATEs: no row of an earlier one is there any more. -#}
truncations AS (
        SELECT seq
        FROM {{ plan.changes }}
        WHERE op IN ({{ plan.truncate_ops | join(", ") }})
    ),

    barriers AS (
        -- One row, whether there are any or not.
        SELECT {{ plan.all_barriers }} AS {{ plan.place }}
        FROM truncations
    ),

    changed AS (
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
                WHEN
                    {{ plan.side }} = 'old'
                    AND {{ plan.effect }} = 'update'
                    THEN 'left'
                WHEN
                    {{ plan.effect }} = 'update'
                    AND {{ plan.key_change | join("\n                    ") }}
                    THEN 'arrived'
                ELSE {{ plan.effect }}
            END AS {{ plan.effect }},
            {{ plan.epoch_of_change | join("\n            ") }} AS {{ plan.epoch }},
            seq AS {{ plan.change_seq }}
        FROM sides
        CROSS JOIN barriers
    ),

    events AS (
        SELECT * FROM changed
        UNION ALL
        -- The rows that the target holds under these keys before any change.
        SELECT
{%- for column in plan.key_columns %}
            present.{{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
            {{ column.held }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            FALSE AS {{ column.keeps }},
{%- endfor %}
            'held' AS {{ plan.effect }},
            0 AS {{ plan.epoch }},
            -1 AS {{ plan.change_seq }}
        FROM {{ plan.target }} AS present
        WHERE
            EXISTS (
                SELECT 1
                FROM changed
                WHERE
{%- for column in plan.key_columns %}
                    {{ "AND " if not loop.first }}changed.{{ column.name }} = present.{{ column.name }}
{%- endfor %}
            )
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
            'truncate' AS {{ plan.effect }},
            0 AS {{ plan.epoch }},
            truncated.seq AS {{ plan.change_seq }}
        FROM {{ plan.target }} AS present
        CROSS JOIN truncated
    )
