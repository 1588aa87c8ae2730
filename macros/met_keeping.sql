{#- As conflicts, where a change is skipped that meets the wrong state in the target. -#}
WITH
  {{ plan.changes_sql }},
  {% include "events_keeping.sql" %},
  met AS (
    SELECT
      {{ plan.key | join(", ") }},
      {{ plan.change_seq }},
      CASE
        WHEN {{ plan.effect }} = 'insert' AND {{ plan.row_found }} THEN 'insert_exists'
        WHEN {{ plan.effect }} = 'update' AND NOT {{ plan.row_found }} THEN 'update_missing'
        WHEN {{ plan.effect }} = 'delete' AND NOT {{ plan.row_found }} THEN 'delete_missing'
      END AS {{ plan.finding }}
    FROM found_under_key
    WHERE {{ plan.effect }} IN ('insert', 'update', 'delete')
    UNION ALL
    -- A change of a key is shown by its old key where that has no row, else by the new one.
    SELECT
{%- for column in plan.key_columns %}
      changed.{{ column.name }},
{%- endfor %}
      changed.{{ plan.change_seq }},
      CASE
        WHEN changed.{{ plan.effect }} = 'left' AND NOT verdicts.{{ plan.old_found }} THEN 'update_missing'
        WHEN changed.{{ plan.effect }} = 'arrived' AND verdicts.{{ plan.old_found }} AND verdicts.{{ plan.new_found }} THEN 'update_exists'
      END
    FROM changed
    INNER JOIN verdicts
      ON verdicts.{{ plan.change_seq }} = changed.{{ plan.change_seq }}
  )
