{#- The rows that a new target starts with: those that any publication's filter takes.

    Override: keep the COALESCE around the filters, and one INSERT. -#}
{%- from "filters.sql" import filters %}
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
{{- filters(plan.copy_criteria, "\n        ") }},
        {{ plan.unknown_matches }}
    )
