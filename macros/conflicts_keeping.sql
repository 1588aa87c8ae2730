{#- What the changes met in the target, where those are skipped that meet the wrong state. A change of
    a key is shown by its old key where that has no row, else by the new one. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    {% include "events_keeping.sql" %},

    met AS (
        SELECT
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
            {{ plan.change_seq }},
            CASE
                WHEN
                    {{ plan.effect }} = 'insert'
                    AND {{ plan.row_found }}
                    THEN 'insert_exists'
                WHEN
                    {{ plan.effect }} = 'update'
                    AND NOT {{ plan.row_found }}
                    THEN 'update_missing'
                WHEN
                    {{ plan.effect }} = 'delete'
                    AND NOT {{ plan.row_found }}
                    THEN 'delete_missing'
                WHEN
                    {{ plan.effect }} = 'left'
                    AND NOT {{ plan.old_found }}
                    THEN 'update_missing'
                WHEN
                    {{ plan.effect }} = 'arrived'
                    AND {{ plan.old_found }}
                    AND {{ plan.new_found }}
                    THEN 'update_exists'
            END AS {{ plan.finding }}
        FROM found_under_key
    )
