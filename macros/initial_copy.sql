{#- The rows that a new target starts with: those that any publication's filter takes.

    Override: keep the COALESCE around the filters, and one INSERT. -#}
{%- from "filter_lines.sql" import filter_lines %}
{% for line in plan.header %}
-- {{ line }}
{%- endfor %}
INSERT INTO {{ plan.target }} (
{%- for column in plan.columns %}
    {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
)
{{ plan.selection | join("\n") }}
FROM {{ plan.source_view }}
WHERE
    COALESCE(
{{- filter_lines(plan.copy_criteria, "\n        ") }},
        {{ plan.unknown_matches }}
    )
