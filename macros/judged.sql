{#- Asks the row filters of all changes and nothing else: it fails where a filter raises an error. -#}
WITH
  {{ plan.changes_sql }}
SELECT
  SUM(CASE WHEN {{ plan.old_matches }} THEN 1 ELSE 0 END),
  SUM(CASE WHEN {{ plan.new_matches }} THEN 1 ELSE 0 END)
FROM judged
