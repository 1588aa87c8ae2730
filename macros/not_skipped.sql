{#- All changes, in order: none is skipped. -#}
{% include "events_held.sql" %},

    taken AS (
        SELECT * FROM events
    )
