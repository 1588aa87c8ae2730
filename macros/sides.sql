{#- What the rows of `sides` say: their key, all their columns, and what became of them. Jinja macros
    that other files import; each begins with a new line.

    Branches on: key_changes (an UPDATE may change the key), expires (rows leave when their time is over).
    Override: keep the macros' names, the columns' names, and `left` and `arrived`. -#}

{#- The rows of the target, and which of them are still there when the changes come. #}
{%- macro present_rows(plan, alias="present") -%}
{% if plan.expires %}aged{% else %}{{ plan.target }}{% endif %} AS {{ alias }}
{%- endmacro %}

{%- macro still_there(plan, alias="present") -%}
{{ alias }}.{{ plan.is_over }} IS NOT TRUE
{%- endmacro %}

{#- Both together, where nothing else is read. #}
{%- macro held_rows(plan) -%}
{% if plan.expires %}{{ present_rows(plan) }}
        WHERE {{ still_there(plan) }}{% else %}{{ plan.target }}{% endif %}
{%- endmacro %}

{#- A key of `present` for an effect that brings no values. #}
{%- macro key_alone(plan) %}
{%- for column in plan.key_columns %}
            present.{{ column.name }},
{%- endfor %}
{%- for column in plan.payload_columns %}
            NULL AS {{ column.name }},
{%- endfor %}
{%- for column in plan.keepable_columns %}
            FALSE AS {{ column.keeps }},
{%- endfor %}
{%- endmacro %}

{#- Without a key: all copies of the rows whose time is over. #}
{%- macro leaving_copies(plan) %}
{%- if plan.expires %}
    UNION ALL
    -- Rows leave when their time is over.
    SELECT DISTINCT
{%- for column in plan.columns %}
        present.{{ column.name }},
{%- endfor %}
        0 AS {{ plan.copy_ordinal }}
    FROM {{ present_rows(plan) }}
    WHERE present.{{ plan.is_over }}
{%- endif %}
{%- endmacro %}

{%- macro side_key(plan) %}
{%- for column in plan.key_columns %}
            CASE
                WHEN {{ plan.side }} = 'old' THEN {{ column.old }}
                ELSE {{ column.new }}
            END AS {{ column.name }},
{%- endfor %}
{%- endmacro %}

{%- macro side_columns(plan) %}
{%- for column in plan.columns %}
            CASE
                WHEN {{ plan.side }} = 'old' THEN {{ column.old }}
                ELSE {{ column.new }}
            END AS {{ column.name }},
{%- endfor %}
{%- endmacro %}

{#- A change of the key is one that left and one that arrived. #}
{%- macro moved_case(plan) -%}
{% if plan.key_changes %}CASE
                WHEN
                    {{ plan.side }} = 'old'
                    AND {{ plan.effect }} = 'update'
                    THEN 'left'
                WHEN
                    {{ plan.effect }} = 'update'
                    AND {{ plan.key_change | join("\n                    ") }}
                    THEN 'arrived'
                ELSE {{ plan.effect }}
            END
{%- else %}{{ plan.effect }}{% endif %}
{%- endmacro %}

{%- macro moved_effect(plan) -%}
{{ moved_case(plan) }}{% if plan.key_changes %} AS {{ plan.effect }}{% endif %}
{%- endmacro %}

{#- What a change does to the number of copies of a row of a table without key. #}
{%- macro copy_steps(plan) -%}
SELECT
            {{ plan.effect }},
            seq AS {{ plan.change_seq }},
{{- side_columns(plan) }}
            CASE WHEN {{ plan.side }} = 'old' THEN -1 ELSE 1 END AS {{ plan.copy_step }}
        FROM sides
{%- endmacro %}
