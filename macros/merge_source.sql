{#- One row for each key that the batch touches: what is left of it in the end. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    events AS (
        -- What happens to the target's rows, one by one.
        SELECT
{%- include "side_row.sql" %}
            CASE
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
        -- The last change of a key decides.
        SELECT
            *,
{%- include "counting_before.sql" %}
            ROW_NUMBER() OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }} DESC
            ) AS {{ plan.recency }}
        FROM events
    )

    SELECT
{%- for column in plan.columns %}
        {{ column.name }},
{%- endfor %}
{%- include "counting_columns.sql" %}
        {{ plan.effect }}
    FROM
{%- include "counting_net.sql" %}
    WHERE {{ plan.recency }} = 1
{%- include "counting_rows.sql" %}
