{#- Only rows whose key a change names. #}
        WHERE
            EXISTS (
                SELECT 1
                FROM changed
                WHERE
{%- for column in plan.key_columns %}
                    {{ "AND " if not loop.first }}changed.{{ column.name }} = present.{{ column.name }}
{%- endfor %}
            )
