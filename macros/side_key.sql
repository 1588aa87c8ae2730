{#- The key of the row that a side of a change is about. -#}
{%- for column in plan.key_columns %}
            CASE
                WHEN {{ plan.side }} = 'old' THEN {{ column.old }}
                ELSE {{ column.new }}
            END AS {{ column.name }},
{%- endfor %}
