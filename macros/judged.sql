{#- Asks the row filters of all changes and nothing else: it fails where a filter raises an error. -#}
SELECT asked.*
FROM (
    WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %}

    SELECT
        SUM(CASE WHEN {{ plan.old_matches }} THEN 1 ELSE 0 END) AS old_rows,
        SUM(CASE WHEN {{ plan.new_matches }} THEN 1 ELSE 0 END) AS new_rows
    FROM judged
) AS asked
