{#- As merge_source, where a change is skipped that meets the wrong state in the target: the last change
    of a key that is not skipped decides. -#}
WITH
  {{ plan.changes_sql }},
  {% include "taken_keeping.sql" %},
  net AS (
    SELECT
{%- for column in plan.key_columns %}
      {{ column.name }},
{%- endfor %}
{%- for column in plan.complete_columns %}
      {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
      {{ column.last_known }} OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS {{ column.known }},
{%- endfor %}
      {{ plan.checked_effect }} AS {{ plan.effect }},
      {{ plan.change_seq }},
      LEAD({{ plan.change_seq }}) OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }}) AS {{ plan.recency }}
    FROM taken
  )
  SELECT
{%- for column in plan.key_columns %}
    {{ column.name }},
{%- endfor %}
{%- for column in plan.complete_columns %}
    {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
    {{ column.known }}.value AS {{ column.name }},
    {{ column.known }} IS NULL AS {{ column.keeps }},
{%- endfor %}
    CASE WHEN {{ plan.effect }} IN ('insert', 'update', 'arrived') AND {{ plan.change_seq }} > COALESCE((SELECT seq FROM truncated), -1) THEN 'insert' ELSE 'delete' END AS {{ plan.effect }}
  FROM net
  WHERE {{ plan.recency }} IS NULL
    AND {{ plan.effect }} <> 'held'
