{#- Where an UPDATE of a row that the target lacks is skipped: what happens under each key, and which
    changes of a key move a row at all. A row may have come under its old key by another such change,
    so these are followed from key to key. -#}
changed AS (
        -- What happens to the target's rows, one by one.
        SELECT
{%- include "side_row.sql" %}
{%- include "moved_effect.sql" %},
            seq AS {{ plan.change_seq }}
        FROM sides
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
            NULL AS {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            TRUE AS {{ column.keeps }},
{%- endfor %}
            'held' AS {{ plan.effect }},
            -1 AS {{ plan.change_seq }}
        FROM {{ plan.target }} AS present
{%- include "under_changed_keys.sql" %}
        UNION ALL
        -- A TRUNCATE deletes every row that the target holds.
        SELECT
{%- include "emptied.sql" %}
    ),

    steps AS (
        -- What happened under a key before each change that adds or removes
        -- its row.
        SELECT
            {{ plan.effect }},
            {{ plan.change_seq }},
            LAG({{ plan.effect }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.previous_effect }},
            LAG({{ plan.change_seq }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.previous_seq }}
        FROM events
        WHERE {{ plan.effect }} <> 'update'
    ),

    brought AS (
        -- Changes of a key after which the new key has a row:
        -- the old key had one, or the new one did.
        SELECT {{ plan.change_seq }}
        FROM steps
        WHERE
            {{ plan.effect }} IN ('left', 'arrived')
            AND {{ plan.previous_effect }} IN ('held', 'insert')
        UNION ALL
        SELECT steps.{{ plan.change_seq }}
        FROM brought
        INNER JOIN steps
            ON brought.{{ plan.change_seq }} = steps.{{ plan.previous_seq }}
        WHERE
            steps.{{ plan.effect }} IN ('left', 'arrived')
            AND steps.{{ plan.previous_effect }} = 'arrived'
    ),

    moved AS (
        -- Changes of a key whose old row the target has.
        SELECT {{ plan.change_seq }}
        FROM steps
        WHERE
            {{ plan.effect }} = 'left'
            AND (
                {{ plan.previous_effect }} IN ('held', 'insert')
                OR (
                    {{ plan.previous_effect }} = 'arrived'
                    AND {{ plan.previous_seq }} IN (
                        SELECT brought.{{ plan.change_seq }} FROM brought
                    )
                )
            )
    ),

    applied AS (
        SELECT *
        FROM events
        WHERE
            {{ plan.effect }} <> 'arrived'
            OR {{ plan.change_seq }} IN (SELECT moved.{{ plan.change_seq }} FROM moved)
    )
