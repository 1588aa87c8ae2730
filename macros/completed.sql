{#- Where a change of a key left out a value that did not change: PostgreSQL takes it from the row under
    the old key, which may have come there in the same way. Such values are followed from change to
    change. A row that is left without one stops the statement.

    Prints: the part `net`, after `walked`, `carried_…` and `resolved_…`, and the query's rows as net.sql
    does; it reads `taken`, and needs WITH RECURSIVE.
    Branches on: truncates.
    Override: keep the rows. -#}
walked AS (
        SELECT
            *,
{%- for column in plan.keepable_columns %}
            {{ column.last_seen | join("\n            ") }} OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS {{ column.known }},
            {{ column.last_seen | join("\n            ") }} OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS {{ column.left_behind }},
{%- endfor %}
            LEAD({{ plan.change_seq }}) OVER (
                {{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.recency }}
        FROM taken
    ),
{%- for column in plan.keepable_columns %}

    carried_{{ loop.index }} AS (
        SELECT
            walked.{{ plan.change_seq }},
            walked.{{ column.left_behind }}.newest AS {{ column.name }},
            walked.{{ column.left_behind }}.pending AS {{ plan.previous_seq }}
        FROM walked
        WHERE
            walked.{{ plan.effect }} = 'left'
            AND walked.{{ column.left_behind }} IS NOT NULL
    ),

    resolved_{{ loop.index }} AS (
        SELECT
            {{ plan.change_seq }},
            {{ column.name }}
        FROM carried_{{ loop.index }}
        WHERE {{ plan.previous_seq }} IS NULL
        UNION ALL
        SELECT
            carried_{{ loop.index }}.{{ plan.change_seq }},
            resolved_{{ loop.index }}.{{ column.name }}
        FROM resolved_{{ loop.index }}
        INNER JOIN carried_{{ loop.index }}
            ON
                resolved_{{ loop.index }}.{{ plan.change_seq }}
                = carried_{{ loop.index }}.{{ plan.previous_seq }}
    ),
{%- endfor %}

    net AS (
        SELECT *
        FROM walked
        WHERE
            {{ plan.recency }} IS NULL
            AND {{ plan.effect }} <> 'held'
    )

    SELECT
{%- for column in plan.key_columns %}
        net.{{ column.name }},
{%- endfor %}
{%- for column in plan.complete_columns %}
        net.{{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
        CASE
            WHEN
                net.{{ plan.effect }} NOT IN ('insert', 'update', 'arrived')
{%- if plan.truncates %}
                OR net.{{ plan.change_seq }}
                <= COALESCE((SELECT truncated.seq FROM truncated), -1)
{%- endif %}
                THEN NULL
            WHEN
                net.{{ column.known }}.pending IS NULL
                AND net.{{ column.known }} IS NOT NULL
                THEN net.{{ column.known }}.newest
            WHEN resolved_{{ loop.index }}.{{ plan.change_seq }} IS NOT NULL
                THEN resolved_{{ loop.index }}.{{ column.name }}
            ELSE {{ plan.unknown_value | join("\n            ") }}
        END AS {{ column.name }},
        FALSE AS {{ column.keeps }},
{%- endfor %}
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
{%- for column in plan.keepable_columns %}
    LEFT JOIN resolved_{{ loop.index }}
        ON
            net.{{ column.known }}.pending
            = resolved_{{ loop.index }}.{{ plan.change_seq }}
{%- endfor %}
