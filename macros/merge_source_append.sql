{#- For a table that publishes inserts only and has no key in its target: new rows are added. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %}

    SELECT
{%- for column in plan.columns %}
        {{ column.new }} AS {{ column.name }},
{%- endfor %}
        1 AS {{ plan.copy_ordinal }}
    FROM sides
    UNION ALL
    -- A TRUNCATE deletes every row that the target holds.
    SELECT DISTINCT
{%- for column in plan.columns %}
        present.{{ column.name }},
{%- endfor %}
        0 AS {{ plan.copy_ordinal }}
    FROM {{ plan.target }} AS present
    CROSS JOIN truncated
