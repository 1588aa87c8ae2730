{#- As audit, for a table without key: copies that are missing or too many. -#}
{% for line in plan.header %}
-- {{ line }}
{%- endfor %}
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
{%- for criterion in plan.copy_criteria %}
{%- for line in criterion.label_lines %}
            -- {{ line }}
{%- endfor %}
            {{ criterion.connective }}/*<{{ criterion.number }}*/ {{ criterion.lines | join("\n            ") }} /*{{ criterion.number }}>*/
{%- endfor %},
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
