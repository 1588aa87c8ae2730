{#- Where a change is skipped that meets the wrong state: an INSERT of a row that exists, an
    UPDATE or DELETE of one that is missing, a change of the key to one that exists. What a change of
    the key meets may hang on earlier ones; such changes are judged in their order, all others by a
    window.

    Prints: the part `found_under_key`, all events with what they find, after `steps`, `halves`, `moves`,
    `judged_in_order`, `outcomes`, `verdicts` and `possible`; it reads `events`.
    Branches on: key_changes (else only found_under_key and row_found), truncates (a row of an earlier epoch
    is not found).
    Override: keep `verdicts` and `found_under_key`, which has the columns of `events` and old_found,
    new_found, stays and row_found. -#}
{% if plan.key_changes -%}
steps AS (
        -- What happened under a key before and after each change that may add
        -- or remove its row.
        SELECT
            {{ plan.effect }},
            {{ plan.change_seq }},
{%- if plan.truncates %}
            {{ plan.epoch }},
{%- endif %}
            LAG({{ plan.effect }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.previous_effect }},
            LAG({{ plan.change_seq }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.previous_seq }},
{%- if plan.truncates %}
            LAG({{ plan.epoch }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.previous_epoch }},
{%- endif %}
            LEAD({{ plan.effect }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.next_effect }}
        FROM events
        WHERE {{ plan.effect }} <> 'update'
    ),

    halves AS (
        -- Each key of a change: 1 and 0 where it is certain that there is a row
        -- or none; where another change of the key decides, l if the row would
        -- have left by that one, a if it would have arrived.
        SELECT
            {{ plan.effect }},
            {{ plan.change_seq }},
            CASE
{%- if plan.truncates %}
                WHEN {{ plan.previous_epoch }} <> {{ plan.epoch }} THEN '0'
{%- endif %}
                WHEN {{ plan.previous_effect }} IN ('held', 'insert') THEN '1'
                WHEN {{ plan.previous_effect }} = 'left' THEN 'l'
                WHEN {{ plan.previous_effect }} = 'arrived' THEN 'a'
                ELSE '0'
            END AS {{ plan.previous_effect }},
            COALESCE({{ plan.previous_seq }}, 0) AS {{ plan.previous_seq }},
            COALESCE(
                {{ plan.next_effect }} IN ('left', 'arrived'), FALSE
            ) AS {{ plan.linked }}
        FROM steps
        WHERE {{ plan.effect }} IN ('left', 'arrived')
    ),

    moves AS (
        -- Changes of a key: what they find under the old key and under the new.
        SELECT
            {{ plan.change_seq }},
            MAX(
                CASE WHEN {{ plan.effect }} = 'left' THEN {{ plan.previous_effect }} END
            ) AS {{ plan.old_effect }},
            MAX(
                CASE WHEN {{ plan.effect }} = 'left' THEN {{ plan.previous_seq }} END
            ) AS {{ plan.old_seq }},
            MAX(
                CASE WHEN {{ plan.effect }} = 'arrived' THEN {{ plan.previous_effect }} END
            ) AS {{ plan.new_effect }},
            MAX(
                CASE WHEN {{ plan.effect }} = 'arrived' THEN {{ plan.previous_seq }} END
            ) AS {{ plan.new_seq }},
            MAX(
                CASE
                    WHEN {{ plan.linked }} OR {{ plan.previous_effect }} IN ('l', 'a') THEN 1
                    ELSE 0
                END
            ) AS {{ plan.linked }}
        FROM halves
        GROUP BY {{ plan.change_seq }}
    ),

    judged_in_order AS (
        -- For each change of a key: its seq, and whether there is a row under
        -- the old and the new key. A row moves if there is one under the old key
        -- and none under the new one.
        SELECT
            {{ plan.all_outcomes | join("\n            ") }} AS {{ plan.outcomes }}
        FROM moves
    ),

    outcomes AS (
        SELECT {{ plan.each_outcome }} AS {{ plan.outcomes }}
        FROM judged_in_order
    ),

    verdicts AS (
        SELECT
            CAST(SUBSTR({{ plan.outcomes }}, 1, 20) AS BIGINT) AS {{ plan.place }},
            SUBSTR({{ plan.outcomes }}, 21, 1) = '1' AS {{ plan.old_found }},
            SUBSTR({{ plan.outcomes }}, 22, 1) = '1' AS {{ plan.new_found }}
        FROM outcomes
        WHERE {{ plan.outcomes }} <> ''
    ),

    possible AS (
        -- All changes; those of a key with what they find.
        SELECT
{%- for column in plan.key_columns %}
            events.{{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
            events.{{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            events.{{ column.keeps }},
{%- endfor %}
            events.{{ plan.effect }},
{%- if plan.truncates %}
            events.{{ plan.epoch }},
{%- endif %}
            events.{{ plan.change_seq }},
            verdicts.{{ plan.old_found }},
            verdicts.{{ plan.new_found }},
            events.{{ plan.effect }} = 'update'
            OR COALESCE(
                verdicts.{{ plan.new_found }} OR NOT verdicts.{{ plan.old_found }}, FALSE
            ) AS {{ plan.stays }}
        FROM events
        LEFT JOIN verdicts
            ON events.{{ plan.change_seq }} = verdicts.{{ plan.place }}
    ),

    {% endif -%}
    found_under_key AS (
        -- Whether a change finds a row under its key.
        SELECT
            *,
            COALESCE(
                {{ plan.found_before | join("\n                ") }} OVER (
                    {{ plan.key_partition | join("\n                    ") }}
                    ORDER BY {{ plan.change_seq }}
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ),
                {% if plan.truncates %}-1{% else %}FALSE{% endif %}
            ){% if plan.truncates %} = {{ plan.epoch }}{% endif %} AS {{ plan.row_found }}
        FROM {% if plan.key_changes %}possible{% else %}events{% endif %}
    )
