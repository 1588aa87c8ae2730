{#- As merge_source, where an UPDATE of a row that the target lacks is skipped: the last change that
    adds or removes a key's row decides whether there is one, the last change of all what it holds. -#}
WITH RECURSIVE
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    {% include "events_skipping.sql" %},

    net AS (
        -- The last change of a key, and the last ones that added and removed
        -- its row.
        SELECT
{%- include "net_known.sql" %}
            {{ plan.checked_effect | join("\n            ") }},
            MAX(
                CASE
                    WHEN {{ plan.effect }} IN ('held', 'insert', 'arrived')
                        THEN {{ plan.change_seq }}
                END
            ) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS {{ plan.added_seq }},
            MAX(
                CASE
                    WHEN {{ plan.effect }} IN ('delete', 'left')
                        THEN {{ plan.change_seq }}
                END
            ) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS {{ plan.removed_seq }},
            LEAD({{ plan.change_seq }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.recency }}
        FROM applied
    )

    SELECT
{%- include "net_row.sql" %}
        CASE
            WHEN net.{{ plan.added_seq }} > COALESCE(net.{{ plan.removed_seq }}, -2)
                THEN 'insert'
            ELSE 'delete'
        END AS {{ plan.effect }}
    FROM net
    WHERE
        net.{{ plan.recency }} IS NULL
        AND net.{{ plan.effect }} <> 'held'
