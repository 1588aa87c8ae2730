{#- The row that a side of a change is about, under its key. -#}
{%- include "side_key.sql" %}
{%- for column in plan.payload_columns %}
            {{ column.new }} AS {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            {{ plan.side }} = 'new'
            AND {{ column.is_unchanged }}
                AS {{ column.keeps }},
{%- endfor %}
