{#- Rows whose number of copies changes: ordinal 0, and one ordinal for each copy that remains. -#}
SELECT
{%- for column in plan.columns %}
        {{ column.name }},
{%- endfor %}
        {{ plan.explode }}(
            {{ plan.zero_to_copies_left }}
        ) AS {{ plan.copy_ordinal }}
    FROM net
    WHERE {{ plan.copies_left }} <> {{ plan.copies_held }}
