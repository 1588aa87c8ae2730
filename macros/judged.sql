{#- Asks the row filters of all changes and nothing else: it fails where a filter raises an error.

    Override: keep a query that evaluates old_matches and new_matches of every change. -#}
SELECT asked.*
FROM (
    WITH
    {% include "changes.sql" %}

    SELECT
        SUM(CASE WHEN {{ plan.old_matches }} THEN 1 ELSE 0 END) AS old_rows,
        SUM(CASE WHEN {{ plan.new_matches }} THEN 1 ELSE 0 END) AS new_rows
    FROM judged
) AS asked
