{#- A TRUNCATE deletes every row that the target holds. -#}
SELECT
{%- for column in plan.columns %}
            present.{{ column.name }},
{%- endfor %}
            0 AS {{ plan.copy_step }}
