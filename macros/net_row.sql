{#- What is staged of the last change of a key. -#}
{%- for column in plan.key_columns %}
        net.{{ column.name }},
{%- endfor %}
{%- for column in plan.complete_columns %}
        net.{{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
        net.{{ column.known }}.newest AS {{ column.name }},
        net.{{ column.known }} IS NULL AS {{ column.keeps }},
{%- endfor %}
