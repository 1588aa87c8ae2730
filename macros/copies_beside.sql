{#- What the changes of a row come to, beside the copies of it that the target holds. -#}
FROM tallied
        LEFT JOIN held
            ON
{%- for column in plan.columns %}
                {{ "AND " if not loop.first }}tallied.{{ column.name }} IS NOT DISTINCT FROM held.{{ column.name }}
{%- endfor %}
