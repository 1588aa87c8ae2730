{#- The changes that are not skipped. -#}
{% include "events_keeping.sql" %},

    taken AS (
        -- The changes that are not skipped.
        SELECT *
        FROM found_under_key
        WHERE
            ({{ plan.effect }} = 'update' OR NOT {{ plan.stays }})
            AND (
                {{ plan.effect }} NOT IN ('insert', 'update')
                OR {{ plan.row_found }} = ({{ plan.effect }} = 'update')
            )
    )
