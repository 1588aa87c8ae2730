{#- A TRUNCATE deletes every row that the target holds. -#}
{%- include "present_row.sql" %}
            'delete' AS {{ plan.effect }},
{%- for counting in plan.counting %}
            /*<counting*/
            CAST(NULL AS {{ plan.text_type }}) AS {{ counting.met_effect }},
            /*counting>*/
{%- endfor %}
            truncated.seq AS {{ plan.change_seq }}
        FROM {{ plan.target }} AS present
        CROSS JOIN truncated
