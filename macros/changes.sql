{#- The changes of one table, from the feed's view to what each of them does to the target.

    Prints: the parts `aged` (the target's rows, and whether their time is over), `truncated` (the last
    TRUNCATE), `images` (old and new row of each change), `judged` (who
    matches), `transformed` (the effect) and `sides` (the rows that it touches).
    Branches on: expires (else there is no `aged`), truncates (else there is no `truncated`), keeps_existing (what came before a TRUNCATE is
    judged, too), lacks_values (`unchanged` names what a change left out), key_changes (an UPDATE may
    touch two rows), adds_only (a change is its new row: no `sides`).
    Override: keep these parts, the COALESCE around the filters, and the columns seq, op, `old_…`, `new_…`,
    old_matches, new_matches, effect and side. -#}
{%- from "filter_lines.sql" import filter_lines -%}
{% if plan.expires -%}
aged AS (
        -- The rows of the target, and whether their time is over.
        SELECT
            *,
            {{ plan.over | join("\n            ") }}
            AND NOT COALESCE(
{{- filter_lines(plan.copy_criteria, "\n                ") }},
                {{ plan.unknown_matches }}
            ) AS {{ plan.is_over }}
        FROM {{ plan.target }}
    ),

    {% endif -%}
{% if plan.truncates -%}
truncated AS (
        -- What came before the last TRUNCATE of a batch cannot matter.
        -- No row filter judges it.
        SELECT MAX(seq) AS seq
        FROM {{ plan.changes }}
        WHERE op IN ('truncate')
        HAVING MAX(seq) IS NOT NULL
    ),

    {% endif -%}
    images AS (
        -- The old and the new row of each change.
        SELECT
            seq,
            op
{%- if plan.lacks_values %},
            unchanged
{%- endif %}
{%- for column in plan.logged_columns %},
            {{ column.before }} AS {{ column.old }}
{%- endfor %}
{%- for column in plan.sent_columns %},
            {{ column.after }} AS {{ column.new }}
{%- endfor %}
{%- for column in plan.update_columns %},
            CASE
                WHEN op = 'update' THEN {{ column.before }}
            END AS {{ column.old }}
{%- endfor %}
{%- for column in plan.absent_columns %},
            {{ column.absent }} AS {{ column.old }}
{%- endfor %}
{%- for column in plan.inferred_columns %},
            CASE
                WHEN op = 'update' AND {{ plan.witness }} IS NULL
                    THEN {{ column.after }}
                ELSE {{ column.before }}
            END AS {{ column.old }}
{%- endfor %}
{%- for column in plan.carried_columns %},
            CASE
                WHEN {{ column.is_unchanged }}
                    THEN {{ column.before }}
                ELSE {{ column.after }}
            END AS {{ column.new }}
{%- endfor %}
        FROM {{ plan.changes }}
        WHERE
            op IN ('insert', 'update', 'delete', 'read')
{%- if plan.truncates and not plan.keeps_existing %}
            AND seq > COALESCE((SELECT truncated.seq FROM truncated), -1)
{%- endif %}
    ),

    judged AS (
{%- for line in plan.matching %}
        -- {{ line }}
{%- endfor %}
        SELECT
            *,
            CASE
{%- for arm in plan.old_arms %}
                WHEN op IN ({{ arm.ops | join(", ") }})
                    THEN COALESCE(
{{- filter_lines(arm.criteria, "\n                        ") }},
                        {{ plan.unknown_matches }}
                    )
{%- endfor %}
                ELSE FALSE
            END AS {{ plan.old_matches }},
            CASE
{%- for arm in plan.new_arms %}
                WHEN op IN ({{ arm.ops | join(", ") }})
                    THEN COALESCE(
{{- filter_lines(arm.criteria, "\n                        ") }},
                        {{ plan.unknown_matches }}
                    )
{%- endfor %}
                ELSE FALSE
            END AS {{ plan.new_matches }}
        FROM images
    ),

    transformed AS (
        -- The UPDATE transformation table.
        -- An INSERT has no old row, a DELETE no new one.
        SELECT
            *,
            CASE
{%- for row in plan.transitions %}
                WHEN {{ row.old }} AND {{ row.new }} THEN {{ row.effect }}
{%- endfor %}
            END AS {{ plan.effect }}
        FROM judged
    )
{%- if not plan.adds_only %},

    sides AS (
{%- if plan.key_changes %}
        -- An UPDATE that changes the key touches two rows of the target:
        -- the old key's and the new one's.
        SELECT
            *,
            {{ plan.explode }}(
                CASE
                    WHEN {{ plan.effect }} = 'delete' THEN {{ plan.old_side }}
                    WHEN
                        {{ plan.effect }} = 'update'
                        AND {{ plan.key_change | join("\n                        ") }}
                        THEN {{ plan.both_sides }}
                    ELSE {{ plan.new_side }}
                END
            ) AS {{ plan.side }}
{%- else %}
        -- A DELETE touches its old row.
        SELECT
            *,
            CASE WHEN {{ plan.effect }} = 'delete' THEN 'old' ELSE 'new' END AS {{ plan.side }}
{%- endif %}
        FROM transformed
        WHERE {{ plan.effect }} <> 'nothing'
    )
{%- endif %}
