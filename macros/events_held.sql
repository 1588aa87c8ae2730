{#- What happens under each key: changes, the row that the target holds before, and a TRUNCATE. An epoch
    is what lies between two TRUNCATEs: no row of an earlier one is there any more. -#}
truncations AS (
    SELECT seq
    FROM {{ plan.changes }}
    WHERE op IN ({{ plan.truncate_ops | join(", ") }})
  ),
  changed AS (
    SELECT
{%- for column in plan.key_columns %}
      CASE WHEN {{ plan.side }} = 'old' THEN {{ column.old }} ELSE {{ column.new }} END AS {{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
      CASE WHEN {{ plan.side }} = 'new' THEN {{ column.new }} END AS {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
      {{ plan.side }} = 'new' AND {{ column.is_unchanged }} AS {{ column.keeps }},
{%- endfor %}
      CASE
        WHEN {{ plan.side }} = 'old' AND {{ plan.effect }} = 'update' THEN 'left'
        WHEN {{ plan.effect }} = 'update' AND ({{ plan.key_changed | join(" OR ") }}) THEN 'arrived'
        ELSE {{ plan.effect }}
      END AS {{ plan.effect }},
      {{ plan.epoch_of_change }} AS {{ plan.epoch }},
      seq AS {{ plan.change_seq }}
    FROM sides
  ),
  events AS (
    SELECT * FROM changed
    UNION ALL
    -- The rows that the target holds under these keys before any change.
    SELECT
{%- for column in plan.key_columns %}
      target.{{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
      {{ column.held }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
      FALSE,
{%- endfor %}
      'held',
      0,
      -1
    FROM {{ plan.target }} AS target
    WHERE EXISTS (
      SELECT 1
      FROM changed
      WHERE {% for column in plan.key_columns %}{{ " AND " if not loop.first }}changed.{{ column.name }} = target.{{ column.name }}{% endfor %}

    )
    UNION ALL
    -- A TRUNCATE deletes every row that the target holds.
    SELECT
{%- for column in plan.key_columns %}
      target.{{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
      NULL,
{%- endfor %}
{%- for column in plan.keepable_columns %}
      FALSE,
{%- endfor %}
      'truncate',
      0,
      truncated.seq
    FROM {{ plan.target }} AS target
    CROSS JOIN truncated
  )
