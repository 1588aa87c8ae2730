{#- The statement that a reviewer reads and the runner executes.

    Branches on: keyed, narrows (of a changed definition: rows only leave), by_delete (it is a DELETE of these).
    Without a key, ordinal 0 stands for all copies of a row.
    Override: keep the query plan.source_sql as it is, between `USING (` and `) AS s`: a run stages its rows
    and puts them in its place. -#}
{%- from "filter_lines.sql" import filter_lines %}
{% for line in plan.header %}
-- {{ line }}
{%- endfor %}
{%- if plan.by_delete %}
DELETE FROM {{ plan.target }}
WHERE
    NOT COALESCE(
{{- filter_lines(plan.copy_criteria, "\n        ") }},
        {{ plan.unknown_matches }}
    )
{%- else %}
MERGE INTO {{ plan.target }} AS t
USING (
    {{ plan.source_sql }}
) AS s
    ON
{%- if plan.keyed %}
{%- for column in plan.key_columns %}
        {{ "AND " if not loop.first }}t.{{ column.name }} = s.{{ column.name }}
{%- endfor %}
WHEN MATCHED AND s.{{ plan.effect }} = 'delete' THEN
    DELETE
{%- if not plan.narrows %}
WHEN MATCHED THEN
    UPDATE SET
{%- for column in plan.assignments %}
        {{ column.name }} = {{ column.updated | join("\n        ") }}{{ "," if not loop.last }}
{%- endfor %}
WHEN NOT MATCHED AND {{ plan.inserts | join("\n    ") }} THEN
{%- endif %}
{%- else %}
        s.{{ plan.copy_ordinal }} = 0
{%- for column in plan.columns %}
        AND t.{{ column.name }} IS NOT DISTINCT FROM s.{{ column.name }}
{%- endfor %}
WHEN MATCHED THEN
    DELETE
{%- if not plan.narrows %}
WHEN NOT MATCHED AND s.{{ plan.copy_ordinal }} > 0 THEN
{%- endif %}
{%- endif %}
{%- if not plan.narrows %}
    INSERT (
{%- for column in plan.columns %}
        {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    )
    VALUES (
{%- for column in plan.columns %}
        {% if plan.keyed %}{{ column.inserted | join("\n        ") }}{% else %}s.{{ column.name }}{% endif %}{{ "," if not loop.last }}
{%- endfor %}
    )
{%- endif %}
{%- endif %}
