{#- As merge_source_keyless, where an UPDATE of a row that the target lacks is skipped. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    {% include "events_keyless_skipping.sql" %},

    taken AS (
        -- The changes that are not skipped.
        SELECT
{%- for column in plan.columns %}
            events.{{ column.name }},
{%- endfor %}
            events.{{ plan.copy_step }}
        FROM events
        LEFT JOIN missed
            ON events.{{ plan.change_seq }} = missed.{{ plan.place }}
        WHERE missed.{{ plan.place }} IS NULL
        UNION ALL
        -- A TRUNCATE deletes every row that the target holds.
        {% include "copies_emptied.sql" %}
        FROM {{ plan.target }} AS present
        CROSS JOIN truncated
    ),

    tallied AS (
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            SUM({{ plan.copy_step }}) AS {{ plan.copy_total }}
        FROM taken
        GROUP BY
{%- for column in plan.columns %}
            {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    ),

    net AS (
        SELECT
{%- for column in plan.columns %}
            tallied.{{ column.name }},
{%- endfor %}
            COALESCE(held.{{ plan.copies_held }}, 0) AS {{ plan.copies_held }},
            tallied.{{ plan.copy_total }} + CASE
                WHEN EXISTS (SELECT 1 FROM truncated) THEN 0
                ELSE COALESCE(held.{{ plan.copies_held }}, 0)
            END AS {{ plan.copies_left }}
        {% include "copies_beside.sql" %}
    )

    {% include "copies_listed.sql" %}
