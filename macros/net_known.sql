{#- A change with the newest known value of each column that it may have left out. -#}
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
{%- for column in plan.complete_columns %}
            {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            {{ column.last_known | join("\n            ") }} OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS {{ column.known }},
{%- endfor %}
