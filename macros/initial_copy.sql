{#- The rows that a new target starts with: those that any publication's filter takes. -#}
{% for line in plan.header %}
-- {{ line }}
{%- endfor %}
INSERT INTO {{ plan.target }} (
{%- for column in plan.columns %}
  {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
)
SELECT
{%- for column in plan.columns %}
  {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
FROM {{ plan.source_view }}
WHERE COALESCE(
{%- for criterion in plan.copy_criteria %}
  -- {{ criterion.label }}
  {{ criterion.connective }}/*<{{ criterion.number }}*/ ({{ criterion.sql }}) /*{{ criterion.number }}>*/
{%- endfor %}
  , {{ plan.unknown_matches }})
