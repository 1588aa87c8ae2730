{#- For a table without key: rows are told apart by their whole content, and counted. An old row
    takes away one copy where there is one, a new row adds one. Where the number of copies changes,
    ordinal 0 deletes all of them and the ordinals above it insert those that remain. -#}
WITH
  {{ plan.changes_sql }},
  events AS (
    SELECT
{%- for column in plan.columns %}
      CASE WHEN {{ plan.side }} = 'old' THEN {{ column.old }} ELSE {{ column.new }} END AS {{ column.name }},
{%- endfor %}
      CASE WHEN {{ plan.side }} = 'old' THEN -1 ELSE 1 END AS {{ plan.step }},
      seq AS {{ plan.seq }}
    FROM sides
    UNION ALL
    -- A TRUNCATE deletes every row that the target holds.
    SELECT
{%- for column in plan.columns %}
      target.{{ column.name }},
{%- endfor %}
      0,
      truncated.seq
    FROM {{ plan.target }} AS target
    CROSS JOIN truncated
  ),
  walked AS (
    SELECT
      *,
      SUM({{ plan.step }}) OVER (PARTITION BY {{ plan.row | join(", ") }} ORDER BY {{ plan.seq }}, {{ plan.step }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS {{ plan.level }}
    FROM events
  ),
  tallied AS (
    SELECT
      {{ plan.row | join(", ") }},
      SUM({{ plan.step }}) AS {{ plan.total }},
      MIN({{ plan.level }}) AS {{ plan.lowest }}
    FROM walked
    GROUP BY {{ plan.row | join(", ") }}
  ),
  held AS (
    SELECT
      {{ plan.row | join(", ") }},
      COUNT(*) AS {{ plan.copies }}
    FROM {{ plan.target }}
    GROUP BY {{ plan.row | join(", ") }}
  ),
  net AS (
    -- Removing a copy that is not there changes nothing, so the count never falls below zero.
    SELECT
{%- for column in plan.columns %}
      tallied.{{ column.name }},
{%- endfor %}
      COALESCE(held.{{ plan.copies }}, 0) AS {{ plan.copies }},
      tallied.{{ plan.total }} + GREATEST(
        CASE WHEN EXISTS (SELECT 1 FROM truncated) THEN 0 ELSE COALESCE(held.{{ plan.copies }}, 0) END,
        -tallied.{{ plan.lowest }}
      ) AS {{ plan.remaining }}
    FROM tallied
    LEFT JOIN held
      ON {% for column in plan.columns %}{{ " AND " if not loop.first }}held.{{ column.name }} IS NOT DISTINCT FROM tallied.{{ column.name }}{% endfor %}
  )
  SELECT
{%- for column in plan.columns %}
    {{ column.name }},
{%- endfor %}
    {{ plan.explode }}({{ plan.zero_to_remaining }}) AS {{ plan.ordinal }}
  FROM net
  WHERE {{ plan.remaining }} <> {{ plan.copies }}
