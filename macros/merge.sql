{#- The statement that a reviewer reads and the runner executes. -#}
{% for line in plan.header %}
-- {{ line }}
{%- endfor %}
MERGE INTO {{ plan.target }} AS t
USING (
    {{ plan.source_sql }}
) AS s
    ON
{%- for column in plan.key_columns %}
        {{ "AND " if not loop.first }}t.{{ column.name }} = s.{{ column.name }}
{%- endfor %}
WHEN MATCHED AND s.{{ plan.effect }} = 'delete' THEN
    DELETE
WHEN MATCHED THEN
    UPDATE SET
{%- for column in plan.assignments %}
        {{ column.name }} = {{ column.updated | join("\n        ") }}{{ "," if not loop.last }}
{%- endfor %}
WHEN NOT MATCHED AND {{ plan.inserts | join("\n    ") }} THEN
    INSERT (
{%- for column in plan.columns %}
        {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    )
    VALUES (
{%- for column in plan.columns %}
        {{ column.inserted | join("\n        ") }}{{ "," if not loop.last }}
{%- endfor %}
    )
