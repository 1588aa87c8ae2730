{#- The rows that a changed definition moves: what leaves the target, enters it or differs in it.

    Branches on: narrows (rows only leave, and the target alone tells which), by_delete (a DELETE takes them: see
    merge.sql), compares (the target holds what the earlier filters take, so the source's other rows enter; of a row that
    leaves the key is enough), rebuilds (all rows of a table that takes the target's place), keyed. Without a key,
    ordinal 0 stands for all copies of a row, each number above it for one that is to be there.
    Override: keep the COALESCE around the filters, and the columns: those of the target, keeps_ of columns
    that a change may leave out, and effect (without a key: copy_ordinal). -#}
{%- from "filter_lines.sql" import filter_lines -%}
{%- if plan.narrows or plan.compares %}
{%- if plan.keyed -%}
SELECT
{%- for column in plan.key_columns %}
        {{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
        {% if plan.compares %}NULL AS {% endif %}{{ column.name }},
{%- endfor %}
{%- if plan.compares %}
{%- for column in plan.keepable_columns %}
        FALSE AS {{ column.keeps }},
{%- endfor %}
{%- endif %}
        'delete' AS {{ plan.effect }}
{%- else -%}
SELECT{% if not plan.by_delete %} DISTINCT{% endif %}
{%- for column in plan.columns %}
        {{ column.name }},
{%- endfor %}
        0 AS {{ plan.copy_ordinal }}
{%- endif %}
    FROM {{ plan.target }}
    WHERE
        NOT COALESCE(
{{- filter_lines(plan.copy_criteria, "\n            ") }},
            {{ plan.unknown_matches }}
        )
{%- if plan.compares %}
    UNION ALL
    SELECT
{%- for column in plan.key_columns %}
        {{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
        {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
        FALSE AS {{ column.keeps }},
{%- endfor %}
        'insert' AS {{ plan.effect }}
    FROM {{ plan.source_view }}
    WHERE
        COALESCE(
{{- filter_lines(plan.copy_criteria, "\n            ") }},
            {{ plan.unknown_matches }}
        )
        AND NOT COALESCE(
{{- filter_lines(plan.earlier_criteria, "\n            ") }},
            {{ plan.unknown_matches }}
        )
{%- endif %}
{%- else -%}
WITH expected AS (
        -- The rows that the target should hold.
        {{ plan.selection | join("\n        ") }}
        FROM {{ plan.source_view }}
        WHERE
            COALESCE(
{{- filter_lines(plan.copy_criteria, "\n                ") }},
                {{ plan.unknown_matches }}
            )
{%- if plan.rebuilds %}
    )

    SELECT
{%- for column in plan.columns %}
        {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
    FROM expected
{%- else %}
{%- if plan.keyed %}
    )

    SELECT
{%- for column in plan.key_columns %}
        COALESCE(e.{{ column.name }}, t.{{ column.name }}) AS {{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
        CASE
            WHEN e.{{ plan.first_key }} IS NULL THEN t.{{ column.name }}
            ELSE e.{{ column.name }}
        END AS {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
        FALSE AS {{ column.keeps }},
{%- endfor %}
        CASE
            WHEN e.{{ plan.first_key }} IS NULL THEN 'delete'
            WHEN t.{{ plan.first_key }} IS NULL THEN 'insert'
            ELSE 'update'
        END AS {{ plan.effect }}
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
    ),

    counted AS (
        -- The copies of each row that the target should hold, and that it
        -- holds.
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            1 AS {{ plan.copies_left }},
            0 AS {{ plan.copies_held }}
        FROM expected
        UNION ALL
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            0 AS {{ plan.copies_left }},
            1 AS {{ plan.copies_held }}
        FROM {{ plan.target }}
    ),

    moved AS (
        SELECT
{%- for column in plan.columns %}
            {{ column.name }},
{%- endfor %}
            SUM({{ plan.copies_left }}) AS {{ plan.copies_left }},
            SUM({{ plan.copies_held }}) AS {{ plan.copies_held }}
        FROM counted
        GROUP BY
{%- for column in plan.columns %}
            {{ column.name }}{{ "," if not loop.last }}
{%- endfor %}
        HAVING SUM({{ plan.copies_left }}) <> SUM({{ plan.copies_held }})
    )

    SELECT
{%- for column in plan.columns %}
        {{ column.name }},
{%- endfor %}
        {{ plan.explode }}(
            {{ plan.zero_to_copies_left }}
        ) AS {{ plan.copy_ordinal }}
    FROM moved
{%- endif %}
{%- endif %}
{%- endif %}
