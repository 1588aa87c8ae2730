{#- A row that the target holds: its key. -#}
{%- for column in plan.key_columns %}
            present.{{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
            NULL AS {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            FALSE AS {{ column.keeps }},
{%- endfor %}
