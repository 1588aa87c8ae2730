{#- As conflicts_keyed, for a table to which rows are only added: nothing can be met. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    met AS (
        SELECT
{%- for column in plan.columns %}
            {{ column.new }} AS {{ column.name }},
{%- endfor %}
            seq AS {{ plan.change_seq }},
            CAST(NULL AS {{ plan.text_type }}) AS {{ plan.finding }}
        FROM sides
    )
