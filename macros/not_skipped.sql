{#- The changes that are not skipped.

    Prints: the part `taken`, after `events`.
    Branches on: keeps_existing (a change that meets the wrong state is skipped; see keeping.sql), key_changes.
    Override: keep `taken`, which has the columns of `events`. -#}
{% include "events.sql" %},

    {% if plan.keeps_existing -%}
    {% include "keeping.sql" %},

    taken AS (
        -- The changes that are not skipped.
        SELECT *
        FROM found_under_key
        WHERE
{%- if plan.key_changes %}
            ({{ plan.effect }} = 'update' OR NOT {{ plan.stays }})
            AND (
                {{ plan.effect }} NOT IN ('insert', 'update')
                OR {{ plan.row_found }} = ({{ plan.effect }} = 'update')
            )
{%- else %}
            {{ plan.effect }} <> 'insert'
            OR NOT {{ plan.row_found }}
{%- endif %}
    )
    {%- else -%}
    taken AS (
        SELECT * FROM events
    )
    {%- endif %}
