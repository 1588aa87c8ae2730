{#- Rows in which the target differs from filter(source): leaked, missing or different ones; without a key,
    copies that are missing or too many.

    Branches on: keyed.
    Override: keep the COALESCE around the filters, and the columns: the key (without one, all columns and
    copies_held) and finding. -#}
{%- from "filter_lines.sql" import filter_lines %}
{% for line in plan.header %}
-- {{ line }}
{%- endfor %}
{%- if plan.keyed %}
WITH expected AS (
    -- The rows that the target should hold.
    {{ plan.selection | join("\n    ") }}
    FROM {{ plan.source_view }}
    WHERE
        COALESCE(
{{- filter_lines(plan.copy_criteria, "\n            ") }},
            {{ plan.unknown_matches }}
        )
)

SELECT
{%- for column in plan.key_columns %}
    COALESCE(t.{{ column.name }}, e.{{ column.name }}) AS {{ column.name }},
{%- endfor %}
    CASE
        WHEN e.{{ plan.first_key }} IS NULL THEN 'leaked'
        WHEN t.{{ plan.first_key }} IS NULL THEN 'missing'
        ELSE 'differs'
    END AS {{ plan.finding }}
FROM expected AS e
FULL OUTER JOIN {{ plan.target }} AS t
    ON
{%- for column in plan.key_columns %}
        {{ "AND " if not loop.first }}e.{{ column.name }} = t.{{ column.name }}
{%- endfor %}
WHERE
    e.{{ plan.first_key }} IS NULL
    OR t.{{ plan.first_key }} IS NULL
{%- for column in plan.payload_columns %}
    OR t.{{ column.name }} IS DISTINCT FROM e.{{ column.name }}
{%- endfor %}
{%- else %}
WITH counted AS (
    -- A row that the target should hold adds a copy, one that it holds takes
    -- it away.
    SELECT
{%- for column in plan.columns %}
        {{ column.name }},
{%- endfor %}
        1 AS {{ plan.copy_step }}
    FROM {{ plan.source_view }}
    WHERE
        COALESCE(
{{- filter_lines(plan.copy_criteria, "\n            ") }},
            {{ plan.unknown_matches }}
        )
    UNION ALL
    SELECT
{%- for column in plan.columns %}
        {{ column.name }},
{%- endfor %}
        -1 AS {{ plan.copy_step }}
    FROM {{ plan.target }}
)

SELECT
{%- for column in plan.columns %}
    {{ column.name }},
{%- endfor %}
    CASE
        WHEN SUM({{ plan.copy_step }}) < 0 THEN 'leaked'
        ELSE 'missing'
    END AS {{ plan.finding }},
    ABS(SUM({{ plan.copy_step }})) AS {{ plan.copies_held }}
FROM counted
GROUP BY
{%- for column in plan.columns %}
    {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
HAVING SUM({{ plan.copy_step }}) <> 0
{%- endif %}
