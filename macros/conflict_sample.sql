{#- The first conflicts of each kind, with the key that they met.

    Override: keep the columns: the key (without one, all columns), change_seq and finding. -#}
SELECT sampled.*
FROM (
    {% include "conflicts_found.sql" %},

    ranked AS (
        SELECT
            *,
            ROW_NUMBER() OVER (
                PARTITION BY {{ plan.finding }}
                ORDER BY {{ plan.change_seq }}
            ) AS {{ plan.recency }}
        FROM met
        WHERE {{ plan.finding }} IS NOT NULL
    )

    SELECT
{%- for column in plan.conflict_columns %}
        {{ column.name }},
{%- endfor %}
        {{ plan.change_seq }},
        {{ plan.finding }}
    FROM ranked
    WHERE {{ plan.recency }} <= 5
) AS sampled
ORDER BY sampled.{{ plan.change_seq }}
