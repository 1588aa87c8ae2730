{#- As conflicts, where an UPDATE of a row that the target lacks is skipped. -#}
WITH RECURSIVE
  {{ plan.changes_sql }},
  {% include "events_skipping.sql" %},
  followed AS (
    SELECT
      {{ plan.key | join(", ") }},
      {{ plan.effect }},
      {{ plan.change_seq }},
      MAX(CASE WHEN {{ plan.effect }} IN ('held', 'insert', 'arrived') THEN {{ plan.change_seq }} END) OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS {{ plan.added_seq }},
      MAX(CASE WHEN {{ plan.effect }} IN ('delete', 'left') THEN {{ plan.change_seq }} END) OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS {{ plan.removed_seq }}
    FROM applied
  ),
  looked_up AS (
    SELECT
      {{ plan.key | join(", ") }},
      {{ plan.effect }},
      {{ plan.change_seq }},
      COALESCE({{ plan.added_seq }} > COALESCE({{ plan.removed_seq }}, -2), FALSE) AS {{ plan.row_found }}
    FROM followed
    WHERE {{ plan.change_seq }} > COALESCE((SELECT seq FROM truncated), -1)
  ),
  met AS (
    SELECT
      {{ plan.key | join(", ") }},
      {{ plan.change_seq }},
      CASE
        WHEN {{ plan.effect }} = 'insert' AND {{ plan.row_found }} THEN 'insert_exists'
        WHEN {{ plan.effect }} = 'arrived' AND {{ plan.row_found }} THEN 'update_exists'
        WHEN {{ plan.effect }} IN ('update', 'left') AND NOT {{ plan.row_found }} THEN 'update_missing'
        WHEN {{ plan.effect }} = 'delete' AND NOT {{ plan.row_found }} THEN 'delete_missing'
      END AS {{ plan.finding }}
    FROM looked_up
  )
