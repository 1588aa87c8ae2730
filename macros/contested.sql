{#- Rows are found by one key, and another one is the primary key: changes that bring a row under a
    primary key that another row has. Each change of the batch takes one and gives one up.

    Branches on: truncates, expires (a row whose time is over has no key).
    Override: keep the columns: the primary key, change_seq and finding. -#}
{%- from "sides.sql" import present_rows, still_there -%}
WITH
  {% include "changes.sql" %},
  {% include "not_skipped.sql" %},
  walked AS (
    SELECT
      *,
{%- for column in plan.unique_columns %}
      LAG({{ column.name }}) OVER (PARTITION BY {% for column in plan.key_columns %}{{ column.name }}{{ ", " if not loop.last }}{% endfor %} ORDER BY {{ plan.change_seq }}) AS {{ column.known }},
{%- endfor %}
      LAG({{ plan.effect }}) OVER (PARTITION BY {% for column in plan.key_columns %}{{ column.name }}{{ ", " if not loop.last }}{% endfor %} ORDER BY {{ plan.change_seq }}) AS {{ plan.old_effect }}
{%- if plan.truncates %},
      LAG({{ plan.epoch }}) OVER (PARTITION BY {% for column in plan.key_columns %}{{ column.name }}{{ ", " if not loop.last }}{% endfor %} ORDER BY {{ plan.change_seq }}) AS {{ plan.previous_epoch }}
{%- endif %}
    FROM taken
{%- if plan.truncates %}
    WHERE {{ plan.effect }} <> 'truncate'
{%- endif %}
  ),
  claims AS (
    SELECT
{%- for column in plan.unique_columns %}
      {{ column.name }},
{%- endfor %}
      {{ plan.effect }},
{%- if plan.truncates %}
      {{ plan.epoch }},
{%- endif %}
      {{ plan.change_seq }},
      1 AS {{ plan.copy_step }}
    FROM walked
    WHERE {{ plan.effect }} IN ('held', 'insert', 'update', 'arrived')
    UNION ALL
    SELECT
{%- for column in plan.unique_columns %}
      {{ column.known }},
{%- endfor %}
      {{ plan.effect }},
{%- if plan.truncates %}
      {{ plan.epoch }},
{%- endif %}
      {{ plan.change_seq }},
      -1
    FROM walked
    WHERE {{ plan.old_effect }} IN ('held', 'insert', 'update', 'arrived')
{%- if plan.truncates %}
      AND {{ plan.previous_epoch }} = {{ plan.epoch }}
{%- endif %}
    UNION ALL
    -- Rows of the target whose own key no change names.
    SELECT
{%- for column in plan.unique_columns %}
      target.{{ column.name }},
{%- endfor %}
      'held',
{%- if plan.truncates %}
      0,
{%- endif %}
      -1,
      1
    FROM {{ present_rows(plan, "target") }}
    WHERE {% if plan.expires %}{{ still_there(plan, "target") }} AND {% endif %}NOT EXISTS (
      SELECT 1
      FROM changed
      WHERE {% for column in plan.key_columns %}{{ " AND " if not loop.first }}changed.{{ column.name }} = target.{{ column.name }}{% endfor %}

    )
      AND EXISTS (
      SELECT 1
      FROM changed
      WHERE {% for column in plan.unique_columns %}{{ " AND " if not loop.first }}changed.{{ column.name }} = target.{{ column.name }}{% endfor %}

    )
  ),
  tallied AS (
    SELECT
      *,
      SUM({{ plan.copy_step }}) OVER (PARTITION BY {% for column in plan.unique_columns %}{{ column.name }}{{ ", " if not loop.last }}{% endfor %}{% if plan.truncates %}, {{ plan.epoch }}{% endif %} ORDER BY {{ plan.change_seq }}, {{ plan.copy_step }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS {{ plan.copy_level }}
    FROM claims
  )
SELECT
{%- for column in plan.unique_columns %}
  {{ column.name }},
{%- endfor %}
  {{ plan.change_seq }},
  CASE WHEN {{ plan.effect }} = 'insert' THEN 'insert_exists' ELSE 'update_exists' END AS {{ plan.finding }}
FROM tallied
WHERE {{ plan.copy_step }} = 1
  AND {{ plan.copy_level }} > 1
ORDER BY {{ plan.change_seq }}
LIMIT 5
