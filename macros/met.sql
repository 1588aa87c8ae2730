{#- What the changes met in the target: PostgreSQL 18's names of conflicts, and the changes that no
    filter let through. Counted beside the MERGE, changes nothing. -#}
WITH
  {{ plan.changes_sql }},
  events AS (
    SELECT
{%- for column in plan.key_columns %}
      CASE WHEN {{ plan.side }} = 'old' THEN {{ column.old }} ELSE {{ column.new }} END AS {{ column.name }},
{%- endfor %}
      CASE
        WHEN {{ plan.side }} = 'old' AND {{ plan.effect }} = 'update' THEN 'left'
        WHEN {{ plan.effect }} = 'update' AND ({{ plan.key_changed | join(" OR ") }}) THEN 'arrived'
        ELSE {{ plan.effect }}
      END AS {{ plan.effect }},
      seq AS {{ plan.change_seq }}
    FROM sides
  ),
  ordered AS (
    SELECT
      *,
      LAG({{ plan.effect }}) OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }}) AS {{ plan.previous_effect }}
    FROM events
  ),
  looked_up AS (
    SELECT
{%- for column in plan.key_columns %}
      ordered.{{ column.name }},
{%- endfor %}
      ordered.{{ plan.effect }},
      ordered.{{ plan.change_seq }},
      CASE
        WHEN ordered.{{ plan.previous_effect }} IS NOT NULL THEN ordered.{{ plan.previous_effect }} IN ('insert', 'update', 'arrived')
        WHEN EXISTS (SELECT 1 FROM truncated) THEN FALSE
        ELSE present.{{ plan.row_found }} IS NOT NULL
      END AS {{ plan.row_found }}
    FROM ordered
    LEFT JOIN (
      SELECT
{%- for column in plan.key_columns %}
        {{ column.name }},
{%- endfor %}
        TRUE AS {{ plan.row_found }}
      FROM {{ plan.target }}
    ) AS present
      ON ordered.{{ plan.previous_effect }} IS NULL
{%- for column in plan.key_columns %}
      AND present.{{ column.name }} = ordered.{{ column.name }}
{%- endfor %}
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
