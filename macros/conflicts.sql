{#- What the changes met in the target, counted under PostgreSQL 18's names of conflicts; the first one
    that stops a PostgreSQL subscriber; and the changes that no filter let through.

    Override: keep the one row and its columns. -#}
SELECT counted.*
FROM (
    {% include "conflicts_found.sql" %}

    SELECT
        COALESCE(
            SUM(CASE WHEN {{ plan.finding }} = 'insert_exists' THEN 1 ELSE 0 END),
            0
        ) AS insert_exists,
        COALESCE(
            SUM(CASE WHEN {{ plan.finding }} = 'update_exists' THEN 1 ELSE 0 END),
            0
        ) AS update_exists,
        COALESCE(
            SUM(CASE WHEN {{ plan.finding }} = 'update_missing' THEN 1 ELSE 0 END),
            0
        ) AS update_missing,
        COALESCE(
            SUM(CASE WHEN {{ plan.finding }} = 'delete_missing' THEN 1 ELSE 0 END),
            0
        ) AS delete_missing,
        MIN(
            CASE
                WHEN {{ plan.finding }} IN ('insert_exists', 'update_exists')
                    THEN {{ plan.change_seq }}
            END
        ) AS first_stop,
        (
            SELECT
                COALESCE(
                    SUM(
                        CASE
                            WHEN transformed.{{ plan.effect }} = 'nothing' THEN 1
                            ELSE 0
                        END
                    ),
                    0
                ) AS unpublished
            FROM transformed
        ) AS changes_not_published
    FROM met
) AS counted
