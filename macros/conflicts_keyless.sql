{#- As conflicts, for a table without key: an old row of which the target holds no copy. -#}
WITH
  {{ plan.changes_sql }},
  events AS (
    SELECT
{%- for column in plan.columns %}
      CASE WHEN {{ plan.side }} = 'old' THEN {{ column.old }} ELSE {{ column.new }} END AS {{ column.name }},
{%- endfor %}
      CASE WHEN {{ plan.side }} = 'old' THEN -1 ELSE 1 END AS {{ plan.step }},
      {{ plan.effect }},
      seq AS {{ plan.seq }}
    FROM sides
  ),
  walked AS (
    SELECT
      *,
      SUM({{ plan.step }}) OVER (PARTITION BY {{ plan.row | join(", ") }} ORDER BY {{ plan.seq }}, {{ plan.step }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS {{ plan.level }}
    FROM events
  ),
  lowered AS (
    SELECT
      *,
      MIN({{ plan.level }}) OVER (PARTITION BY {{ plan.row | join(", ") }} ORDER BY {{ plan.seq }}, {{ plan.step }} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS {{ plan.lowest }}
    FROM walked
  ),
  held AS (
    SELECT
      {{ plan.row | join(", ") }},
      COUNT(*) AS {{ plan.copies }}
    FROM {{ plan.target }}
    WHERE NOT EXISTS (SELECT 1 FROM truncated)
    GROUP BY {{ plan.row | join(", ") }}
  ),
  met AS (
    SELECT
      lowered.{{ plan.effect }},
      lowered.{{ plan.step }},
      lowered.{{ plan.level }} + 1 + GREATEST(COALESCE(held.{{ plan.copies }}, 0), -COALESCE(lowered.{{ plan.lowest }}, 0)) AS {{ plan.copies }}
    FROM lowered
    LEFT JOIN held
      ON {% for column in plan.columns %}{{ " AND " if not loop.first }}held.{{ column.name }} IS NOT DISTINCT FROM lowered.{{ column.name }}{% endfor %}

    WHERE lowered.{{ plan.step }} = -1
  )
SELECT
  0 AS insert_exists,
  0 AS update_exists,
  COALESCE(SUM(CASE WHEN {{ plan.effect }} = 'update' AND {{ plan.copies }} <= 0 THEN 1 ELSE 0 END), 0) AS update_missing,
  COALESCE(SUM(CASE WHEN {{ plan.effect }} = 'delete' AND {{ plan.copies }} <= 0 THEN 1 ELSE 0 END), 0) AS delete_missing,
  (SELECT COALESCE(SUM(CASE WHEN {{ plan.effect }} = 'nothing' THEN 1 ELSE 0 END), 0) FROM transformed) AS changes_not_published
FROM met
