{#- Where an UPDATE of a row that the target lacks is skipped: which changes of a key move a
    row at all. A row may have come under its old key by another such change, so these are followed
    from key to key.

    Prints: the part `applied`, the events that are not skipped, after `steps`, `brought` and `moved`; it
    reads `events`, and needs WITH RECURSIVE.
    Override: keep `moved` and `applied`, which has the columns of `events`. -#}
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
