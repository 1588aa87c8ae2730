{#- As merge_source, for a table whose feed may leave out unchanged out-of-line columns. Such a
    column takes the last value that the batch holds for the key; where it holds none, the target's
    row keeps its own; where there is no such row, the statement stops. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    events AS (
        -- What happens to the target's rows, one by one.
        SELECT
{%- include "side_row.sql" %}
            CASE
                -- PostgreSQL sends NULL for such a column of a row that enters
                -- the filter. This stops.
                WHEN
                    {{ plan.side }} = 'new'
                    AND {{ plan.must_be_complete | join("\n                    ") }}
                    AND {{ plan.any_unchanged | join("\n                    ") }}
                    THEN {{ plan.unknown_value | join("\n                    ") }}
                WHEN {{ plan.side }} = 'old' THEN 'delete'
                ELSE {{ plan.effect }}
            END AS {{ plan.effect }},
{%- include "counting_effect.sql" %}
            seq AS {{ plan.change_seq }}
        FROM sides
        UNION ALL
        -- A TRUNCATE deletes every row that the target holds.
        SELECT
{%- include "emptied.sql" %}
    ),

    net AS (
        -- The last change of a key decides; what it left out is filled from
        -- the changes before it.
        SELECT
{%- include "net_known.sql" %}
{%- include "counting_kept.sql" %}
{%- include "counting_before.sql" %}
            CASE
                WHEN
                    {{ plan.any_kept | join("\n                    ") }}
                    AND LAG({{ plan.effect }}) OVER (
                        {{ plan.key_partition | join("\n                        ") }}
                        ORDER BY {{ plan.change_seq }}
                    ) = 'delete'
{%- include "counting_only_last.sql" %}
                    THEN {{ plan.unknown_value | join("\n                    ") }}
                ELSE {{ plan.effect }}
            END AS {{ plan.effect }},
            LEAD({{ plan.change_seq }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.recency }}
        FROM events
    )

    SELECT
{%- include "net_row.sql" %}
{%- include "counting_columns.sql" %}
        net.{{ plan.effect }}
    FROM
{%- include "counting_net.sql" %}
    WHERE net.{{ plan.recency }} IS NULL
{%- include "counting_rows.sql" %}
