{#- As conflicts_keyed, for a table without key where an UPDATE of a row that the target lacks is skipped. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    {% include "events_keyless_skipping.sql" %},

    met AS (
        SELECT
{%- for column in plan.columns %}
            events.{{ column.name }},
{%- endfor %}
            events.{{ plan.change_seq }},
            CASE
                WHEN missed.{{ plan.place }} IS NULL THEN NULL
                WHEN events.{{ plan.effect }} = 'update' THEN 'update_missing'
                ELSE 'delete_missing'
            END AS {{ plan.finding }}
        FROM events
        LEFT JOIN missed
            ON events.{{ plan.change_seq }} = missed.{{ plan.place }}
        WHERE events.{{ plan.copy_step }} = -1
    )
