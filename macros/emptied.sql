{#- A TRUNCATE deletes every row that the target holds. -#}
{%- include "present_row.sql" %}
            'delete' AS {{ plan.effect }},
            truncated.seq AS {{ plan.change_seq }}
        FROM {{ plan.target }} AS present
        CROSS JOIN truncated
