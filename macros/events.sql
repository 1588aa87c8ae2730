{#- Of a table with a key: what happens to the target's rows, one by one.

    Prints: the part `events`. Where earlier rows decide, also `changed`, the same without the rows of the
    target, and there a change of the key is one that `left` and one that `arrived`.
    Branches on: expires (rows of the target leave when their time is over), held_first (`held` rows of the target come before the changes), truncates (with held_first
    each change has its epoch, too: what lies between two TRUNCATEs, as no row of an earlier one is there
    any more), skips_missing (`held` rows, of which only the key matters), lacks_values (an out-of-line
    value may be left out).
    Override: keep the parts, the key and payload columns, `keeps_…`, effect and change_seq (and epoch). -#}
{%- from "sides.sql" import key_alone, moved_effect, present_rows, side_key, still_there %}
{%- from "counting.sql" import counting_effect, counting_emptied %}
{%- if plan.held_first and plan.truncates -%}
truncations AS (
        SELECT seq
        FROM {{ plan.changes }}
        WHERE op IN ('truncate')
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
{%- if plan.lacks_values %}
            sides.unchanged,
{%- endif %}
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

    {% endif -%}
{%- if plan.held_first or plan.skips_missing %}changed{% else %}events{% endif %} AS (
        -- What happens to the target's rows, one by one.
        SELECT
{{- side_key(plan) }}
{%- for column in plan.payload_columns %}
            {{ column.new }} AS {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            {{ plan.side }} = 'new'
            AND {{ column.is_unchanged }}
                AS {{ column.keeps }},
{%- endfor %}
{%- if plan.held_first or plan.skips_missing %}
            {{ moved_effect(plan) }},
{%- if plan.held_first and plan.truncates %}
            {{ plan.epoch }},
{%- endif %}
            seq AS {{ plan.change_seq }}
        FROM {% if plan.held_first and plan.truncates %}dated{% else %}sides{% endif %}
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
            {% if plan.held_first %}{{ column.held }}{% else %}NULL AS {{ column.name }}{% endif %},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            {% if plan.held_first %}FALSE{% else %}TRUE{% endif %} AS {{ column.keeps }},
{%- endfor %}
            'held' AS {{ plan.effect }},
{%- if plan.held_first and plan.truncates %}
            0 AS {{ plan.epoch }},
{%- endif %}
            -1 AS {{ plan.change_seq }}
        FROM {{ present_rows(plan) }}
        WHERE
            {% if plan.expires %}{{ still_there(plan) }}
            AND {% endif %}EXISTS (
                SELECT 1
                FROM changed
                WHERE
{%- for column in plan.key_columns %}
                    {{ "AND " if not loop.first }}changed.{{ column.name }} = present.{{ column.name }}
{%- endfor %}
            )
{%- else %}
            CASE
{%- if plan.lacks_values %}
                -- PostgreSQL sends NULL for such a column of a row that enters
                -- the filter. This stops.
                WHEN
                    {{ plan.side }} = 'new'
                    AND {{ plan.must_be_complete | join("\n                    ") }}
                    AND {{ plan.any_unchanged | join("\n                    ") }}
                    THEN {{ plan.unknown_value | join("\n                    ") }}
{%- endif %}
                WHEN {{ plan.side }} = 'old' THEN 'delete'
                ELSE {{ plan.effect }}
            END AS {{ plan.effect }},
{{- counting_effect(plan) }}
            seq AS {{ plan.change_seq }}
        FROM sides
{%- endif %}
{%- if plan.truncates %}
        UNION ALL
        -- A TRUNCATE deletes every row that the target holds.
        SELECT
{{- key_alone(plan) }}
            {% if plan.held_first %}'truncate'{% else %}'delete'{% endif %} AS {{ plan.effect }},
{%- if plan.held_first %}
            0 AS {{ plan.epoch }},
{%- endif %}
{{- counting_emptied(plan) }}
            truncated.seq AS {{ plan.change_seq }}
        FROM {{ plan.target }} AS present
        CROSS JOIN truncated
{%- endif %}
{%- if plan.expires %}
        UNION ALL
        -- A row leaves when its time is over, before any change comes.
        SELECT
{{- key_alone(plan) }}
            'delete' AS {{ plan.effect }},
{%- if plan.held_first and plan.truncates %}
            0 AS {{ plan.epoch }},
{%- endif %}
{{- counting_emptied(plan) }}
            -1 AS {{ plan.change_seq }}
        FROM {{ present_rows(plan) }}
        WHERE present.{{ plan.is_over }}
{%- endif %}
    )
