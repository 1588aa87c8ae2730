{#- The statement for a table without key. Ordinal 0 stands for all copies of a row. -#}
{% for line in plan.header %}
-- {{ line }}
{%- endfor %}
MERGE INTO {{ plan.target }} AS t
USING (
    {{ plan.source_sql }}
) AS s
    ON
        s.{{ plan.copy_ordinal }} = 0
{%- for column in plan.columns %}
        AND t.{{ column.name }} IS NOT DISTINCT FROM s.{{ column.name }}
{%- endfor %}
WHEN MATCHED THEN
    DELETE
WHEN NOT MATCHED AND s.{{ plan.copy_ordinal }} > 0 THEN
    INSERT (
{%- for column in plan.columns %}
        {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    )
    VALUES (
{%- for column in plan.columns %}
        s.{{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    )
