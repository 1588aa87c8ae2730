{#- As audit, for a table without key: copies that are missing or too many. -#}
{% for line in plan.header %}
-- {{ line }}
{%- endfor %}
WITH
  counted AS (
    SELECT
{%- for column in plan.columns %}
      {{ column.name }},
{%- endfor %}
      1 AS {{ plan.copy_step }}
    FROM {{ plan.source_view }}
    WHERE COALESCE(
{%- for criterion in plan.copy_criteria %}
      -- {{ criterion.label }}
      {{ criterion.connective }}/*<{{ criterion.number }}*/ ({{ criterion.sql }}) /*{{ criterion.number }}>*/
{%- endfor %}
      , {{ plan.unknown_matches }})
    UNION ALL
    SELECT
{%- for column in plan.columns %}
      {{ column.name }},
{%- endfor %}
      -1
    FROM {{ plan.target }}
  )
SELECT
{%- for column in plan.columns %}
  {{ column.name }},
{%- endfor %}
  CASE WHEN SUM({{ plan.copy_step }}) < 0 THEN 'leaked' ELSE 'missing' END AS {{ plan.finding }},
  ABS(SUM({{ plan.copy_step }})) AS {{ plan.copies_held }}
FROM counted
GROUP BY {{ plan.row | join(", ") }}
HAVING SUM({{ plan.copy_step }}) <> 0
