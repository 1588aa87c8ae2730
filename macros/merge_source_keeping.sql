{#- As merge_source, where a change is skipped that meets the wrong state in the target: the last change
    of a key that is not skipped decides. -#}
WITH
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    {% include "not_skipped_keeping.sql" %},

    net AS (
        -- The last change of a key decides; what it left out is filled from
        -- the changes before it.
        SELECT
{%- include "net_known.sql" %}
            {{ plan.checked_effect | join("\n            ") }},
            {{ plan.change_seq }},
            LEAD({{ plan.change_seq }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.recency }}
        FROM taken
    )

    SELECT
{%- include "net_row.sql" %}
{%- include "net_effect.sql" %}
    FROM net
    WHERE
        net.{{ plan.recency }} IS NULL
        AND net.{{ plan.effect }} <> 'held'
