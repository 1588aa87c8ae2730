{#- Of each row the copies that the target holds. -#}
held AS (
        -- The copies that the target holds.
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            COUNT(*) AS {{ plan.copies_held }}
        FROM {{ plan.target }}
        GROUP BY
{%- for column in plan.columns %}
            {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    )
