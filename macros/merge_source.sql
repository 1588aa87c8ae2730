{#- One row for each key that the batch touches: what is left of it in the end. -#}
WITH
  {{ plan.changes_sql }},
  events AS (
    SELECT
{%- for column in plan.key_columns %}
      CASE WHEN {{ plan.side }} = 'old' THEN {{ column.old }} ELSE {{ column.new }} END AS {{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
      CASE WHEN {{ plan.side }} = 'new' THEN {{ column.new }} END AS {{ column.name }},
{%- endfor %}
      CASE WHEN {{ plan.side }} = 'old' THEN 'delete' ELSE {{ plan.effect }} END AS {{ plan.effect }},
      seq AS {{ plan.change_seq }}
    FROM sides
    UNION ALL
    -- A TRUNCATE deletes every row that the target holds.
    SELECT
{%- for column in plan.key_columns %}
      target.{{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
      NULL,
{%- endfor %}
      'delete',
      truncated.seq
    FROM {{ plan.target }} AS target
    CROSS JOIN truncated
  ),
  net AS (
    -- The last change of a key decides.
    SELECT
      *,
      ROW_NUMBER() OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }} DESC) AS {{ plan.recency }}
    FROM events
  )
  SELECT
{%- for column in plan.columns %}
    {{ column.name }},
{%- endfor %}
    {{ plan.effect }}
  FROM net
  WHERE {{ plan.recency }} = 1
