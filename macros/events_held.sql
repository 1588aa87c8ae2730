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

    dated AS (
        SELECT
            sides.{{ plan.side }},
            sides.{{ plan.effect }},
            sides.seq,
            sides.unchanged,
{%- for column in plan.key_columns %}
            sides.{{ column.old }},
            sides.{{ column.new }},
{%- endfor %}
{%- for column in plan.payload_columns %}
            sides.{{ column.new }},
{%- endfor %}
            {{ plan.epoch_of_change | join("\n            ") }} AS {{ plan.epoch }}
        FROM sides
        CROSS JOIN barriers
    ),

    changed AS (
        -- What happens to the target's rows, one by one.
        SELECT
{%- include "side_row.sql" %}
{%- include "moved_effect.sql" %},
            {{ plan.epoch }},
            seq AS {{ plan.change_seq }}
        FROM dated
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
{%- include "under_changed_keys.sql" %}
        UNION ALL
        -- A TRUNCATE deletes every row that the target holds.
        SELECT
{%- include "present_row.sql" %}
            'truncate' AS {{ plan.effect }},
            0 AS {{ plan.epoch }},
            truncated.seq AS {{ plan.change_seq }}
        FROM {{ plan.target }} AS present
        CROSS JOIN truncated
    )
