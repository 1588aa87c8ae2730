{#- Rows in which the target differs from filter(source): leaked, missing or different ones. -#}
{% for line in plan.header %}
-- {{ line }}
{%- endfor %}
WITH expected AS (
    -- The rows that the target should hold.
    {{ plan.selection | join("\n    ") }}
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
