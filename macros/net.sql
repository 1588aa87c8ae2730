{#- Of a table with a key: one row for each key that the batch touches, what is left of it in the end.

    Prints: the part `net`, and the query's rows: the columns, `keeps_…` and effect.
    Branches on: skips_missing (the last change that adds or removes a key's row decides whether there is
    one, the last change of all what it holds), keeps_existing (the last one that is not skipped
    decides), lacks_values (a value that was left out is taken from the key's changes before; where the
    batch holds none, the target's row keeps its own), and none of these (the last change decides);
    truncates.
    Override: keep the rows, and between marks what counting.sql adds. -#}
{%- from "counting.sql" import counting_before, counting_columns, counting_kept, counting_net,
    counting_only_last, counting_rows %}
{%- if plan.skips_missing or plan.keeps_existing or plan.lacks_values -%}
net AS (
{%- if plan.skips_missing %}
        -- The last change of a key, and the last ones that added and removed
        -- its row.
{%- elif not plan.lacks_values %}
        -- The last change of a key decides.
{%- else %}
        -- The last change of a key decides; what it left out is filled from
        -- the changes before it.
{%- endif %}
        SELECT
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
{%- for column in plan.complete_columns %}
            {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            {{ column.last_known | join("\n            ") }} OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS {{ column.known }},
{%- endfor %}
{%- if plan.skips_missing %}
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
{%- elif plan.keeps_existing %}
            {{ plan.checked_effect | join("\n            ") }},
            {{ plan.change_seq }},
{%- else %}
{{- counting_kept(plan) }}
{{- counting_before(plan) }}
            CASE
                WHEN
                    {{ plan.any_kept | join("\n                    ") }}
                    AND LAG({{ plan.effect }}) OVER (
                        {{ plan.key_partition | join("\n                        ") }}
                        ORDER BY {{ plan.change_seq }}
                    ) = 'delete'
{{- counting_only_last(plan) }}
                    THEN {{ plan.unknown_value | join("\n                    ") }}
                ELSE {{ plan.effect }}
            END AS {{ plan.effect }},
{%- endif %}
            LEAD({{ plan.change_seq }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.recency }}
        FROM {% if plan.skips_missing %}applied{% elif plan.keeps_existing %}taken{% else %}events{% endif %}
    )

    SELECT
{%- for column in plan.key_columns %}
        net.{{ column.name }},
{%- endfor %}
{%- for column in plan.complete_columns %}
        net.{{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
        net.{{ column.known }}.newest AS {{ column.name }},
        net.{{ column.known }} IS NULL AS {{ column.keeps }},
{%- endfor %}
{%- if plan.skips_missing %}
        CASE
            WHEN net.{{ plan.added_seq }} > COALESCE(net.{{ plan.removed_seq }}, -2)
                THEN 'insert'
            ELSE 'delete'
        END AS {{ plan.effect }}
    FROM net
{%- elif plan.keeps_existing %}
        CASE
            WHEN
                net.{{ plan.effect }} IN ('insert', 'update', 'arrived')
{%- if plan.truncates %}
                AND net.{{ plan.change_seq }}
                > COALESCE((SELECT truncated.seq FROM truncated), -1)
{%- endif %}
                THEN 'insert'
            ELSE 'delete'
        END AS {{ plan.effect }}
    FROM net
{%- else %}
{{- counting_columns(plan) }}
        net.{{ plan.effect }}
    FROM
{{- counting_net(plan) }}
    WHERE net.{{ plan.recency }} IS NULL
{{- counting_rows(plan) }}
{%- endif %}
{%- if plan.skips_missing or plan.keeps_existing %}
    WHERE
        net.{{ plan.recency }} IS NULL
        AND net.{{ plan.effect }} <> 'held'
{%- endif %}
{%- else -%}
net AS (
        -- The last change of a key decides.
        SELECT
            *,
{{- counting_before(plan) }}
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
{{- counting_columns(plan) }}
        {{ plan.effect }}
    FROM
{{- counting_net(plan) }}
    WHERE {{ plan.recency }} = 1
{{- counting_rows(plan) }}
{%- endif %}
