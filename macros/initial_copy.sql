{#- The rows that a new target starts with: those that any publication's filter takes.

    Override: keep the COALESCE around the filters, and one INSERT. -#}
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
{%- for criterion in plan.copy_criteria %}
{%- for line in criterion.label_lines %}
        -- {{ line }}
{%- endfor %}
        {{ criterion.connective }}{{ criterion.lines | join("\n        ") }}
{%- endfor %},
        {{ plan.unknown_matches }}
    )
