{#- An old row takes away one copy, a new row adds one. -#}
SELECT
            {{ plan.effect }},
            seq AS {{ plan.change_seq }},
{%- include "side_columns.sql" %}
            CASE WHEN {{ plan.side }} = 'old' THEN -1 ELSE 1 END AS {{ plan.copy_step }}
        FROM sides
