{#- As conflicts, for a table to which rows are only added: nothing can be met. -#}
WITH
  {{ plan.changes_sql }}
SELECT
  0 AS insert_exists,
  0 AS update_exists,
  0 AS update_missing,
  0 AS delete_missing,
  COALESCE(SUM(CASE WHEN {{ plan.effect }} = 'nothing' THEN 1 ELSE 0 END), 0) AS changes_not_published
FROM transformed
