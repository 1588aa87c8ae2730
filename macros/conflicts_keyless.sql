{#- As conflicts, for a table without key: an old row of which the target holds no copy. -#}
WITH
  {{ plan.changes_sql }},
  events AS (
    SELECT
{%- for column in plan.columns %}
      CASE WHEN {{ plan.side }} = 'old' THEN {{ column.old }} ELSE {{ column.new }} END AS {{ column.name }},
{%- endfor %}
      CASE WHEN {{ plan.side }} = 'old' THEN -1 ELSE 1 END AS {{ plan.copy_step }},
      {{ plan.effect }},
      seq AS {{ plan.change_seq }}
    FROM sides
  ),
  walked AS (
    SELECT
      *,
      SUM({{ plan.copy_step }}) OVER (PARTITION BY {{ plan.row | join(", ") }} ORDER BY {{ plan.change_seq }}, {{ plan.copy_step }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS {{ plan.copy_level }}
    FROM events
  ),
  lowered AS (
    SELECT
      *,
      MIN({{ plan.copy_level }}) OVER (PARTITION BY {{ plan.row | join(", ") }} ORDER BY {{ plan.change_seq }}, {{ plan.copy_step }} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS {{ plan.copy_lowest }}
    FROM walked
  ),
  held AS (
    SELECT
      {{ plan.row | join(", ") }},
      COUNT(*) AS {{ plan.copies_held }}
    FROM {{ plan.target }}
    WHERE NOT EXISTS (SELECT 1 FROM truncated)
    GROUP BY {{ plan.row | join(", ") }}
  ),
  met AS (
    SELECT
      lowered.{{ plan.effect }},
      lowered.{{ plan.copy_step }},
      lowered.{{ plan.copy_level }} + 1 + GREATEST(COALESCE(held.{{ plan.copies_held }}, 0), -COALESCE(lowered.{{ plan.copy_lowest }}, 0)) AS {{ plan.copies_held }}
    FROM lowered
    LEFT JOIN held
      ON {% for column in plan.columns %}{{ " AND " if not loop.first }}held.{{ column.name }} IS NOT DISTINCT FROM lowered.{{ column.name }}{% endfor %}

    WHERE lowered.{{ plan.copy_step }} = -1
  )
SELECT
  0 AS insert_exists,
  0 AS update_exists,
  COALESCE(SUM(CASE WHEN {{ plan.effect }} = 'update' AND {{ plan.copies_held }} <= 0 THEN 1 ELSE 0 END), 0) AS update_missing,
  COALESCE(SUM(CASE WHEN {{ plan.effect }} = 'delete' AND {{ plan.copies_held }} <= 0 THEN 1 ELSE 0 END), 0) AS delete_missing,
  (SELECT COALESCE(SUM(CASE WHEN {{ plan.effect }} = 'nothing' THEN 1 ELSE 0 END), 0) FROM transformed) AS changes_not_published
FROM met
